//! What a run shows for itself: tables and plots after each generation, and the words that end it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use selfplay_notebooks_export::{EloRow, ReportRows, RunRows, champion_reason, write_report};
use selfplay_ratings::Unrated;

use crate::doctor::{DiagnosisInput, diagnostics_of};
use crate::error::RunError;
use crate::rows::{Damage, collect_rows};
use crate::telemetry::Telemetry;
use crate::training::Training;

/// Tables may take one part in so many of a run's time.
const MIN_PAUSE: u32 = 10;

/// What [`RunOutput::write`] made.
pub struct Results {
    /// The tables and plots.
    pub files: Vec<PathBuf>,
    /// The ratings in them.
    pub elo: Vec<EloRow>,
    /// Players without a rating.
    pub unrated: Option<Unrated>,
    /// Why the champion is the champion, a sentence; `None` before the first gate.
    pub champion_reason: Option<String>,
}

/// Writes what a run shows, in one call of the program.
#[derive(Debug, Default)]
pub struct RunOutput {
    telemetry: Option<Telemetry>,
    /// When it was written last, and how long that took.
    written: Option<(Instant, Duration)>,
}

impl RunOutput {
    /// Writes the newest numbers, unless the last ones were written a short while ago: ratings of many generations take
    /// longer than a quick generation.
    ///
    /// # Errors
    /// Those of [`RunOutput::write`].
    pub fn keep_up(&mut self, training: &Training<'_>) -> Result<(), RunError> {
        if self.written.is_none_or(|(at, took)| at.elapsed() >= MIN_PAUSE * took) {
            self.write(training)?;
        }
        Ok(())
    }

    /// Writes all tables, plots and events of the run as far as it is done.
    ///
    /// # Errors
    /// If a phase file is damaged or a file cannot be read or written.
    pub fn write(&mut self, training: &Training<'_>) -> Result<Results, RunError> {
        let start = Instant::now();
        let Training { run, config, .. } = training;
        let collected = collect_rows(run, config, Damage::Refuse)?;
        let files = write_report(run.path(), &collected.rows)?;
        let diagnostics = diagnostics_of(&collected.generations, DiagnosisInput::for_run(run, config));
        let ReportRows { selfplay, losses, matches, elo, generations, .. } = collected.rows;
        let champion_reason = run.champion()?.map(|champion| champion_reason(champion, &elo, &generations));
        let events = RunRows { selfplay, losses, matches, elo, diagnostics };
        match &mut self.telemetry {
            Some(telemetry) => telemetry.update(run, &events)?,
            None => self.telemetry = Some(Telemetry::begin(run, &events)?),
        }
        self.written = Some((Instant::now(), start.elapsed()));
        Ok(Results { files, elo: events.elo, unrated: collected.unrated, champion_reason })
    }
}
