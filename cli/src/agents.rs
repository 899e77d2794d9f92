//! Opens trained agents for players: a checkpoint folder, or a run folder, which stands for its champion.

use std::path::{Path, PathBuf};

use selfplay_env::PlayableGame;
use selfplay_eval::{EvalError, EvaluatorSource};
use selfplay_mcts::{Evaluator, SplitEvaluator};
use selfplay_network::checkpoint::{MANIFEST_FILE, load_network};
use selfplay_network::{DeviceKind, NetworkEvaluator, Precision};

use crate::args::MachineArgs;
use crate::error::CliError;
use crate::run_folder::RunFolder;
use crate::training::Training;

/// Opens checkpoints on one device.
#[derive(Clone, Copy, Debug)]
pub struct Agents {
    /// Where networks are computed.
    pub device: DeviceKind,
    /// What they are computed in on the CPU, unless a specification says otherwise.
    pub precision: Precision,
    /// Threads that share out the batches of an agent: all where a single game is played, one where games are played
    /// side by side.
    pub threads: usize,
}

impl Agents {
    /// For a single game on all threads.
    pub fn for_one_game(machine: &MachineArgs) -> Self {
        Agents { threads: machine.thread_count(), ..Self::for_many_games(machine) }
    }

    /// For games played side by side.
    pub fn for_many_games(machine: &MachineArgs) -> Self {
        Agents { device: machine.device, precision: Precision::fastest(), threads: 1 }
    }

    /// As a run computes.
    pub fn of_run(training: &Training) -> Self {
        let Training { config, machine, .. } = training;
        Agents { device: machine.device, precision: config.precision.resolve(), threads: 1 }
    }

    /// An evaluator over the agent at `path`.
    ///
    /// # Errors
    /// If there is none, or it is one of another game, encoding or shape, or damaged.
    pub fn evaluator<G: PlayableGame>(self, path: &Path) -> Result<NetworkEvaluator, CliError> {
        let checkpoint = checkpoint_of(path)?;
        let device = self.device.open()?;
        let (network, _) = load_network::<G>(&checkpoint, &device)?;
        Ok(NetworkEvaluator::new::<G>(&network, self.device, &device, self.precision))
    }
}

impl EvaluatorSource for Agents {
    fn open<G: PlayableGame>(
        &self,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Box<dyn Evaluator<G> + Send>, EvalError> {
        let open = || {
            let precision = precision.map(str::parse).transpose()?;
            Agents { precision: precision.unwrap_or(self.precision), ..*self }.evaluator::<G>(Path::new(checkpoint))
        };
        match open() {
            Ok(evaluator) => Ok(Box::new(SplitEvaluator::new(vec![evaluator; self.threads]))),
            Err(error) => Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: Box::new(error) }),
        }
    }
}

/// The checkpoint folder that `path` stands for: itself, or the champion of a run folder.
///
/// # Errors
/// If `path` is a run without a champion, or neither a run nor a checkpoint.
pub fn checkpoint_of(path: &Path) -> Result<PathBuf, CliError> {
    let Ok(run) = RunFolder::open(path) else {
        let is_checkpoint = path.join(MANIFEST_FILE).is_file();
        return if is_checkpoint { Ok(path.into()) } else { Err(CliError::NoAgent { path: path.into() }) };
    };
    match run.champion()? {
        Some(generation) => Ok(run.network(generation)),
        None => Err(CliError::NoChampion { path: path.into() }),
    }
}
