//! A table in its file, looked up without being loaded.
#![allow(unsafe_code, reason = "a file that is mapped can be changed by others: `map` says what follows")]

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};
use selfplay_env::Rules;
use selfplay_env::position_index::PositionIndex;

use crate::error::TableError;
use crate::layout::{
    BEFORE_FIRST, BLOCK, BLOCKS_PER_SEGMENT, FOOTER, FOOTER_BYTES, GROUP, Header, MAX_HEADER_BYTES, VERSION, blocks,
    numbers_in,
};
use crate::prefix_code::{BitReader, Decoder};
use crate::value::{TurnValue, ValueByte};

/// What every turn start of a game is worth.
pub struct Tablebase {
    path: PathBuf,
    map: Mmap,
    header: Header,
    position_index: &'static dyn PositionIndex,
    /// Where each block begins, and where the last one ends.
    starts: Vec<u64>,
    /// For each segment and each value before: the code.
    codes: Vec<Vec<Option<Decoder>>>,
}

impl Tablebase {
    /// Opens the table at `path`, which must be of the game of `rules`: of the rules that are played, or of one of its
    /// variants. Header and directory are checked now, each block whenever a value is asked of it.
    ///
    /// # Errors
    /// [`TableError::File`] if the file cannot be read or written, is of another game, or damaged.
    pub fn open(path: &Path, rules: &dyn Rules) -> Result<Self, TableError> {
        Self::from_map(path, map(path, None)?, rules)
    }

    /// Opens a table that lies in a part of the file at `path`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_part(path: &Path, part: Range<u64>, rules: &dyn Rules) -> Result<Self, TableError> {
        Self::from_map(path, map(path, Some(part))?, rules)
    }

    fn from_map(path: &Path, map: Mmap, rules: &dyn Rules) -> Result<Self, TableError> {
        let wrong = |reason: &str| TableError::for_file(path, reason);
        let (header, head) = read_header(path, &map)?;
        let position_index = position_index_for(path, &header, rules)?;
        let footer = map.len().checked_sub(FOOTER_BYTES).filter(|&footer| footer >= head);
        let footer = footer.ok_or_else(|| wrong("it is cut off"))?;
        let (place, rest) = map[footer..].split_at(8);
        let (hash, end) = rest.split_at(blake3::OUT_LEN);
        if end != FOOTER {
            return Err(wrong("its end is missing: it is cut off, or something stands behind it"));
        }
        let place = u64::from_le_bytes(place.try_into().expect("eight bytes"));
        let directory = usize::try_from(place).ok().filter(|place| (head..=footer).contains(place));
        let directory = &map[directory.ok_or_else(|| wrong("its directory is damaged"))?..footer];
        if blake3::Hasher::new().update(&map[..head]).update(directory).finalize().as_bytes() != hash {
            return Err(wrong("its header or directory is damaged"));
        }
        let read = read_directory(directory, header.numbers, head as u64, place);
        let (starts, codes) = read.ok_or_else(|| wrong("its directory is wrong"))?;
        Ok(Tablebase { path: path.into(), map, header, position_index, starts, codes })
    }

    /// The position index that it is made by.
    pub fn position_index(&self) -> &'static dyn PositionIndex {
        self.position_index
    }

    /// Whether it is of the rules that are played.
    pub fn is_of_played_rules(&self, rules: &dyn Rules) -> bool {
        rules.position_index().is_some_and(|played| played.name() == self.header.rules)
    }

    /// Whether it tells the turns to the end; otherwise all wins count as in 1 and all losses as in 0.
    pub fn has_turns(&self) -> bool {
        self.header.turns
    }

    /// Bytes of its file.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The value of a number that has a position.
    ///
    /// # Errors
    /// [`TableError::File`] if its block is damaged.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn value(&self, number: u64) -> Result<TurnValue, TableError> {
        assert!(number < self.header.numbers, "a number below {}", self.header.numbers);
        let (block, within) = ((number / BLOCK as u64) as usize, (number % BLOCK as u64) as usize);
        let words = self.block(block)?;
        let read = self.read_group(block, words, within / GROUP, within % GROUP + 1, |_| ());
        let byte = read.ok_or_else(|| self.is_damaged(block))?;
        ValueByte(byte).value().ok_or_else(|| self.is_damaged(block))
    }

    /// Tells `visit` every number of a block and what is written there; also for numbers without a position.
    ///
    /// # Errors
    /// [`TableError::File`] if the block is damaged.
    pub fn for_each_in_block(&self, block: usize, mut visit: impl FnMut(u64, TurnValue)) -> Result<(), TableError> {
        let bytes = self.block(block)?;
        let mut number = (block * BLOCK) as u64;
        let count = numbers_in(block, self.header.numbers);
        for group in 0..count.div_ceil(GROUP) {
            let mut is_wrong = false;
            let in_group = GROUP.min(count - group * GROUP);
            let read = self.read_group(block, bytes, group, in_group, |byte| {
                match ValueByte(byte).value() {
                    Some(value) => visit(number, value),
                    None => is_wrong = true,
                }
                number += 1;
            });
            read.filter(|_| !is_wrong).ok_or_else(|| self.is_damaged(block))?;
        }
        Ok(())
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        blocks(self.header.numbers)
    }

    /// The bytes of a block behind its checksum.
    fn block(&self, block: usize) -> Result<&[u8], TableError> {
        let bytes = &self.map[self.starts[block] as usize..self.starts[block + 1] as usize];
        let (crc, bytes) = bytes.split_first_chunk().ok_or_else(|| self.is_damaged(block))?;
        match crc32fast::hash(bytes) == u32::from_le_bytes(*crc) {
            true => Ok(bytes),
            false => Err(self.is_damaged(block)),
        }
    }

    /// Reads the first `count` values of a group and tells `visit` each; the last one.
    #[inline]
    fn read_group(
        &self,
        block: usize,
        bytes: &[u8],
        group: usize,
        count: usize,
        mut visit: impl FnMut(u8),
    ) -> Option<u8> {
        let starts_bytes = 2 * (numbers_in(block, self.header.numbers).div_ceil(GROUP) - 1);
        let (starts, words) = bytes.split_at_checked(starts_bytes)?;
        let start = match group.checked_sub(1) {
            None => 0,
            Some(entry) => u16::from_le_bytes([starts[2 * entry], starts[2 * entry + 1]]),
        };
        let codes = &self.codes[block / BLOCKS_PER_SEGMENT];
        let mut reader = BitReader::new(words, usize::from(start));
        let mut value = BEFORE_FIRST;
        for _ in 0..count {
            value = codes[usize::from(value)].as_ref()?.read(&mut reader)?;
            visit(value);
        }
        Some(value)
    }

    /// An error that names the file.
    pub(crate) fn refuses(&self, reason: &str) -> TableError {
        TableError::for_file(&self.path, reason)
    }

    #[cold]
    fn is_damaged(&self, block: usize) -> TableError {
        TableError::for_file(&self.path, format!("block {block} is damaged: copy or make the table again"))
    }
}

