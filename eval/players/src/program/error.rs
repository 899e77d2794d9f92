//! What programs outside do wrong.

use std::fmt;

/// What a program did wrong, and what it wrote last to standard error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramError<F> {
    /// What it did.
    pub fault: F,
    /// Its last lines on standard error, separated by ` | `; `None` if there are none.
    pub last_words: Option<String>,
}

impl<F> From<F> for ProgramError<F> {
    fn from(fault: F) -> Self {
        ProgramError { fault, last_words: None }
    }
}

impl<F: fmt::Display> fmt::Display for ProgramError<F> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.fault)?;
        self.last_words.as_ref().map_or(Ok(()), |words| write!(f, "; its last words: {words}"))
    }
}

impl<F: std::error::Error> std::error::Error for ProgramError<F> {}

/// Why a program does not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The system returns an error.
    #[error("cannot start `{program}`: {reason}")]
    Refused {
        /// First word of the command.
        program: String,
        /// What the system reports.
        reason: String,
    },
    /// The memory that it may use cannot be limited.
    #[error("cannot limit the memory of `{program}` by {variable}: {reason}")]
    Memory {
        /// First word of the command.
        program: String,
        /// The environment variable that asks for the limit.
        variable: &'static str,
        /// Why not.
        reason: String,
    },
    /// The system has no process groups.
    #[error("external programs as players need a Unix system, which can end all child processes")]
    NoProcessGroups,
}
