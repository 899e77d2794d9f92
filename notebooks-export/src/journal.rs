//! A file that events are appended to, each at most once and whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use selfplay_storage::{AppendFile, Care};

use crate::ExportError;
use crate::events::{Event, Seen};

/// An open file and the events in it.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: AppendFile,
    seen: Seen,
}

impl Journal {
    /// Opens the file at `path`, which holds the events of `seen` and nothing torn.
    pub(crate) fn open(path: &Path, seen: Seen) -> Result<Self, ExportError> {
        let opened = AppendFile::resume(path, &[], Care::None);
        let (file, _) = opened.map_err(|source| ExportError::Write { path: path.to_owned(), source })?;
        Ok(Journal { path: path.to_owned(), file, seen })
    }

    /// Appends those of `events` that the file does not hold, as `encode` puts them; returns how many.
    ///
    /// # Errors
    /// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`] with the file as it was, as far as
    /// the system allows.
    pub(crate) fn append(
        &mut self,
        events: &[Event<'_>],
        encode: impl FnOnce(&[Event<'_>]) -> Result<Vec<u8>, ExportError>,
    ) -> Result<usize, ExportError> {
        let fresh = self.seen.fresh(events);
        if fresh.is_empty() {
            return Ok(0);
        }
        check_events(&fresh)?;
        let bytes = encode(&fresh)?;
        self.file.append(&bytes).map_err(|source| ExportError::Write { path: self.path.clone(), source })?;
        self.seen.take(&fresh);
        Ok(fresh.len())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Checks that every number of `events` is finite; the row that an error names is the event's number, from 1.
pub(crate) fn check_events(events: &[Event<'_>]) -> Result<(), ExportError> {
    for (index, event) in events.iter().enumerate() {
        if let Some((table, column, value)) = event.not_finite() {
            return Err(ExportError::NotFinite { table, row: index + 1, column, value });
        }
    }
    Ok(())
}

/// The reason why an event could not be put into the file at `path`.
pub(crate) fn encoding_error(path: &Path, reason: impl Into<io::Error>) -> ExportError {
    ExportError::Write { path: path.to_owned(), source: reason.into() }
}
