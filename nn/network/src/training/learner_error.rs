//! What can go wrong while learning.

use std::fmt;

use selfplay_config::InvalidKey;

use super::batch::BatchError;
use crate::device::DeviceError;
use crate::error::NetworkError;

/// A number that must stay finite while training.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossTerm {
    /// Cross-entropy of the policy.
    Policy,
    /// Cross-entropy of win, draw and loss.
    Value,
    /// Cross-entropy of the opponent's next action.
    OpponentPolicy,
    /// Error of the moves to the end of the game.
    MovesLeft,
    /// Error of the end of the game.
    FinalState,
    /// Norm of the gradient.
    Gradient,
}

impl fmt::Display for LossTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LossTerm::Policy => "policy loss",
            LossTerm::Value => "value loss",
            LossTerm::OpponentPolicy => "next-action loss",
            LossTerm::MovesLeft => "moves-left loss",
            LossTerm::FinalState => "final-state loss",
            LossTerm::Gradient => "gradient norm",
        })
    }
}

/// Why the learner cannot be made, restored or moved a step.
#[derive(Debug, thiserror::Error)]
pub enum LearnerError {
    /// A config that describes no training.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// A batch that does not fit the network.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Training diverged; the weights are those before the step.
    #[error("step {step}: the {term} is {value}; lower the learning rate or look for a broken target")]
    NotFinite {
        /// Steps taken so far.
        step: u64,
        /// Which number it is.
        term: LossTerm,
        /// Its value.
        value: f64,
    },
    /// The optimizer's state in a checkpoint is not what the config's optimizer keeps.
    #[error("the checkpoint does not hold the state of the optimizer `{optimizer}`: {reason}")]
    OptimizerState {
        /// Optimizer of the config.
        optimizer: &'static str,
        /// What is missing or of another size.
        reason: String,
    },
    /// Weights or a checkpoint.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The program was built without what trains networks.
    #[error("this program was built without training")]
    NoTraining,
    /// A device.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
