//! What computes losses and gradients.

use selfplay_network::BatchLosses;
use selfplay_network::training::{LearnerConfig, TrainingBatch};

use crate::loss::Loss;

/// What a batch says of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchGradient {
    /// The parts of the loss.
    pub loss: Loss<f64>,
    /// Gradient of the [total](Loss::total), `[weight_count]`; zero for running statistics.
    pub gradient: Vec<f32>,
}

/// Losses and their gradients for networks of one make, on one device. Vectors are those of the
/// [`WeightLayout`](crate::WeightLayout); batches fit the network.
pub trait GradientComputer {
    /// Losses and gradient of a network in training mode, whose norms use the statistics of the batch. The running
    /// statistics in `weights` move on by those of the batch.
    fn gradient(&mut self, weights: &mut [f32], batch: &TrainingBatch, config: &LearnerConfig) -> BatchGradient;

    /// Losses of a network in use, whose norms use the running statistics.
    fn losses(&self, weights: &[f32], batch: &TrainingBatch) -> BatchLosses;
}
