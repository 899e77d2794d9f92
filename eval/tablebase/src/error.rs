//! What goes wrong with tables.

use std::io;
use std::path::{Path, PathBuf};

/// Why a table is not made or not read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The values do not fit the memory that may be used.
    #[error(
        "the values of {game} take {needed_mib} MiB while the table is made, and {allowed_mib} are allowed: allow more with --memory"
    )]
    Memory {
        /// Game and rules.
        game: String,
        /// What is needed, in MiB.
        needed_mib: u64,
        /// What may be used, in MiB.
        allowed_mib: u64,
    },
    /// A game takes longer than the bytes of a table can tell.
    #[error("{game}: a position needs more than {most} turns to the end, the limit of a tablebase")]
    TooLong {
        /// Game and rules.
        game: String,
        /// What they tell at most.
        most: u8,
    },
    /// A file cannot be read or written, or holds something else.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl TableError {
    pub(crate) fn for_file(path: &Path, reason: impl ToString) -> Self {
        TableError::File { path: path.into(), reason: reason.to_string() }
    }

    pub(crate) fn in_file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| TableError::File { path, reason: error.to_string() }
    }
}
