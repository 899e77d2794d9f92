//! Why a game against a person or a program cannot go on.

use std::io;

use selfplay_eval::EvalError;

/// What can go wrong at the board, apart from a person's own slips, which are explained and asked again.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The other end cannot be read from or written to.
    #[error("the connection to the player at the board failed: {0}")]
    Io(#[from] io::Error),
    /// The player failed to choose, or chose what the rules forbid.
    #[error("the game cannot go on: {0}")]
    Player(#[from] EvalError),
    /// A config does not hold together.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// A number in a config that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is {value}: expected {expected}")]
pub struct ConfigError {
    /// The key.
    pub key: &'static str,
    /// What it holds.
    pub value: u64,
    /// What would be right.
    pub expected: &'static str,
}

/// Checks a number of a config.
///
/// # Errors
/// [`ConfigError`] unless `is_allowed`.
pub fn check(is_allowed: bool, key: &'static str, value: u64, expected: &'static str) -> Result<(), ConfigError> {
    if is_allowed { Ok(()) } else { Err(ConfigError { key, value, expected }) }
}
