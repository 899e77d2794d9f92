//! What can go wrong between naming a player and its last move.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use selfplay_config::InvalidKey;
use selfplay_env::PlayError;

/// A file cannot be read or written, or does not hold what it should.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {reason}", path.display(), line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct FileError {
    path: PathBuf,
    line: Option<usize>,
    reason: String,
}

impl FileError {
    /// About a whole file: what the system reports, or what is wrong.
    pub fn new(path: &Path, reason: impl Display) -> Self {
        FileError { path: path.to_owned(), line: None, reason: reason.to_string() }
    }

    /// About one line of a file, counted from 1.
    pub fn at_line(path: &Path, line: usize, reason: impl Display) -> Self {
        FileError { path: path.to_owned(), line: Some(line), reason: reason.to_string() }
    }
}

/// Why players cannot be made or do not decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A player's specification cannot be understood.
    #[error("player `{spec}`: {reason}")]
    Spec {
        /// The whole specification.
        spec: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A checkpoint cannot be used.
    #[error("checkpoint `{checkpoint}`: {source}")]
    Checkpoint {
        /// As the player's specification names it.
        checkpoint: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A table of a game.
    #[error(transparent)]
    Table(#[from] selfplay_tablebase::TableError),
    /// A key of a configuration holds what it must not.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// A player was asked for a move after the end of the game.
    #[error("{player}, table {table}: the game is over")]
    GameOver {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
    },
    /// A player made a move that the rules forbid.
    #[error("{player}, table {table}, move {move_number}: {source}")]
    IllegalMove {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
        /// Number of the move in its game, counted from 1.
        move_number: usize,
        /// The rule it breaks.
        source: PlayError,
    },
    /// A player, such as a program outside, gave no move.
    #[error("{player}, table {table}: {reason}")]
    PlayerFailed {
        /// Name of the player.
        player: String,
        /// The game in flight.
        table: usize,
        /// What happened.
        reason: String,
    },
    /// A player that does not know the game.
    #[error("player `{player}` does not play {game}: it plays {games}")]
    WrongGame {
        /// Kind of player.
        player: String,
        /// Id of the game it was asked for.
        game: &'static str,
        /// Ids of the games it plays.
        games: String,
    },
    /// The command of a program outside cannot be understood.
    #[error("program `{command}`: expected {expected}")]
    BadCommand {
        /// As it was given.
        command: String,
        /// What would be right.
        expected: &'static str,
    },
}

impl EvalError {
    /// About a player's specification.
    pub fn for_spec(spec: &str, reason: impl Display) -> Self {
        EvalError::Spec { spec: spec.to_owned(), reason: reason.to_string() }
    }
}
