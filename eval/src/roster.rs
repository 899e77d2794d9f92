//! From specifications to players. Opening checkpoints is the caller's part: nothing here reads files.

use selfplay_env::PlayableGame;
use selfplay_mcts::{Evaluator, Limits, SearchConfig, SymmetryEvaluator, SymmetryUse, UniformEvaluator};

use crate::alphabeta::AlphaBetaPlayer;
use crate::baselines::{GreedyPlayer, UctPlayer, pentago_report, pente_minimax, pente_random};
use crate::error::EvalError;
use crate::player::Player;
use crate::program::program_player;
use crate::random_player::RandomPlayer;
use crate::search_player::{SearchPlayer, SearchPlayerConfig};
use crate::spec::{PlayerSpec, SpecSymmetry, UNIFORM_CHECKPOINT};

/// Opens checkpoints; whoever knows networks implements it.
pub trait EvaluatorSource: Sync {
    /// An evaluator with the weights that a specification names, never `uniform`, computed in the precision that it
    /// names, if any.
    ///
    /// # Errors
    /// [`EvalError::Checkpoint`] with the name and what is wrong.
    fn open<G: PlayableGame>(
        &self,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Box<dyn Evaluator<G> + Send>, EvalError>;
}

/// For programs without networks: it has no checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpoints;

impl EvaluatorSource for NoCheckpoints {
    fn open<G: PlayableGame>(
        &self,
        checkpoint: &str,
        _precision: Option<&str>,
    ) -> Result<Box<dyn Evaluator<G> + Send>, EvalError> {
        Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: "this program opens no checkpoints".into() })
    }
}

/// Makes the player that `spec` describes; its name is the specification.
///
/// A search uses [`SearchConfig::default`]. A policy player is a search of one simulation: it evaluates the position,
/// then takes the move with the greatest prior.
///
/// # Errors
/// What `source` says about the checkpoint, and numbers out of range.
pub fn build_player<G: PlayableGame, S: EvaluatorSource>(
    spec: &PlayerSpec,
    source: &S,
) -> Result<Box<dyn Player<G>>, EvalError> {
    build_named_player(spec.to_string(), spec, source)
}

/// Like [`build_player`], but the player is called `name`; those without settings keep their own names.
///
/// # Errors
/// Those of [`build_player`].
pub fn build_named_player<G: PlayableGame, S: EvaluatorSource>(
    name: String,
    spec: &PlayerSpec,
    source: &S,
) -> Result<Box<dyn Player<G>>, EvalError> {
    let open = |checkpoint: &str, precision: Option<&str>| -> Result<Box<dyn Evaluator<G> + Send>, EvalError> {
        if checkpoint == UNIFORM_CHECKPOINT {
            return Ok(Box::new(UniformEvaluator));
        }
        source.open(checkpoint, precision)
    };
    match spec {
        PlayerSpec::Random => Ok(Box::new(RandomPlayer::new())),
        PlayerSpec::Greedy => Ok(Box::new(GreedyPlayer::new())),
        PlayerSpec::AlphaBeta(config) => Ok(Box::new(AlphaBetaPlayer::new(name, *config)?)),
        PlayerSpec::Uct(config) => Ok(Box::new(UctPlayer::new(name, *config)?)),
        PlayerSpec::PentagoReport(config) => pentago_report(name, config),
        PlayerSpec::PenteRandom => pente_random(),
        PlayerSpec::PenteMinimax(config) => pente_minimax(name, *config),
        PlayerSpec::Program(config) => program_player(name, config),
        PlayerSpec::Search(search) => {
            let config = SearchPlayerConfig {
                search: SearchConfig { policy_temperature: search.policy_temperature, ..SearchConfig::default() },
                limits: search.limits,
                leaves_per_gather: search.leaves,
                temperature: search.temperature,
                proofs: search.proofs,
                variety: search.variety,
            };
            let evaluator = open(&search.checkpoint, search.precision.as_deref())?;
            let evaluator = match search.symmetry {
                SpecSymmetry::Identity => evaluator,
                SpecSymmetry::Average => Box::new(SymmetryEvaluator::new(evaluator, SymmetryUse::Averaged)),
            };
            Ok(Box::new(SearchPlayer::new(name, config, evaluator)?))
        }
        PlayerSpec::Policy { checkpoint, precision, temperature } => {
            let config = SearchPlayerConfig {
                // The evaluator's own answer, whatever the rules foresee.
                search: SearchConfig { foresight: false, ..SearchConfig::default() },
                limits: Limits::simulations(1),
                leaves_per_gather: 1,
                temperature: *temperature,
                ..SearchPlayerConfig::default()
            };
            Ok(Box::new(SearchPlayer::new(name, config, open(checkpoint, precision.as_deref())?)?))
        }
    }
}
