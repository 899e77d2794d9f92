//! Game shards on disk: append-only files of records, each with its checksum; a torn tail is cut off.
//!
//! A file is the line [`MAGIC`] and a header record, then one frame per record: payload length (bytes; `u32`, little
//! endian), CRC-32 of the payload (`u32`), payload (`postcard`). Data that a crash leaves after the last complete frame
//! is not a record.

use std::path::{Path, PathBuf};

use selfplay_storage::{AppendFile, Care, write_file};
use serde::{Deserialize, Serialize};

use crate::error::TrainError;
use crate::record::{GameRecord, ShardHeader};

/// First bytes of every shard; the digit is the version of the format.
pub const MAGIC: &[u8] = b"selfplay-shard-2\n";

/// A shard open for appending.
#[derive(Debug)]
pub struct ShardWriter {
    file: AppendFile,
    path: PathBuf,
}

impl ShardWriter {
    /// Opens the shard at `path`, or creates it, and returns it with the whole records it holds.
    ///
    /// A torn tail is cut off the file.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds games of another game, run or generation.
    pub fn open(path: &Path, header: &ShardHeader) -> Result<(Self, Vec<GameRecord>), TrainError> {
        let io = |source| TrainError::Io { path: path.into(), source };
        let (mut file, bytes) = AppendFile::resume(path, &start(header), Care::Synced).map_err(io)?;
        let not_a_shard = || TrainError::NotAShard { path: path.into() };
        let Contents { header: found, records, whole_bytes } = parse(&bytes).ok_or_else(not_a_shard)?;
        if found != *header {
            let (expected, found) = (Box::new(header.clone()), Box::new(found));
            return Err(TrainError::ForeignShard { path: path.into(), expected, found });
        }
        file.keep(whole_bytes).map_err(io)?;
        Ok((ShardWriter { file, path: path.into() }, records))
    }

    /// Appends `records` with one write and waits until they are on disk.
    ///
    /// # Errors
    /// If the disk cannot be written; what was written before stays valid.
    pub fn append(&mut self, records: &[GameRecord]) -> Result<(), TrainError> {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| push_frame(&mut bytes, record));
        self.file.append(&bytes).map_err(|source| TrainError::Io { path: self.path.clone(), source })
    }

    /// Empties the shard down to its first `records` records, which the caller read from it.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn keep_only(&mut self, header: &ShardHeader, records: &[GameRecord]) -> Result<(), TrainError> {
        let kept = shard_bytes(header, records).len();
        self.file.keep(kept).map_err(|source| TrainError::Io { path: self.path.clone(), source })
    }

    /// Puts a shard of these records in the place of this one, at once.
    ///
    /// # Errors
    /// If the disk cannot be written; the shard is then as it was.
    pub fn replace(self, header: &ShardHeader, records: &[GameRecord]) -> Result<(), TrainError> {
        let ShardWriter { file, path } = self;
        drop(file);
        write_file(&path, &shard_bytes(header, records)).map_err(|source| TrainError::Io { path, source })
    }
}

/// What a shard of these records holds.
pub fn shard_bytes(header: &ShardHeader, records: &[GameRecord]) -> Vec<u8> {
    let mut bytes = start(header);
    records.iter().for_each(|record| push_frame(&mut bytes, record));
    bytes
}

/// Reads what [`shard_bytes`] makes of at most `max_records` records of at most `max_record_bytes` each; `None` unless
/// every byte is as it was. Limits are checked before a record is decoded: a few bytes can stand for many plies.
pub fn from_shard_bytes(
    bytes: &[u8],
    max_records: usize,
    max_record_bytes: usize,
) -> Option<(ShardHeader, Vec<GameRecord>)> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let Frame::Whole(header) = take_frame(&mut rest) else { return None };
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (payload, after) = split_frame(rest)?;
        if records.len() == max_records || payload.len() > max_record_bytes {
            return None;
        }
        records.push(postcard::from_bytes(payload).ok()?);
        rest = after;
    }
    Some((header, records))
}

/// Bytes of a record with `max_plies` plies of a game with `action_count` actions, at most.
pub fn max_record_bytes(max_plies: usize, action_count: usize) -> usize {
    // As `postcard` writes them: a ply is an action and a target of at most 21 bytes besides its policy, whose entries are
    // two numbers of at most three bytes. The rest of a record is a few numbers.
    max_plies.saturating_mul(6 * action_count + 24).saturating_add(64)
}

/// What a shard begins with, written at once.
fn start(header: &ShardHeader) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    push_frame(&mut bytes, header);
    bytes
}

/// Reads the whole records of the shard at `path`, leaving the file alone.
///
/// # Errors
/// If the file cannot be read or is not a shard.
pub fn read_shard(path: &Path) -> Result<(ShardHeader, Vec<GameRecord>), TrainError> {
    let bytes = std::fs::read(path).map_err(|source| TrainError::Io { path: path.into(), source })?;
    let Contents { header, records, .. } = parse(&bytes).ok_or_else(|| TrainError::NotAShard { path: path.into() })?;
    Ok((header, records))
}

struct Contents {
    header: ShardHeader,
    records: Vec<GameRecord>,
    /// Length of the file up to the end of the last whole record.
    whole_bytes: usize,
}

/// The whole records at the front of `bytes`; `None` if they are no shard.
fn parse(bytes: &[u8]) -> Option<Contents> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let Frame::Whole(header) = take_frame(&mut rest) else { return None };
    let mut records = Vec::new();
    loop {
        match take_frame(&mut rest) {
            Frame::Whole(record) => records.push(record),
            Frame::Torn => break,
            Frame::Foreign => return None,
        }
    }
    Some(Contents { header, records, whole_bytes: bytes.len() - rest.len() })
}

