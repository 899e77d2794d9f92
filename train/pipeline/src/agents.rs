//! Opens trained agents for players: a checkpoint folder, or a run folder, which stands for its champion.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use selfplay_env::Rules;
use selfplay_mcts::Network;
use selfplay_network::checkpoint::{MANIFEST_FILE, load_weights};
use selfplay_network::{DeviceKind, Precision};
use selfplay_players::{EvalError, NetworkSource, PlayerKinds, RELEASED_CHECKPOINT};

use crate::config::RunConfig;
use crate::error::RunError;
use crate::machine::Machine;
use crate::nearby::did_you_mean_file;
use crate::resources::released;
use crate::run_folder::RunFolder;

/// Positions that a player is best asked about together, where many wait: a batch that keeps a CPU busy.
pub const POSITIONS_AT_ONCE: usize = 128;

/// Opens checkpoints on one device, each once.
pub struct Agents {
    /// Where and by what networks are computed.
    machine: Machine,
    /// What they are computed in on the CPU, unless a specification says otherwise.
    precision: Precision,
    /// Threads that share out the batches of an agent: all where a single game is played, one where games are played
    /// side by side.
    threads: usize,
    opened: Mutex<HashMap<(PathBuf, Precision), Box<dyn Network>>>,
}

impl Agents {
    /// For a single game on all threads.
    pub fn for_one_game(machine: Machine) -> Self {
        Agents::new(machine, Precision::fastest(), machine.threads)
    }

    /// For games played side by side.
    pub fn for_many_games(machine: Machine) -> Self {
        Agents::new(machine, Precision::fastest(), 1)
    }

    /// As the run of `config` computes.
    pub fn for_run(config: &RunConfig, machine: Machine) -> Self {
        Agents::new(machine, config.precision.resolve(), 1)
    }

    fn new(machine: Machine, precision: Precision, threads: usize) -> Self {
        Agents { machine, precision, threads, opened: Mutex::default() }
    }

    /// An evaluator over the agent at `path`, computed in `precision` or the default; a copy if it was opened before.
    fn evaluator(&self, rules: &dyn Rules, path: &Path, precision: Option<&str>) -> Result<Box<dyn Network>, RunError> {
        let precision = precision.map_or(Ok(self.precision), str::parse)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(evaluator) = opened.get(&(path.into(), precision)) {
            return Ok(evaluator.clone_box());
        }
        let (weights, _) = load_weights(&agent_of(path, rules.id())?, rules.shape())?;
        let evaluator = self.machine.backend.evaluator(rules, &weights, self.machine.device, precision)?;
        opened.insert((path.into(), precision), evaluator.clone_box());
        Ok(evaluator)
    }
}

impl NetworkSource for Agents {
    fn open(
        &self,
        rules: &dyn Rules,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError> {
        match self.evaluator(rules, Path::new(checkpoint), precision) {
            Ok(evaluator) => {
                // Other devices want whole batches, and spread them themselves.
                let shares = if self.machine.device == DeviceKind::Cpu { self.threads } else { 1 };
                Ok((0..shares).map(|_| evaluator.clone_box()).collect())
            }
            Err(error) => Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: Box::new(error) }),
        }
    }
}

/// The checkpoint folder that `path` stands for: that of the game's agent that comes with the program, if it is the word for
/// it, or else as [`checkpoint_of`] says.
///
/// # Errors
/// If the program has no such agent, or those of [`checkpoint_of`].
pub fn agent_of(path: &Path, game: &str) -> Result<PathBuf, RunError> {
    if path == Path::new(RELEASED_CHECKPOINT) {
        return released(game).ok_or_else(|| RunError::NoReleased { game: game.to_owned() });
    }
    checkpoint_of(path)
}

/// The checkpoint folder that `path` stands for: itself, or the champion of a run folder.
///
/// # Errors
/// If `path` is a run without a champion, or neither a run nor a checkpoint.
pub fn checkpoint_of(path: &Path) -> Result<PathBuf, RunError> {
    // A checkpoint first: a released agent has its run's config next to it.
    if path.join(MANIFEST_FILE).is_file() {
        return Ok(path.into());
    }
    let run = RunFolder::open(path).map_err(|_| RunError::NoAgent { path: path.into(), meant: meant(path) })?;
    match run.champion()? {
        Some(generation) => run.own_network(generation),
        None => Err(RunError::NoChampion { path: path.into() }),
    }
}

/// What was probably meant by a path where there is nothing, as a question: a player without files, or a file nearby.
fn meant(path: &Path) -> String {
    if path.exists() {
        return String::new();
    }
    let kind = path.to_str().map_or(String::new(), |path| PlayerKinds::built_in().did_you_mean(path));
    if kind.is_empty() { did_you_mean_file(path) } else { kind }
}
