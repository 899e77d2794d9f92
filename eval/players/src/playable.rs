//! What players and solvers of a game whose type is not known are made of.

use selfplay_env::{CompleteGame, Position, Rules, Typed};
use selfplay_mcts::{EvaluationCache, Network, SplitEvaluator};

use crate::alphabeta::{AlphaBeta, AlphaBetaConfig, AlphaBetaPlayer, AlphaBetaReport};
use crate::baselines::{UctConfig, UctPlayer};
use crate::error::EvalError;
use crate::player::Player;
use crate::search_player::{SearchPlayer, SearchPlayerConfig};
use crate::solver::{SolveConfig, SolveProgress, SolveReport, solve};

/// A game that is played: the searches that know its type.
pub trait Playable: Rules {
    /// An [`AlphaBetaPlayer`] called `name`.
    ///
    /// # Errors
    /// Those of [`AlphaBetaPlayer::new`].
    fn alpha_beta_player(&self, name: String, config: AlphaBetaConfig) -> Result<Box<dyn Player>, EvalError>;

    /// A [`UctPlayer`] called `name`.
    ///
    /// # Errors
    /// Those of [`UctPlayer::new`].
    fn uct_player(&self, name: String, config: UctConfig) -> Result<Box<dyn Player>, EvalError>;

    /// A [`SearchPlayer`] called `name` that evaluates with `networks`, equal ones that share out each batch, and remembers their
    /// answers in `cache`, or by itself.
    ///
    /// # Errors
    /// Those of [`SearchPlayer::new`].
    ///
    /// # Panics
    /// If there is no network, or when it plays with networks made for another game.
    fn search_player(
        &self,
        name: String,
        config: SearchPlayerConfig,
        networks: Vec<Box<dyn Network>>,
        cache: Option<&EvaluationCache>,
    ) -> Result<Box<dyn Player>, EvalError>;

    /// What a new [`AlphaBeta`] engine finds in `position`, which must be of this game; `on_depth` is called after
    /// each depth.
    ///
    /// # Errors
    /// Those of [`AlphaBeta::new`].
    fn alpha_beta(
        &self,
        position: &dyn Position,
        config: &AlphaBetaConfig,
        on_depth: &mut dyn FnMut(&AlphaBetaReport),
    ) -> Result<AlphaBetaReport, EvalError>;

    /// Whether the game has a solver of its own ([`Tactics::solver`](selfplay_env::Tactics::solver)).
    fn has_solver(&self) -> bool;

    /// [`solve`] for `position`, which must be of this game.
    ///
    /// # Errors
    /// Those of [`solve`].
    fn solve(
        &self,
        position: &dyn Position,
        plies_played: usize,
        config: &SolveConfig,
        progress: &mut dyn FnMut(&SolveProgress),
    ) -> Result<SolveReport, EvalError>;
}

impl<G: CompleteGame> Playable for Typed<G> {
    fn alpha_beta_player(&self, name: String, config: AlphaBetaConfig) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(AlphaBetaPlayer::<G>::new(name, config)?))
    }

    fn uct_player(&self, name: String, config: UctConfig) -> Result<Box<dyn Player>, EvalError> {
        Ok(Box::new(UctPlayer::<G>::new(name, config)?))
    }

    fn search_player(
        &self,
        name: String,
        config: SearchPlayerConfig,
        networks: Vec<Box<dyn Network>>,
        cache: Option<&EvaluationCache>,
    ) -> Result<Box<dyn Player>, EvalError> {
        let network = networks.first().map_or(0, |network| network.id());
        let evaluator = Box::new(SplitEvaluator::new(networks));
        Ok(Box::new(match cache {
            Some(cache) => SearchPlayer::<G>::sharing(name, config, evaluator, cache.clone(), network)?,
            None => SearchPlayer::<G>::new(name, config, evaluator)?,
        }))
    }

    fn alpha_beta(
        &self,
        position: &dyn Position,
        config: &AlphaBetaConfig,
        on_depth: &mut dyn FnMut(&AlphaBetaReport),
    ) -> Result<AlphaBetaReport, EvalError> {
        Ok(AlphaBeta::new(*config)?.search(own::<G>(position), on_depth))
    }

    fn has_solver(&self) -> bool {
        G::solver(1).is_some()
    }

    fn solve(
        &self,
        position: &dyn Position,
        plies_played: usize,
        config: &SolveConfig,
        progress: &mut dyn FnMut(&SolveProgress),
    ) -> Result<SolveReport, EvalError> {
        solve(own::<G>(position), plies_played, config, progress)
    }
}

/// The position as that of `G`.
fn own<G: CompleteGame>(position: &dyn Position) -> &G {
    position.typed().unwrap_or_else(|| panic!("a position of {} in {}", position.rules().id(), G::spec().id))
}
