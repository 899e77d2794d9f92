//! The update rules over a network's numbers as one vector (see [`WeightLayout`](crate::WeightLayout)).
//!
//! Written out here rather than taken from Burn: Burn clips each tensor's gradient by itself instead of the whole
//! gradient, couples SGD's weight decay to the gradient, and restores its state through the process-wide default
//! device under ids that differ from run to run. On the host, in one pass: on a CPU each of Burn's operations is a pass
//! of its own over memory, and the gradient comes to the host anyway for its norm.

use rayon::prelude::*;
use selfplay_network::NamedTensor;
use selfplay_network::training::{LearnerConfig, OptimizerKind};

use selfplay_network::training::LearnerError;

/// AdamW's β₂ (Kingma and Ba 2015).
const SECOND_MOMENT_DECAY: f64 = 0.999;
/// AdamW's ε (Kingma and Ba 2015).
const EPSILON: f64 = 1e-8;
/// Numbers that a thread updates at a time.
const CHUNK: usize = 16 * 1024;

/// An update rule and its memory; vectors are `[weight_count]`.
#[derive(Clone, Debug)]
pub(crate) enum Optimizer {
    /// Running means of the gradient and of its square.
    AdamW { first_moment: Vec<f32>, second_moment: Vec<f32> },
    /// Sum of past gradients, fading by the momentum.
    Sgd { velocity: Vec<f32> },
}

/// What one step is to do; vectors are `[weight_count]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update<'a> {
    pub(crate) gradient: &'a [f32],
    /// By which the gradient is multiplied first.
    pub(crate) clip: f64,
    /// 1 where weight decay applies and 0 elsewhere.
    pub(crate) decay_mask: &'a [f32],
    pub(crate) learning_rate: f64,
    /// Steps taken before.
    pub(crate) step: u64,
}

impl Optimizer {
    /// The rule without memory of any step.
    pub(crate) fn new(kind: OptimizerKind, weight_count: usize) -> Self {
        let zeros = || vec![0.0; weight_count];
        match kind {
            OptimizerKind::AdamW => Optimizer::AdamW { first_moment: zeros(), second_moment: zeros() },
            OptimizerKind::Sgd => Optimizer::Sgd { velocity: zeros() },
        }
    }

    /// Changes `weights`, `[weight_count]`, by one more step.
    pub(crate) fn update(&mut self, weights: &mut [f32], config: &LearnerConfig, update: Update<'_>) {
        let Update { gradient, clip, decay_mask, learning_rate, step } = update;
        let (clip, momentum) = (clip as f32, config.momentum as f32);
        let decay = (-learning_rate * config.weight_decay) as f32;
        let decayed = |weight: f32, mask: f32| weight * (mask * decay + 1.0);
        let steps = weights.par_chunks_mut(CHUNK).zip(gradient.par_chunks(CHUNK)).zip(decay_mask.par_chunks(CHUNK));
        match self {
            // Algorithm 2 of "Decoupled Weight Decay Regularization".
            Optimizer::AdamW { first_moment, second_moment } => {
                let new_share = (1.0 - config.momentum) as f32;
                let (old_square_share, new_square_share) =
                    (SECOND_MOMENT_DECAY as f32, (1.0 - SECOND_MOMENT_DECAY) as f32);
                // Both start at zero; dividing them by these numbers makes up for that.
                let taken = i32::try_from(step + 1).unwrap_or(i32::MAX);
                let first_share = 1.0 - config.momentum.powi(taken);
                let second_share = (1.0 - SECOND_MOMENT_DECAY.powi(taken)).sqrt();
                let epsilon = (EPSILON * second_share) as f32;
                let rate = (learning_rate * second_share / first_share) as f32;
                let moments = first_moment.par_chunks_mut(CHUNK).zip(second_moment.par_chunks_mut(CHUNK));
                steps.zip(moments).for_each(|(((weights, gradient), mask), (first_moment, second_moment))| {
                    let numbers = weights.iter_mut().zip(gradient).zip(mask).zip(first_moment).zip(second_moment);
                    for ((((weight, gradient), mask), first), second) in numbers {
                        let gradient = gradient * clip;
                        *first = *first * momentum + gradient * new_share;
                        *second = *second * old_square_share + (gradient * gradient) * new_square_share;
                        *weight = decayed(*weight, *mask) - *first / (second.sqrt() + epsilon) * rate;
                    }
                });
            }
            // Algorithm 1 of the same paper.
            Optimizer::Sgd { velocity } => {
                let rate = learning_rate as f32;
                steps.zip(velocity.par_chunks_mut(CHUNK)).for_each(|(((weights, gradient), mask), velocity)| {
                    for (((weight, gradient), mask), velocity) in
                        weights.iter_mut().zip(gradient).zip(mask).zip(velocity)
                    {
                        *velocity = *velocity * momentum + gradient * clip;
                        *weight = decayed(*weight, *mask) - *velocity * rate;
                    }
                });
            }
        }
    }

    /// The memory, to be stored.
    pub(crate) fn to_named_tensors(&self) -> Vec<NamedTensor> {
        let vectors = match self {
            Optimizer::AdamW { first_moment, second_moment } => {
                vec![("first_moment", first_moment), ("second_moment", second_moment)]
            }
            Optimizer::Sgd { velocity } => vec![("velocity", velocity)],
        };
        vectors
            .into_iter()
            .map(|(name, vector)| NamedTensor {
                name: name.to_owned(),
                shape: vec![vector.len()],
                values: vector.clone(),
            })
            .collect()
    }

    /// The rule with the memory that [`to_named_tensors`](Self::to_named_tensors) stored.
    pub(crate) fn from_named_tensors(
        kind: OptimizerKind,
        tensors: &[NamedTensor],
        weight_count: usize,
    ) -> Result<Self, LearnerError> {
        let vector = |name: &str| {
            let problem = |reason| LearnerError::OptimizerState { optimizer: kind.name(), reason };
            let tensor = tensors
                .iter()
                .find(|tensor| tensor.name == name)
                .ok_or_else(|| problem(format!("`{name}` is missing")))?;
            if tensor.shape != [weight_count] {
                return Err(problem(format!("`{name}` has shape {:?}, not [{weight_count}]", tensor.shape)));
            }
            Ok(tensor.values.clone())
        };
        Ok(match kind {
            OptimizerKind::AdamW => {
                Optimizer::AdamW { first_moment: vector("first_moment")?, second_moment: vector("second_moment")? }
            }
            OptimizerKind::Sgd => Optimizer::Sgd { velocity: vector("velocity")? },
        })
    }
}
