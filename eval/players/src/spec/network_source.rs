//! Where the networks of players come from. Opening checkpoints is the caller's part: nothing here reads files.

use selfplay_env::Rules;
use selfplay_mcts::{Network, UniformNetwork};

use crate::error::EvalError;

/// The value of `checkpoint` that stands for [`UniformEvaluator`](selfplay_mcts::UniformEvaluator).
pub const UNIFORM_CHECKPOINT: &str = "uniform";

/// The value of `checkpoint` that stands for the trained agent that comes with the program.
pub const RELEASED_CHECKPOINT: &str = "released";

/// Opens checkpoints; implemented by the crate that has the networks.
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

/// The networks of a checkpoint that a specification names, `uniform` included.
///
/// # Errors
/// Those of [`NetworkSource::open`].
pub(super) fn open_networks(
    source: &dyn NetworkSource,
    rules: &dyn Rules,
    checkpoint: &str,
    precision: Option<&str>,
) -> Result<Vec<Box<dyn Network>>, EvalError> {
    match checkpoint {
        UNIFORM_CHECKPOINT => Ok(vec![Box::new(UniformNetwork(rules.id()))]),
        _ => source.open(rules, checkpoint, precision),
    }
}
