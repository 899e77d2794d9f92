//! What can be wrong with the configuration of a search.

/// A configuration that no search can run with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// A number is out of its range.
    #[error("`{key}` is {value}: expected {expected}")]
    OutOfRange {
        /// Name of the key.
        key: &'static str,
        /// What it holds.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// Nothing would ever end the search.
    #[error("no limit is set: expected at least one of `simulations`, `time_ms` and `cpu_time_ms`")]
    NoLimit,
}

/// [`SearchError::OutOfRange`] unless `is_allowed`.
pub(crate) fn check(
    is_allowed: bool,
    key: &'static str,
    value: impl Into<f64>,
    expected: &'static str,
) -> Result<(), SearchError> {
    if is_allowed { Ok(()) } else { Err(SearchError::OutOfRange { key, value: value.into(), expected }) }
}
