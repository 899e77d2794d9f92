//! What can go wrong in matches, their files and the gate.

use std::fmt::Display;
use std::path::Path;

use selfplay_config::InvalidKey;
use selfplay_players::{EvalError, FileError};

/// Why matches cannot be played, or their results not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// A player cannot be made, or does not decide.
    #[error(transparent)]
    Player(#[from] EvalError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key of a configuration holds what it must not.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// Games that are played on other machines do not arrive.
    #[error("no games received from workers: {reason}")]
    Remote {
        /// Why.
        reason: String,
    },
    /// Random openings of this length do not exist or are too rare to find.
    #[error("{game}: no opening of {plies} plies found: games end or are decided earlier")]
    NoOpening {
        /// Id of the game.
        game: &'static str,
        /// Length asked for.
        plies: usize,
    },
    /// The threads that would play a match cannot be started.
    #[error("cannot start threads for the match: {source}")]
    NoThreads {
        /// What the system reports.
        source: rayon::ThreadPoolBuildError,
    },
    /// These players cannot play a tournament.
    #[error("tournament of {}: expected {expected}", players.join(", "))]
    BadField {
        /// Names of the players.
        players: Vec<String>,
        /// What would be right.
        expected: &'static str,
    },
    /// Two ladder records that cannot be compared.
    #[error(
        "the candidate's ladder ({}) is not the champion's ({}): play the champion against the new ladder first",
        candidate.join("; "),
        champion.join("; ")
    )]
    LadderChanged {
        /// Rungs of the candidate's record.
        candidate: Vec<String>,
        /// Rungs of the champion's record.
        champion: Vec<String>,
    },
}

impl ArenaError {
    /// About a whole file.
    pub(crate) fn for_file(path: &Path, reason: impl Display) -> Self {
        FileError::new(path, reason).into()
    }

    /// About one line of a file, counted from 1.
    pub(crate) fn for_line(path: &Path, line: usize, reason: impl Display) -> Self {
        FileError::at_line(path, line, reason).into()
    }
}
