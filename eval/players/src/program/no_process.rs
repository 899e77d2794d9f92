//! Where there are no process groups: no process is ever started.

use std::convert::Infallible;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::error::{ProgramError, StartError};

/// There is none.
pub struct Process(Infallible);

impl Process {
    /// Rejects.
    ///
    /// # Errors
    /// Always [`StartError::NoProcessGroups`].
    pub fn start(_words: &[String], _folder: Option<&Path>, _stdin: Stdio, _stdout: Stdio) -> Result<Self, StartError> {
        Err(StartError::NoProcessGroups)
    }

    /// Of no process.
    pub fn child(&mut self) -> Option<&mut Child> {
        match self.0 {}
    }

    /// Of no process.
    pub fn end(&self) -> Option<String> {
        match self.0 {}
    }

    /// Of no process.
    pub fn wait(&self, _limit: Duration) -> Option<String> {
        match self.0 {}
    }

    /// Of no process.
    pub fn finish(&mut self) -> Option<Duration> {
        match self.0 {}
    }

    /// Of no process.
    pub fn cpu_time_so_far(&self) -> Option<Duration> {
        match self.0 {}
    }

    /// Of no process.
    pub fn with_last_words<F>(&self, _fault: F) -> ProgramError<F> {
        match self.0 {}
    }
}
