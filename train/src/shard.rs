//! Game shards on disk: append-only files of records, each with its checksum; a torn tail is cut off.
//!
//! A file is the line [`MAGIC`] and a header record, then one frame a record: length in bytes (`u32`, little endian),
//! CRC-32 of the payload (`u32`), payload (`postcard`). Whatever a crash leaves after the last whole frame is not a
//! record.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::TrainError;
use crate::record::{GameRecord, ShardHeader};

/// First bytes of every shard; the digit is the version of the format.
pub const MAGIC: &[u8] = b"selfplay-shard-2\n";
/// Frame of the header, at most: a game's id and four numbers.
const MAX_HEADER_BYTES: usize = 128;

/// A shard open for appending.
#[derive(Debug)]
pub struct ShardWriter {
    file: File,
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
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let contents = parse(path, &bytes)?;
        let (keep, records) = match contents {
            Some(Contents { header: found, records, whole_bytes }) => {
                if found != *header {
                    return Err(TrainError::ForeignShard {
                        path: path.into(),
                        expected: Box::new(header.clone()),
                        found: Box::new(found),
                    });
                }
                (whole_bytes, records)
            }
            None => (0, Vec::new()),
        };
        file.set_len(keep as u64).map_err(io)?;
        file.seek(SeekFrom::Start(keep as u64)).map_err(io)?;
        let mut writer = ShardWriter { file, path: path.into() };
        if keep == 0 {
            let mut start = MAGIC.to_vec();
            push_frame(&mut start, header);
            writer.write(&start)?;
            sync_folder(path).map_err(io)?;
        }
        Ok((writer, records))
    }

    /// Appends `records` with one write and waits until they are on disk.
    ///
    /// # Errors
    /// If the disk refuses; what was written before stays valid.
    pub fn append(&mut self, records: &[GameRecord]) -> Result<(), TrainError> {
        let mut bytes = Vec::new();
        for record in records {
            push_frame(&mut bytes, record);
        }
        self.write(&bytes)
    }

    /// Empties the shard down to its first `records` records, which the caller read from it.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn keep_only(&mut self, header: &ShardHeader, records: &[GameRecord]) -> Result<(), TrainError> {
        let io = |source| TrainError::Io { path: self.path.clone(), source };
        let mut kept = MAGIC.to_vec();
        push_frame(&mut kept, header);
        for record in records {
            push_frame(&mut kept, record);
        }
        self.file.set_len(kept.len() as u64).map_err(io)?;
        self.file.seek(SeekFrom::Start(kept.len() as u64)).map_err(io)?;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TrainError> {
        let io = |source| TrainError::Io { path: self.path.clone(), source };
        self.file.write_all(bytes).map_err(io)?;
        self.file.sync_data().map_err(io)
    }
}

/// Makes the new name of `path` durable; only Unix can open a folder to flush it.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) && !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Reads the whole records of the shard at `path`, leaving the file alone.
///
/// # Errors
/// If the file cannot be read or is not a shard.
pub fn read_shard(path: &Path) -> Result<(ShardHeader, Vec<GameRecord>), TrainError> {
    let bytes = std::fs::read(path).map_err(|source| TrainError::Io { path: path.into(), source })?;
    match parse(path, &bytes)? {
        Some(contents) => Ok((contents.header, contents.records)),
        None => Err(TrainError::NotAShard { path: path.into() }),
    }
}

struct Contents {
    header: ShardHeader,
    records: Vec<GameRecord>,
    /// Length of the file up to the end of the last whole record.
    whole_bytes: usize,
}

/// `None` if not even the header is whole (a crash while the file was created).
fn parse(path: &Path, bytes: &[u8]) -> Result<Option<Contents>, TrainError> {
    let not_a_shard = || TrainError::NotAShard { path: path.into() };
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
        // A prefix of the magic is a torn creation; anything else is somebody else's file.
        return if MAGIC.starts_with(bytes) { Ok(None) } else { Err(not_a_shard()) };
    };
    let header = match take_frame(&mut rest) {
        Frame::Whole(header) => header,
        // A file is created with magic and header in one write: a torn one is no longer than that.
        Frame::Torn if rest.len() <= MAX_HEADER_BYTES => return Ok(None),
        Frame::Torn | Frame::Foreign => return Err(not_a_shard()),
    };
    let mut records = Vec::new();
    loop {
        match take_frame(&mut rest) {
            Frame::Whole(record) => records.push(record),
            Frame::Torn => break,
            Frame::Foreign => return Err(not_a_shard()),
        }
    }
    Ok(Some(Contents { header, records, whole_bytes: bytes.len() - rest.len() }))
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
    (crc32fast::hash(payload) == u32::from_le_bytes(*checksum)).then_some((payload, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DecisionRecord, SearchTarget};

    fn header() -> ShardHeader {
        ShardHeader { game: "tictactoe".into(), encoding_version: 1, engine_version: 1, run_seed: 7, generation: 2 }
    }

    fn record(game_number: u32) -> GameRecord {
        let policy = vec![(4, 60_000), (0, 5_535)];
        let target = SearchTarget { policy, win: 0.5, loss: 0.25, proven: Some(1), surprise: 0.125 };
        let decisions = [Some(target), None].map(|target| DecisionRecord { action: 4, target }).to_vec();
        GameRecord { decisions, simulations: 32, ..GameRecord::new(game_number) }
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
