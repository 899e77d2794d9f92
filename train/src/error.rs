//! What can go wrong between self-play and the learner.

use std::io;
use std::path::PathBuf;

use crate::record::ShardHeader;

/// An error of records, shards, replay or self-play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file in a shard's place is none.
    #[error("{}: damaged, or not a file of game records; move it away to continue", path.display())]
    NotAShard {
        /// The file.
        path: PathBuf,
    },
    /// A shard of another run.
    #[error("{}: games of {found}, expected {expected}", path.display())]
    ForeignShard {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        expected: Box<ShardHeader>,
        /// What is in it.
        found: Box<ShardHeader>,
    },
    /// A record that the rules do not allow.
    #[error("{}: game {game_number} does not agree with the rules of {game}", path.display())]
    ImpossibleRecord {
        /// The shard.
        path: PathBuf,
        /// Number of the game within its generation.
        game_number: u32,
        /// Id of the game.
        game: &'static str,
    },
    /// There is nothing to learn from.
    #[error("the replay window is empty; play games first")]
    EmptyReplay,
}
