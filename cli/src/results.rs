//! What a run shows for itself: tables and plots after each generation, and the words that end it.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use selfplay_eval::statistics::ratings::PRIOR;
use selfplay_notebooks_export::{EloRow, PlayerRole, ReportRows, RunRows, write_report};

use crate::doctor::{Circumstances, remarks_of};
use crate::error::CliError;
use crate::rows::{Damage, collect_rows};
use crate::telemetry::Telemetry;
use crate::training::Training;

/// Tables may take one part in so many of a run's time.
const LEAST_PAUSE: u32 = 10;

/// What [`RunOutput::write`] made.
pub struct Results {
    /// The tables and plots.
    pub files: Vec<PathBuf>,
    /// The ratings in them.
    pub elo: Vec<EloRow>,
    /// Players without a rating, each with the reason.
    pub unrated: Vec<String>,
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
    pub fn keep_up(&mut self, training: &Training) -> Result<(), CliError> {
        if self.written.is_none_or(|(at, took)| at.elapsed() >= LEAST_PAUSE * took) {
            self.write(training)?;
        }
        Ok(())
    }

    /// Writes all tables, plots and events of the run as far as it is done.
    ///
    /// # Errors
    /// If a phase file is damaged or a file refuses.
    pub fn write(&mut self, training: &Training) -> Result<Results, CliError> {
        let start = Instant::now();
        let Training { run, config, .. } = training;
        let collected = collect_rows(run, config, Damage::Refuse)?;
        let files = write_report(run.path(), &collected.rows)?;
        let remarks = remarks_of(&collected.generations, Circumstances::of(run, config));
        let ReportRows { selfplay, losses, matches, elo, .. } = collected.rows;
        let events = RunRows { selfplay, losses, matches, elo, remarks };
        match &mut self.telemetry {
            Some(telemetry) => telemetry.update(run, &events)?,
            None => self.telemetry = Some(Telemetry::begin(run, &events)?),
        }
        self.written = Some((Instant::now(), start.elapsed()));
        Ok(Results { files, elo: events.elo, unrated: collected.unrated })
    }
}

/// Says where everything is and how to play the champion.
///
/// # Errors
/// If the champion file is damaged or the output refuses.
pub fn print_ending(training: &Training, results: &Results, out: &mut dyn Write) -> Result<(), CliError> {
    let Training { run, config, .. } = training;
    let Some(champion) = run.champion()? else { return Ok(()) };
    writeln!(out, "\nElo by maximum likelihood over all matches of the run, random = 0, prior: {PRIOR}")?;
    for row in results.elo.iter().filter(|row| row.role == PlayerRole::Baseline || row.generation == Some(champion)) {
        writeln!(out, "{:<24} Elo {:>6.0}  ({:.0} to {:.0})", row.player, row.elo, row.elo_low, row.elo_high)?;
    }
    for player in &results.unrated {
        writeln!(out, "not rated  {player}")?;
    }
    writeln!(out, "champion   {}", run.network(champion).display())?;
    let named = |ending: &str| -> Vec<String> {
        results.files.iter().map(|path| path.display().to_string()).filter(|path| path.ends_with(ending)).collect()
    };
    writeln!(out, "tables     {}", named(".csv").join("\n           "))?;
    writeln!(out, "plots      {}", named(".png").join("\n           "))?;
    let limit = match (config.gate.simulations, config.gate.time_ms) {
        (Some(simulations), _) => format!(",simulations={simulations}"),
        (None, Some(ms)) => format!(",time={ms}ms"),
        (None, None) => String::new(),
    };
    let spec = quoted(format!("search:checkpoint={}{limit}", run.path().display()));
    writeln!(out, "play it    {} play {} {spec}", program(), config.game)?;
    Ok(())
}

/// The word as a shell takes it.
fn quoted(word: String) -> String {
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "-_.:=,/".contains(c));
    if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// How the user called this program.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "selfplay".into())
}
