//! Checks that every file from which a run resumes is as it was written.

use std::path::Path;

use selfplay_network::checkpoint;
use selfplay_registry::GameRef;
use serde::de::DeserializeOwned;

use crate::config::RunConfig;
use crate::error::RunError;
use crate::phase::{BaselinesReport, GateReport, LearnReport, Phase, SelfPlayReport};
use crate::retention::{CleanedGames, required_networks};
use crate::run_folder::RunFolder;
use crate::self_play::read_games;

/// What was found in a run's folder.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Integrity {
    /// Phase reports, shards and checkpoints that were read to their ends.
    pub read: usize,
    /// What is wrong, a sentence each.
    pub problems: Vec<String>,
}

impl Integrity {
    /// Reads all of the run of `game` by `config`, and looks for what its phase files promise.
    pub fn check(game: GameRef, run: &RunFolder, config: &RunConfig) -> Self {
        let mut found = Integrity::default();
        let missing = run.missing_phases().into_iter();
        found.problems.extend(missing.map(|path| format!("{} is missing", path.display())));
        found.report::<BaselinesReport>(run, 0, Phase::Baselines);
        let cleaned = CleanedGames::read(run);
        let cleaned = cleaned.map_err(|error| found.problems.push(error.to_string())).unwrap_or_default();
        let (present, end) = (run.generations_present(), run.generation_count());
        let stray = present.range(end..).map(|generation| {
            format!("files of generation {generation}: the run ends before generation {end}; move them away")
        });
        found.problems.extend(stray);
        // A damaged report is named below.
        let required = required_networks(run, config).unwrap_or_default();
        let missing = required.iter().filter_map(|network| network.check(run).err());
        found.problems.extend(missing.map(|error| error.to_string()));
        for &generation in present.range(..end) {
            let selfplay = found.report::<SelfPlayReport>(run, generation, Phase::SelfPlay);
            found.report::<LearnReport>(run, generation, Phase::Learn);
            found.report::<GateReport>(run, generation, Phase::Gate);
            if let Some(report) = selfplay.filter(|_| generation > cleaned.last()) {
                found.note(read_games(run, generation, &report.summary).map(|_| ()));
            }
            if run.network(generation).exists() {
                found.note(run.own_network(generation).and_then(|folder| read_network(game, &folder)));
            }
        }
        found
    }

    fn report<T: DeserializeOwned>(&mut self, run: &RunFolder, generation: u32, phase: Phase) -> Option<T> {
        let report = run.completed(generation, phase).transpose()?;
        self.note(report)
    }

    fn note<T>(&mut self, read: Result<T, RunError>) -> Option<T> {
        self.read += 1;
        read.map_err(|error| self.problems.push(error.to_string())).ok()
    }
}

fn read_network(game: GameRef, folder: &Path) -> Result<(), RunError> {
    checkpoint::load_weights(folder, game.shape())?;
    if checkpoint::has_training_state(folder)? {
        checkpoint::load_training_state(folder, game.shape())?;
    }
    Ok(())
}