/// The id of the game that the table at `path` is of; nothing more of it is checked.
///
/// # Errors
/// [`TableError::File`] if the file cannot be read or written or is no table.
pub fn game_of_table(path: &Path) -> Result<String, TableError> {
    Ok(read_header(path, &map(path, None)?)?.0.game)
}

/// The header of a table's bytes, and how long it is with its line's end.
fn read_header(path: &Path, bytes: &[u8]) -> Result<(Header, usize), TableError> {
    let wrong = |reason: String| TableError::for_file(path, reason);
    let line_end = bytes.iter().take(MAX_HEADER_BYTES).position(|&byte| byte == b'\n');
    let line = &bytes[..line_end.ok_or_else(|| wrong("it is no table: its first line is none".to_owned()))?];
    let header: Header = serde_json::from_slice(line).map_err(|error| wrong(format!("it is no table: {error}")))?;
    if header.selfplay_table != VERSION {
        let found = header.selfplay_table;
        return Err(wrong(format!("it is a table of version {found}, and this program reads version {VERSION}")));
    }
    Ok((header, line.len() + 1))
}

/// Maps the file, or a part of it, into memory.
fn map(path: &Path, part: Option<Range<u64>>) -> Result<Mmap, TableError> {
    let file = File::open(path).map_err(TableError::in_file(path))?;
    let mut options = MmapOptions::new();
    if let Some(Range { start, end }) = part {
        options.offset(start).len((end - start) as usize);
    }
    // SAFETY: nothing here relies on bytes staying what they were: every read is checked against the map's length, and each
    // block against its checksum. Should somebody make the file shorter meanwhile, the system ends the program.
    unsafe { options.map(&file) }.map_err(TableError::in_file(path))
}

/// The position index that a table with this header is made by.
fn position_index_for(
    path: &Path,
    header: &Header,
    rules: &dyn Rules,
) -> Result<&'static dyn PositionIndex, TableError> {
    let wrong = |reason: String| TableError::for_file(path, reason);
    let Header { game, rules: name, numbers, .. } = header;
    if game != rules.id() {
        return Err(wrong(format!("it is a table of {game}, not of {}", rules.id())));
    }
    let played = rules.position_index().ok_or_else(|| wrong(format!("{game} has no position index")))?;
    let mut all = std::iter::once(played).chain(played.variants());
    let position_index = all.find(|position_index| position_index.name() == name);
    let position_index = position_index.ok_or_else(|| wrong(format!("{game} has no rules called `{name}`")))?;
    match position_index.count() == *numbers {
        true => Ok(position_index),
        false => {
            let here = position_index.count();
            Err(wrong(format!("it is made by another position index: {numbers} numbers instead of {here}")))
        }
    }
}

/// Where blocks begin, and codes.
type Directory = (Vec<u64>, Vec<Vec<Option<Decoder>>>);

/// Reads the directory of blocks that lie from `first` to `end`; `None` if they do not.
fn read_directory(mut directory: &[u8], numbers: u64, first: u64, end: u64) -> Option<Directory> {
    let count = blocks(numbers);
    let (mut starts, mut codes) = (vec![first], Vec::new());
    for segment in 0..count.div_ceil(BLOCKS_PER_SEGMENT) {
        codes.push((0..256).map(|_| read_code(&mut directory)).collect::<Option<_>>()?);
        for _ in segment * BLOCKS_PER_SEGMENT..count.min((segment + 1) * BLOCKS_PER_SEGMENT) {
            let length = u32::from_le_bytes(*directory.split_off(..4)?.first_chunk()?);
            starts.push(starts.last()? + u64::from(length));
        }
    }
    (directory.is_empty() && starts.last() == Some(&end)).then_some((starts, codes))
}

/// A code, or that there is none for values behind this one.
fn read_code(directory: &mut &[u8]) -> Option<Option<Decoder>> {
    let words = usize::from(*directory.split_off_first()?);
    let mut lengths = [0; 256];
    for word in directory.split_off(..2 * words)?.chunks_exact(2) {
        lengths[usize::from(word[0])] = word[1];
    }
    if words == 0 { Some(None) } else { Decoder::new(&lengths).map(Some) }
}
