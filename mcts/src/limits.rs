//! When a search ends.

use serde::{Deserialize, Serialize};

use crate::error::{SearchError, check};

/// What ends a search; whichever limit is reached first counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Simulations of this move, never exceeded. With this limit alone a search is deterministic.
    pub simulations: Option<u32>,
    /// Wall-clock time of this move in milliseconds. A batch is evaluated only if, by what the batches before it took,
    /// it ends in time; the first, a single leaf, always is.
    pub time_ms: Option<u64>,
    /// CPU time in milliseconds, of all threads of this process together; kept like `time_ms`.
    pub cpu_time_ms: Option<u64>,
}

impl Limits {
    /// Exactly this many simulations (fewer where the position is decided earlier).
    pub fn simulations(simulations: u32) -> Self {
        Limits { simulations: Some(simulations), ..Limits::default() }
    }

    /// Checks that some limit is set and that none is zero.
    ///
    /// # Errors
    /// [`SearchError::NoLimit`] or [`SearchError::OutOfRange`] with the key that is zero.
    pub fn validate(&self) -> Result<(), SearchError> {
        if *self == Limits::default() {
            return Err(SearchError::NoLimit);
        }
        check(self.simulations != Some(0), "simulations", 0, "at least 1")?;
        check(self.time_ms != Some(0), "time_ms", 0, "at least 1")?;
        check(self.cpu_time_ms != Some(0), "cpu_time_ms", 0, "at least 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_demanded_and_zero_is_refused() {
        assert_eq!(Limits::default().validate(), Err(SearchError::NoLimit));
        assert_eq!(Limits::simulations(1).validate(), Ok(()));
        let error = Limits { time_ms: Some(0), ..Limits::simulations(5) }.validate().unwrap_err();
        assert_eq!(error.to_string(), "`time_ms` is 0: expected at least 1");
    }
}