fn push_frame<T: Serialize>(bytes: &mut Vec<u8>, value: &T) {
    let payload = postcard::to_stdvec(value).expect("plain data always serialises");
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(&payload).to_le_bytes());
    bytes.extend(payload);
}

/// What stands at the front of a list of frames.
enum Frame<T> {
    /// A whole frame, taken off.
    Whole(T),
    /// Nothing, or a frame that was not written to its end.
    Torn,
    /// A frame as it was written, but of something else.
    Foreign,
}

/// Takes one whole frame off the front, or leaves `rest` where it is.
fn take_frame<T: for<'de> Deserialize<'de>>(rest: &mut &[u8]) -> Frame<T> {
    let Some((payload, after)) = split_frame(rest) else { return Frame::Torn };
    match postcard::from_bytes(payload) {
        Ok(value) => {
            *rest = after;
            Frame::Whole(value)
        }
        Err(_) => Frame::Foreign,
    }
}

/// The payload of the first frame, and what follows; `None` unless it is whole and its checksum agrees.
fn split_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, after) = bytes.split_first_chunk::<4>()?;
    let (checksum, after) = after.split_first_chunk::<4>()?;
    let (payload, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    // A file system may leave zeros where a write was cut off, and zero is the checksum of nothing; no record is empty.
    (!payload.is_empty() && crc32fast::hash(payload) == u32::from_le_bytes(*checksum)).then_some((payload, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PlyRecord, SearchTarget};

    fn header() -> ShardHeader {
        ShardHeader { game: "tictactoe".into(), encoding_version: 1, engine_version: 1, run_seed: 7, generation: 2 }
    }

    fn record(game_number: u32) -> GameRecord {
        let policy = vec![(4, 60_000), (0, 5_535)];
        let target = SearchTarget { policy, win: 0.5, loss: 0.25, proven: Some(1), surprise: 0.125 };
        let plies = [Some(target), None].map(|target| PlyRecord { action: 4, target }).to_vec();
        GameRecord { plies, simulations: 32, ..GameRecord::new(game_number) }
    }

    #[test]
    fn every_cut_of_the_file_leaves_the_whole_records_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let records: Vec<_> = (0..3).map(record).collect();
        ShardWriter::open(&path, &header()).unwrap().0.append(&records).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let frame = {
            let mut bytes = Vec::new();
            push_frame(&mut bytes, &records[0]);
            bytes.len()
        };
        let start = whole.len() - 3 * frame;
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut writer, found) = ShardWriter::open(&path, &header()).unwrap();
            let expected = cut.saturating_sub(start) / frame;
            assert_eq!(found, records[..expected], "cut at {cut}");
            // What is appended after the cut is found again.
            writer.append(&[record(9)]).unwrap();
            let (_, again) = read_shard(&path).unwrap();
            assert_eq!(again.len(), expected + 1);
            assert_eq!(again.last(), Some(&record(9)));
        }
    }

    #[test]
    fn zeros_behind_the_records_are_a_torn_tail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        ShardWriter::open(&path, &header()).unwrap().0.append(&[record(0)]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for zeros in [1, 8, 64, 4096] {
            std::fs::write(&path, [&whole[..], &vec![0; zeros]].concat()).unwrap();
            let (writer, found) = ShardWriter::open(&path, &header()).unwrap();
            drop(writer);
            assert_eq!((found, std::fs::read(&path).unwrap()), (vec![record(0)], whole.clone()));
        }
    }

    #[test]
    fn a_flipped_bit_ends_the_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        ShardWriter::open(&path, &header()).unwrap().0.append(&[record(0), record(1)]).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read_shard(&path).unwrap().1, [record(0)]);
    }

    #[test]
    fn a_damaged_header_is_no_torn_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let records: Vec<_> = (0..9).map(record).collect();
        ShardWriter::open(&path, &header()).unwrap().0.append(&records).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[MAGIC.len() + 9] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(ShardWriter::open(&path, &header()), Err(TrainError::NotAShard { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn whole_records_of_another_kind_are_not_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        ShardWriter::open(&path, &header()).unwrap().0.append(&[record(0)]).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        push_frame(&mut bytes, &u8::MAX);
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(ShardWriter::open(&path, &header()), Err(TrainError::NotAShard { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn other_files_and_other_runs_are_refused_and_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        std::fs::write(&path, "precious").unwrap();
        assert!(matches!(ShardWriter::open(&path, &header()), Err(TrainError::NotAShard { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        std::fs::remove_file(&path).unwrap();
        ShardWriter::open(&path, &header()).unwrap().0.append(&[record(0)]).unwrap();
        let other = ShardHeader { run_seed: 8, ..header() };
        assert!(matches!(ShardWriter::open(&path, &other), Err(TrainError::ForeignShard { .. })));
        assert_eq!(read_shard(&path).unwrap().1.len(), 1);
    }

    #[test]
    fn keep_only_cuts_behind_the_records_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let (mut writer, _) = ShardWriter::open(&path, &header()).unwrap();
        writer.append(&[record(0), record(1), record(2)]).unwrap();
        writer.keep_only(&header(), &[record(0)]).unwrap();
        writer.append(&[record(5)]).unwrap();
        assert_eq!(read_shard(&path).unwrap().1, [record(0), record(5)]);
    }
}
