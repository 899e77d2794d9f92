//! `metrics.jsonl`: one JSON object a line for each event of a run; `docs/metrics.md` lists the keys.

use std::path::Path;

use crate::ExportError;
use crate::events::{Event, Seen};
use crate::files::write_file;
use crate::journal::{Journal, check_events, encoding_error};

/// The open file of a run's metrics, which holds each event at most once.
#[derive(Debug)]
pub struct MetricsFile(Journal);

impl MetricsFile {
    /// Replaces the file at `path` by these events, whatever it held, a torn last line included. The folder must exist.
    ///
    /// # Errors
    /// [`ExportError::NotFinite`] before anything is written, [`ExportError::Write`].
    pub fn rewrite(path: &Path, events: &[Event<'_>]) -> Result<Self, ExportError> {
        let mut seen = Seen::default();
        let events = seen.fresh(events);
        check_events(&events)?;
        write_file(path, &lines_of(path, &events)?)?;
        seen.take(&events);
        Ok(MetricsFile(Journal::open(path, seen)?))
    }

    /// Appends those of `events` that the file does not hold yet; returns how many. Giving all events of the run after
    /// each phase is right.
    ///
    /// # Errors
    /// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`], and the events count as not
    /// written.
    pub fn append(&mut self, events: &[Event<'_>]) -> Result<usize, ExportError> {
        let path = self.0.path().to_owned();
        self.0.append(events, |fresh| lines_of(&path, fresh))
    }
}

fn lines_of(path: &Path, events: &[Event<'_>]) -> Result<Vec<u8>, ExportError> {
    let mut bytes = Vec::new();
    for event in events {
        serde_json::to_writer(&mut bytes, event).map_err(|error| encoding_error(path, error))?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
