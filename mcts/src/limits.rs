//! When a search ends.

use selfplay_config::{InvalidKey, check};
use serde::{Deserialize, Serialize};

use crate::cancel::CancelToken;

/// What ends a search; whichever limit is reached first counts.
///
/// ```
/// use selfplay_mcts::Limits;
///
/// let limits = Limits { time_ms: Some(500), ..Limits::simulations(800) };
/// assert!(limits.validate().is_ok());
/// assert!(Limits::default().validate().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Simulations of this move, never exceeded. With this limit alone a search is deterministic.
    pub simulations: Option<u32>,
    /// Wall-clock time of this move in milliseconds. A batch is evaluated only if, by what the batches before it took,
    /// it ends in time; the first, a single leaf, always is.
    pub time_ms: Option<u64>,
    /// CPU time in milliseconds, of all threads of this process together; kept like `time_ms`.
    pub cpu_time_ms: Option<u64>,
    /// Ends the search from another thread. It is no setting: files and specifications do not hold it.
    #[serde(skip)]
    pub cancel: Option<CancelToken>,
}

impl Limits {
    /// Exactly this many simulations (fewer where the position is decided earlier).
    pub fn simulations(simulations: u32) -> Self {
        Limits { simulations: Some(simulations), ..Limits::default() }
    }

    /// Whether simulations or time are limited.
    pub fn is_bounded(&self) -> bool {
        self.simulations.is_some() || self.time_ms.is_some() || self.cpu_time_ms.is_some()
    }

    /// Checks that simulations or time are limited and that no limit is zero.
    ///
    /// # Errors
    /// The key that is zero, or the first if all are absent.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let state = "absent like `time_ms` and `cpu_time_ms`";
        check(self.is_bounded(), "simulations", state, "at least one of the three")?;
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
        let error = Limits::default().validate().unwrap_err().to_string();
        assert!(error.ends_with("`time_ms` and `cpu_time_ms`: expected at least one of the three"), "{error}");
        assert_eq!(Limits::simulations(1).validate(), Ok(()));
        let unbounded = Limits { cancel: Some(CancelToken::new()), ..Limits::default() };
        assert!(unbounded.validate().is_err());
        let error = Limits { time_ms: Some(0), ..Limits::simulations(5) }.validate().unwrap_err();
        assert_eq!(error.to_string(), "`time_ms` is 0: expected at least 1");
    }
}
