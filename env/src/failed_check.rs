//! The error of a conformance check.

use crate::{NotationError, PlayError};

/// A conformance check that failed: what differs from what was expected, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FailedCheck(String);

impl FailedCheck {
    /// A failure with this description, one sentence without a full stop.
    pub fn new(description: impl Into<String>) -> Self {
        FailedCheck(description.into())
    }
}

impl From<&str> for FailedCheck {
    fn from(description: &str) -> Self {
        FailedCheck::new(description)
    }
}

impl From<NotationError> for FailedCheck {
    fn from(error: NotationError) -> Self {
        FailedCheck::new(error.to_string())
    }
}

impl From<PlayError> for FailedCheck {
    fn from(error: PlayError) -> Self {
        FailedCheck::new(error.to_string())
    }
}

/// A [`FailedCheck`] with a formatted description.
macro_rules! failed {
    ($($argument:tt)*) => {
        $crate::FailedCheck::new(format!($($argument)*))
    };
}
pub(crate) use failed;
