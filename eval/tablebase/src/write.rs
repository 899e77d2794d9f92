//! Writes a table's file.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;
use selfplay_storage::write_file_with;

use crate::error::TableError;
use crate::layout::{BEFORE_FIRST, BLOCK, BLOCK_HEAD, BLOCKS_PER_SEGMENT, FOOTER, GROUP, Header};
use crate::prefix_code::{BitWriter, Encoder, lengths};
use crate::value::ValueByte;

/// Replaces the file at `path` by the table of `bytes`.
///
/// # Errors
/// If the file cannot be read or written.
pub(crate) fn write(path: &Path, header: &Header, bytes: &[AtomicU8]) -> Result<(), TableError> {
    let written = write_file_with(path, |file| {
        let line = serde_json::to_string(header).expect("plain data") + "\n";
        file.write_all(line.as_bytes())?;
        let (mut place, mut directory) = (line.len() as u64, Vec::new());
        let segments: Vec<&[AtomicU8]> = bytes.chunks(BLOCK * BLOCKS_PER_SEGMENT).collect();
        for segments in segments.chunks(rayon::current_num_threads()) {
            let made: Vec<Segment> = segments.par_iter().map(|bytes| Segment::new(bytes, header.turns)).collect();
            for Segment { blocks, entry } in made {
                file.write_all(&blocks)?;
                place += blocks.len() as u64;
                directory.extend(entry);
            }
        }
        write_end(file, line.as_bytes(), place, &directory)
    });
    written.map_err(TableError::in_file(path))
}

fn write_end(file: &mut dyn Write, header: &[u8], place: u64, directory: &[u8]) -> io::Result<()> {
    let hash = blake3::Hasher::new().update(header).update(directory).finalize();
    file.write_all(directory)?;
    file.write_all(&place.to_le_bytes())?;
    file.write_all(hash.as_bytes())?;
    file.write_all(FOOTER)
}

/// Blocks with the codes they share.
struct Segment {
    blocks: Vec<u8>,
    /// What the directory says of it.
    entry: Vec<u8>,
}

impl Segment {
    fn new(bytes: &[AtomicU8], turns: bool) -> Self {
        let values: Vec<u8> = values(bytes, turns);
        let mut counts = vec![[0u64; 256]; 256];
        for_each_value(&values, |before, value| counts[usize::from(before)][usize::from(value)] += 1);
        let lengths: Vec<[u8; 256]> = counts.iter().map(lengths).collect();
        let encoders: Vec<Encoder> = lengths.iter().map(Encoder::new).collect();
        let mut entry = Vec::new();
        write_codes(&lengths, &mut entry);
        let mut blocks = Vec::new();
        for values in values.chunks(BLOCK) {
            let block = block(values, &encoders);
            entry.extend((block.len() as u32).to_le_bytes());
            blocks.extend(block);
        }
        Segment { blocks, entry }
    }
}

/// The values as they are written: numbers without a position like the one before them in their group, or the next one.
fn values(bytes: &[AtomicU8], turns: bool) -> Vec<u8> {
    let reduced = |byte: &AtomicU8| match byte.load(Relaxed) {
        byte if turns || [ValueByte::UNDECIDED.0, ValueByte::NO_POSITION.0].contains(&byte) => byte,
        byte if byte & 1 == 0 => ValueByte::win(1).0,
        _ => ValueByte::loss(0).0,
    };
    let mut values: Vec<u8> = bytes.iter().map(reduced).collect();
    for group in values.chunks_mut(GROUP) {
        let first = group.iter().copied().find(|&value| value != ValueByte::NO_POSITION.0);
        let mut before = first.unwrap_or(ValueByte::UNDECIDED.0);
        for value in group {
            if *value == ValueByte::NO_POSITION.0 {
                *value = before;
            }
            before = *value;
        }
    }
    values
}

/// Tells `visit` every value and what stands before it.
fn for_each_value(values: &[u8], mut visit: impl FnMut(u8, u8)) {
    for group in values.chunks(GROUP) {
        let mut before = BEFORE_FIRST;
        for &value in group {
            visit(before, value);
            before = value;
        }
    }
}

/// For each value before: how many words there are; then their values and lengths.
fn write_codes(lengths: &[[u8; 256]], to: &mut Vec<u8>) {
    for lengths in lengths {
        let words = (0..=u8::MAX).zip(lengths).filter(|&(_, &length)| length > 0);
        to.push(words.clone().count() as u8);
        to.extend(words.flat_map(|(value, &length)| [value, length]));
    }
}

fn block(values: &[u8], encoders: &[Encoder]) -> Vec<u8> {
    let mut words = BitWriter::default();
    let mut starts = Vec::new();
    for group in values.chunks(GROUP) {
        starts.push(words.bits() as u16);
        for_each_value(group, |before, value| encoders[usize::from(before)].write(value, &mut words));
    }
    let mut block = Vec::with_capacity(BLOCK_HEAD + words.bits() / 8 + 1);
    block.extend([0; 4]);
    block.extend(starts[1..].iter().flat_map(|start| start.to_le_bytes()));
    block.extend(words.finish());
    let crc = crc32fast::hash(&block[4..]);
    block[..4].copy_from_slice(&crc.to_le_bytes());
    block
}
