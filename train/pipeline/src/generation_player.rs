//! A generation's network as a player, as the run's gate lets it play.

use selfplay_mcts::{EvaluationCache, Limits, Network, SearchConfig};
use selfplay_network::checkpoint::load_weights;
use selfplay_players::{EvalError, Player, SearchPlayerConfig};
use selfplay_registry::GameRef;

use crate::config::RunConfig;
use crate::error::RunError;
use crate::machine::Machine;
use crate::phase::agent_name;
use crate::run_folder::RunFolder;

/// A generation's network, ready to be seated at many tables.
pub struct GenerationPlayer {
    game: GameRef,
    name: String,
    evaluator: Box<dyn Network>,
    search: SearchConfig,
    /// Where its players remember evaluations, unless each does so by itself.
    cache: Option<EvaluationCache>,
}

impl GenerationPlayer {
    /// Reads the network of `generation`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn load(
        game: GameRef,
        run: &RunFolder,
        config: &RunConfig,
        machine: Machine,
        generation: u32,
    ) -> Result<Self, RunError> {
        let network = GenerationPlayer::open(game, run, config, machine, generation)?;
        Ok(GenerationPlayer::new(game, config, generation, network, None))
    }

    /// The network of `generation`, as it was opened. Its players remember evaluations in `cache`, or each by itself.
    pub fn new(
        game: GameRef,
        config: &RunConfig,
        generation: u32,
        evaluator: Box<dyn Network>,
        cache: Option<EvaluationCache>,
    ) -> Self {
        GenerationPlayer {
            game,
            name: agent_name(generation),
            evaluator,
            search: config.selfplay.search.clone(),
            cache,
        }
    }

    /// Opens the network of `generation`.
    ///
    /// # Errors
    /// If the checkpoint cannot be read or the device not be opened.
    pub fn open(
        game: GameRef,
        run: &RunFolder,
        config: &RunConfig,
        machine: Machine,
        generation: u32,
    ) -> Result<Box<dyn Network>, RunError> {
        let (weights, _) = load_weights(&run.own_network(generation)?, game.shape())?;
        Ok(machine.backend.evaluator(game, &weights, machine.device, config.precision.resolve())?)
    }

    /// A player that searches within `limits`.
    ///
    /// # Errors
    /// Those of [`SearchPlayer::new`](selfplay_players::SearchPlayer::new).
    pub fn player(&self, limits: Limits) -> Result<Box<dyn Player>, EvalError> {
        self.seat(limits, self.search.clone())
    }

    /// A player that plays what the network alone thinks best, whatever the rules tell.
    ///
    /// # Errors
    /// Those of [`player`](Self::player).
    pub fn policy_player(&self) -> Result<Box<dyn Player>, EvalError> {
        self.seat(Limits::simulations(1), SearchConfig { mcts_solver: false, ..SearchConfig::default() })
    }

    fn seat(&self, limits: Limits, search: SearchConfig) -> Result<Box<dyn Player>, EvalError> {
        let config = SearchPlayerConfig { search, limits, ..SearchPlayerConfig::default() };
        let networks: Vec<Box<dyn Network>> = vec![self.evaluator.clone_box()];
        self.game.search_player(self.name.clone(), config, networks, self.cache.as_ref())
    }
}
