//! Files line by line, and what is said about a line.

use crate::error::ArenaError;
use std::fmt::Display;
use std::path::Path;

/// A line without its end.
pub(super) struct FileLine<'a> {
    /// Counted from 1.
    pub number: usize,
    pub text: &'a [u8],
    /// Whether the file ends before the line does, as a write that was cut off leaves it.
    pub is_open: bool,
}

impl FileLine<'_> {
    pub fn error(&self, path: &Path, reason: impl Display) -> ArenaError {
        ArenaError::for_line(path, self.number, reason)
    }
}

/// All lines of a file.
pub(super) fn lines_of(bytes: &[u8]) -> impl Iterator<Item = FileLine<'_>> {
    bytes.split_inclusive(|&byte| byte == b'\n').enumerate().map(|(index, line)| {
        let text = line.strip_suffix(b"\n");
        FileLine { number: index + 1, text: text.unwrap_or(line), is_open: text.is_none() }
    })
}
