//! Why players cannot be rated.

use selfplay_config::InvalidKey;

/// Why players cannot be rated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RatingError {
    /// A key of a configuration has a value that it must not have.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// The results do not determine the ratings.
    #[error("{0}")]
    Unrated(String),
}
