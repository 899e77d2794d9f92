//! A run as dashboards show it: from its tables, its phase files and what it says of itself, read anew when they change.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use selfplay_frontends::serve::{RunPage, RunPageError, RunPicture, RunSnapshot};
use selfplay_notebooks_export::{ReportRows, RunRows, RunState, RunView, SelfPlayRow, WorkerView, table_path};
use selfplay_registry::Games;

use crate::error::CliError;
use selfplay_pipeline::config::RunConfig;
use selfplay_pipeline::doctor::{DiagnosisInput, diagnose, diagnostics_of, generations_of};
use selfplay_pipeline::live::Live;
use selfplay_pipeline::run_folder::{RunFolder, folder_name};

/// The pictures that training leaves in the run's folder: file, title, what they show.
const PICTURES: [[&str; 3]; 3] = [
    ["elo_cpu_hours", "Elo against CPU time", "Elo of each generation with its 95 % interval, the baselines as lines"],
    ["elo_games", "Elo against games", "Elo of each generation by self-play games, the baselines as lines"],
    ["losses", "Losses", "Policy, value and auxiliary losses by training step"],
];

/// Looks at a run again and again.
#[derive(Debug)]
pub struct RunViewer {
    run: RunFolder,
    config: RunConfig,
    /// When the tables were written that `view` was made from.
    tables_of: Option<SystemTime>,
    view: RunView,
}

impl RunViewer {
    /// For the run in `folder`.
    ///
    /// # Errors
    /// If there is none, or its config cannot be read.
    pub fn new(folder: &Path, games: &Games) -> Result<Self, CliError> {
        let run = RunFolder::open(folder)?;
        let config = run.config(games)?;
        let view = RunView {
            run: folder_name(folder),
            game: games.find(&config.game)?.title().to_owned(),
            last_generation: Some(config.generations),
            ..RunView::default()
        };
        Ok(RunViewer { run, config, tables_of: None, view })
    }

    /// The run as it stands now.
    ///
    /// # Errors
    /// If a phase file is damaged.
    pub fn look(&mut self) -> Result<&RunView, CliError> {
        let folder = self.run.path();
        let written = modified(&table_path::<SelfPlayRow>(folder));
        if written != self.tables_of {
            self.view = self.read()?;
            self.tables_of = written;
        }
        let live = Live::read(self.run.path());
        let is_running = self.run.is_in_use();
        let said = live.as_ref().map_or(0, |live| live.unix_seconds);
        let since_unix_seconds = said.max(self.tables_of.map_or(0, unix_seconds));
        let is_finished = self.view.rows.elo.iter().any(|row| row.generation == Some(self.config.generations));
        self.view.state = match (is_running, is_finished) {
            (true, _) => RunState::Running,
            (false, true) => RunState::Finished { since_unix_seconds },
            (false, false) => RunState::Stopped { since_unix_seconds },
        };
        self.view.phase = live.and_then(|live| live.phase).filter(|_| is_running);
        self.view.workers = if is_running { workers(self.run.path()) } else { Vec::new() };
        Ok(&self.view)
    }

    /// All that changes with the tables.
    fn read(&self) -> Result<RunView, CliError> {
        let folder = self.run.path();
        // A table that is being replaced is whole; one that is damaged shows what is left of it.
        let (ReportRows { selfplay, losses, matches, elo, .. }, _) = ReportRows::read_lenient(folder);
        let generations = generations_of(&self.run)?;
        let circumstances = DiagnosisInput::for_run(&self.run, &self.config);
        let diagnostics = diagnostics_of(&generations, circumstances);
        let cpu_share = generations.last().map(|newest| {
            let learn = newest.learn.as_ref().map(|learn| learn.time).unwrap_or_default();
            let time = newest.selfplay.time;
            let cores = (time.wall_seconds + learn.wall_seconds) * circumstances.threads as f64;
            if cores > 0.0 { ((time.cpu_seconds + learn.cpu_seconds) / cores).min(1.0) } else { 0.0 }
        });
        let positions: u64 = selfplay.iter().map(|row| row.positions).sum();
        let replay_generations = losses
            .last()
            .filter(|_| positions > 0)
            .map(|newest| newest.replay_positions as f64 * selfplay.len() as f64 / positions as f64);
        Ok(RunView {
            rows: RunRows { selfplay, losses, matches, elo, diagnostics },
            diagnostics: diagnose(&generations, circumstances).iter().map(ToString::to_string).collect(),
            cpu_share,
            replay_generations,
            ..self.view.clone()
        })
    }

    fn picture(&self, name: &str) -> PathBuf {
        self.run.path().join(format!("{name}.svg"))
    }
}

impl RunPage for RunViewer {
    fn snapshot(&mut self) -> Result<RunSnapshot, RunPageError> {
        let status = self.look().map_err(RunPageError::new)?.status();
        let pictures = PICTURES.iter().filter_map(|[name, title, description]| {
            let version = unix_seconds(modified(&self.picture(name))?);
            Some(RunPicture {
                name: (*name).into(),
                title: (*title).into(),
                description: (*description).into(),
                version,
            })
        });
        Ok(RunSnapshot {
            status: serde_json::to_value(status).map_err(RunPageError::new)?,
            pictures: pictures.collect(),
        })
    }

    fn svg(&mut self, name: &str) -> Result<String, RunPageError> {
        let path = self.picture(name);
        fs::read_to_string(&path).map_err(CliError::io(&path)).map_err(RunPageError::new)
    }
}

/// The machines that play for the run.
#[cfg(feature = "cluster")]
fn workers(run: &Path) -> Vec<WorkerView> {
    selfplay_cluster::worker_registry::WorkerRegistry::read(run)
}

#[cfg(not(feature = "cluster"))]
fn workers(_run: &Path) -> Vec<WorkerView> {
    Vec::new()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|file| file.modified()).ok()
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
