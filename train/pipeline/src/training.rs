//! What every phase of a training run works with.

use selfplay_mcts::EvaluationCache;
use selfplay_registry::{GameRef, Games, UnknownGame};

use crate::config::RunConfig;
use crate::executor::{Executor, Local};
use crate::machine::Machine;
use crate::observer::Observer;
use crate::run_folder::RunFolder;

/// What every phase knows.
pub struct Training<'a> {
    /// Where everything is kept.
    pub run: RunFolder,
    /// What the run is a function of.
    pub config: RunConfig,
    /// What to compute with.
    pub machine: Machine,
    /// What is played.
    pub game: GameRef,
    /// All games, since a run may start from the weights of another one.
    pub games: Games,
    /// The commit that the program was built from, if it is known: its checkpoints tell it.
    pub commit: Option<&'static str>,
    /// Who follows.
    pub observer: &'a dyn Observer,
    /// Who plays.
    pub executor: &'a dyn Executor,
    /// Evaluations of its networks.
    cache: EvaluationCache,
}

impl<'a> Training<'a> {
    /// The run of `config` in its folder.
    ///
    /// # Errors
    /// [`UnknownGame`] if its game is none of `games`.
    pub fn new(
        run: RunFolder,
        config: RunConfig,
        machine: Machine,
        games: &Games,
        observer: &'a dyn Observer,
    ) -> Result<Self, UnknownGame> {
        let game = games.find(&config.game)?;
        let cache = EvaluationCache::new(config.selfplay.cache_mib);
        let (games, commit, executor) = (games.clone(), None, &Local);
        Ok(Training { run, config, machine, game, games, commit, observer, executor, cache })
    }

    /// Where evaluations are remembered from phase to phase; `None` on a device, which may answer otherwise in another company, to
    /// the last bit: there they must not depend on what came before.
    pub fn cache(&self) -> Option<&EvaluationCache> {
        self.machine.device.is_cpu().then_some(&self.cache)
    }

    /// The same of a program that was built from a commit.
    #[must_use]
    pub fn built_from(self, commit: Option<&'static str>) -> Self {
        Training { commit, ..self }
    }

    /// The same with others to play its games.
    #[must_use]
    pub fn played_by(self, executor: &'a dyn Executor) -> Self {
        Training { executor, ..self }
    }
}
