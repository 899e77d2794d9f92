//! A table that is being made, on disk: all bytes as they stand, and which sweep they are from.
//!
//! One line of text, an [`Unfinished`], then the bytes in blocks, each behind its hash. Threads continue while it is
//! written, so a block may hold some of what the sweep found and another none of it; the sweep restarts on it all the
//! same.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use selfplay_storage::write_file_with;
use serde::{Deserialize, Serialize};

use crate::error::TableError;

/// Bytes of a block.
const BLOCK: usize = 1 << 20;
/// The version of the format, and of the meaning of its bytes.
const VERSION: u32 = 1;

/// Which table, and how far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unfinished {
    unfinished_table: u32,
    pub game: String,
    pub rules: String,
    pub count: u64,
    /// The sweep that is on; `None` once there is none left.
    pub turns: Option<u8>,
}

impl Unfinished {
    pub fn new(game: &str, rules: &str, count: u64) -> Self {
        Unfinished { unfinished_table: VERSION, game: game.into(), rules: rules.into(), count, turns: Some(0) }
    }

    fn is_same_table(&self, other: &Unfinished) -> bool {
        let of =
            |header: &Unfinished| (header.unfinished_table, header.game.clone(), header.rules.clone(), header.count);
        of(self) == of(other)
    }
}

/// Replaces the file at `path` by `bytes` as they are.
///
/// # Errors
/// If the file cannot be read or written.
pub(crate) fn write(path: &Path, header: &Unfinished, bytes: &[AtomicU8]) -> Result<(), TableError> {
    let written = write_file_with(path, |file| {
        let line = serde_json::to_string(header).expect("plain data") + "\n";
        file.write_all(line.as_bytes())?;
        let mut block = Vec::with_capacity(BLOCK);
        for bytes in bytes.chunks(BLOCK) {
            block.clear();
            block.extend(bytes.iter().map(|byte| byte.load(Relaxed)));
            file.write_all(blake3::hash(&block).as_bytes())?;
            file.write_all(&block)?;
        }
        Ok(())
    });
    written.map_err(TableError::in_file(path))
}

/// Reads the bytes of the table that `asked` names into `bytes`; `None` if there is no file.
///
/// # Errors
/// If the file cannot be read or written, is of another table, or damaged.
pub(crate) fn read(path: &Path, asked: &Unfinished, bytes: &mut [AtomicU8]) -> Result<Option<Unfinished>, TableError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(TableError::in_file(path))?,
    };
    let mut file = BufReader::with_capacity(BLOCK, file);
    let mut line = String::new();
    file.by_ref().take(4096).read_line(&mut line).map_err(TableError::in_file(path))?;
    let found: Unfinished =
        serde_json::from_str(&line).map_err(|error| TableError::for_file(path, format!("line 1: {error}")))?;
    if !found.is_same_table(asked) {
        let text = |header: &Unfinished| serde_json::to_string(header).expect("plain data");
        let reason = format!("it is of {}, asked for is {}; name another file", text(&found), text(asked));
        return Err(TableError::for_file(path, reason));
    }
    let mut block = vec![0; BLOCK];
    for (number, bytes) in bytes.chunks_mut(BLOCK).enumerate() {
        let (mut hash, block) = ([0; blake3::OUT_LEN], &mut block[..bytes.len()]);
        let is_read = file.read_exact(&mut hash).and_then(|()| file.read_exact(block));
        is_read.map_err(|error| TableError::for_file(path, format!("block {number}: {error}")))?;
        if blake3::hash(block) != hash {
            return Err(TableError::for_file(
                path,
                format!("block {number} is damaged: remove the file to begin anew"),
            ));
        }
        for (byte, &read) in bytes.iter_mut().zip(&*block) {
            *byte.get_mut() = read;
        }
    }
    Ok(Some(found))
}
