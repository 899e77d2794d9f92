//! Why a game against a person or a program cannot continue.

use std::io;

use selfplay_config::InvalidKey;
use selfplay_players::EvalError;

/// What can go wrong at the board, apart from a person's own slips, which are explained and asked again.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The other end cannot be read from or written to.
    #[error("standard input or output failed: {0}")]
    Io(#[from] io::Error),
    /// The player failed to choose, or chose what the rules forbid.
    #[error("the game stopped: {0}")]
    Player(#[from] EvalError),
    /// A config does not hold together.
    #[error(transparent)]
    Config(#[from] InvalidKey),
}
