//! From specifications to players. Opening checkpoints is the caller's part: nothing here reads files.

use std::path::Path;

use selfplay_env::Rules;
use selfplay_mcts::{Limits, Network, SearchConfig, UniformNetwork};

use crate::baselines::GreedyPlayer;
use crate::error::EvalError;
use crate::playable::Playable;
use crate::player::Player;
use crate::program::GtpPlayer;
use crate::random_player::RandomPlayer;
use crate::search_player::{SearchPlayerConfig, SpecSymmetry};
use crate::spec::{PlayerSpec, UNIFORM_CHECKPOINT};
use crate::table_player::TablePlayer;

/// Opens checkpoints; whoever knows networks implements it.
pub trait NetworkSource: Sync {
    /// Networks of the game of `rules`, at least one and all the same, with the weights that a specification names, never
    /// `uniform`, computed in the precision that it names, if any: they share out the batches of one player.
    ///
    /// # Errors
    /// [`EvalError::Checkpoint`] with the name and what is wrong.
    fn open(
        &self,
        rules: &dyn Rules,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError>;
}

impl NetworkSource for Box<dyn NetworkSource + Send> {
    fn open(
        &self,
        rules: &dyn Rules,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError> {
        (**self).open(rules, checkpoint, precision)
    }
}

/// For programs without networks: it has no checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpoints;

impl NetworkSource for NoCheckpoints {
    fn open(
        &self,
        _rules: &dyn Rules,
        checkpoint: &str,
        _precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError> {
        Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: "this program opens no checkpoints".into() })
    }
}

/// Makes the player of `game` that `spec` describes; its name is the specification.
///
/// A search uses [`SearchConfig::default`]. A policy player is a search of one simulation: it evaluates the position,
/// then takes the move with the greatest prior.
///
/// # Errors
/// What `source` says about the checkpoint, and numbers out of range.
pub fn build_player(
    game: &'static dyn Playable,
    spec: &PlayerSpec,
    source: &dyn NetworkSource,
) -> Result<Box<dyn Player>, EvalError> {
    build_named_player(game, spec.to_string(), spec, source)
}

/// Like [`build_player`], but the player is called `name`; those without settings keep their own names.
///
/// # Errors
/// Those of [`build_player`].
pub fn build_named_player(
    game: &'static dyn Playable,
    name: String,
    spec: &PlayerSpec,
    source: &dyn NetworkSource,
) -> Result<Box<dyn Player>, EvalError> {
    let open = |checkpoint: &str, precision: Option<&str>| -> Result<Vec<Box<dyn Network>>, EvalError> {
        if checkpoint == UNIFORM_CHECKPOINT {
            return Ok(vec![Box::new(UniformNetwork(game.id()))]);
        }
        source.open(game, checkpoint, precision)
    };
    match spec {
        PlayerSpec::Random => Ok(Box::new(RandomPlayer::new())),
        PlayerSpec::Greedy => Ok(Box::new(GreedyPlayer::new())),
        PlayerSpec::AlphaBeta(config) => game.alpha_beta_player(name, *config),
        PlayerSpec::Uct(config) => game.uct_player(name, *config),
        PlayerSpec::Table(file) => Ok(Box::new(TablePlayer::new(name, Path::new(file), game)?)),
        PlayerSpec::Program(config) => Ok(Box::new(GtpPlayer::new(game, name, config)?)),
        PlayerSpec::Added(added) => added.0.build(game, name),
        PlayerSpec::Search(search) => {
            let config = SearchPlayerConfig {
                search: SearchConfig {
                    c_puct: search.c_puct,
                    policy_temperature: search.policy_temperature,
                    solver: search.solver,
                    foresight: search.foresight,
                    ..SearchConfig::default()
                },
                limits: search.limits.clone(),
                leaves_per_gather: search.leaves,
                temperature: search.temperature,
                proofs: search.proofs,
                variety: search.variety,
            };
            let networks = open(&search.checkpoint, search.precision.as_deref())?;
            game.search_player(name, config, networks, search.symmetry)
        }
        PlayerSpec::Policy { checkpoint, precision, temperature } => {
            let config = SearchPlayerConfig {
                // The evaluator's own answer, whatever the rules tell.
                search: SearchConfig { solver: false, ..SearchConfig::default() },
                limits: Limits::simulations(1),
                temperature: *temperature,
                ..SearchPlayerConfig::default()
            };
            game.search_player(name, config, open(checkpoint, precision.as_deref())?, SpecSymmetry::Identity)
        }
    }
}
