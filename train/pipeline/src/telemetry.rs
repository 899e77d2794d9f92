//! A run's events for other programs, written as it goes: `metrics.jsonl` and TensorBoard's files in `tensorboard/`.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use selfplay_notebooks_export::{Event, MetricsFile, RunRows, TensorBoardFile};

use crate::error::RunError;
use crate::phase::Phase;
use crate::run_folder::RunFolder;

const METRICS_FILE: &str = "metrics.jsonl";
const TENSORBOARD_FOLDER: &str = "tensorboard";

/// The open files.
#[derive(Debug)]
pub struct Telemetry {
    metrics: MetricsFile,
    tensorboard: TensorBoardFile,
}

impl Telemetry {
    /// Writes what has happened so far, whatever the files held: a call that was killed may have left half an event.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn begin(run: &RunFolder, rows: &RunRows) -> Result<Self, RunError> {
        let events = rows.events();
        let time = |event: &Event<'_>| unix_seconds(run, event);
        Ok(Telemetry {
            metrics: MetricsFile::rewrite(&run.path().join(METRICS_FILE), &events)?,
            tensorboard: TensorBoardFile::rewrite(&run.path().join(TENSORBOARD_FOLDER), &events, &time)?,
        })
    }

    /// Adds what has happened since.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn update(&mut self, run: &RunFolder, rows: &RunRows) -> Result<(), RunError> {
        let events = rows.events();
        self.metrics.append(&events)?;
        self.tensorboard.append(&events, &|event: &Event<'_>| unix_seconds(run, event))?;
        Ok(())
    }
}

/// When the phase that the event belongs to was complete, in seconds since 1970.
fn unix_seconds(run: &RunFolder, event: &Event<'_>) -> f64 {
    let phase = match event {
        Event::SelfPlay(_) => Phase::SelfPlay,
        Event::Learning(_) => Phase::Learn,
        Event::Match { row, .. } if row.verdict.is_none() => Phase::Baselines,
        Event::Match { .. } | Event::Rating(_) | Event::Diagnostic(_) => Phase::Gate,
    };
    let written = fs::metadata(run.phase_path(event.generation(), phase)).and_then(|file| file.modified());
    written.unwrap_or_else(|_| SystemTime::now()).duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}
