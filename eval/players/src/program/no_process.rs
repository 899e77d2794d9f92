//! Where there are no process groups: no process is ever started.

use std::convert::Infallible;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// There is none.
pub struct Process(Infallible);

impl Process {
    /// Refuses.
    pub fn start(_words: &[String], _folder: Option<&Path>, _stdin: Stdio, _stdout: Stdio) -> Result<Self, String> {
        Err("programs as players need a Unix system: nothing else ends all that a program has started".into())
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
    pub fn with_last_words(&self, _reason: &str) -> String {
        match self.0 {}
    }
}
