//! The update rules over a network's numbers as one vector (see `selfplay_network::weight_vector`).
//!
//! Written out here rather than taken from Burn: Burn clips each tensor's gradient by itself instead of the whole
//! gradient, couples SGD's weight decay to the gradient, and restores its state through the process-wide default
//! device under ids that differ from run to run.

use burn::tensor::{Device, Tensor, TensorData};
use selfplay_network::NamedTensor;

use crate::learner_config::{LearnerConfig, OptimizerKind};
use crate::learner_error::LearnerError;

/// AdamW's β₂ (Kingma and Ba 2015).
const SECOND_MOMENT_DECAY: f64 = 0.999;
/// AdamW's ε (Kingma and Ba 2015).
const EPSILON: f64 = 1e-8;

/// An update rule and its memory; vectors are `[weight_count]`.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a learner holds one of them; a box would save nothing")]
pub(crate) enum Optimizer {
    /// Running means of the gradient and of its square.
    AdamW { first_moment: Tensor<1>, second_moment: Tensor<1> },
    /// Sum of past gradients, fading by the momentum.
    Sgd { velocity: Tensor<1> },
}

impl Optimizer {
    /// The rule without memory of any step.
    pub(crate) fn new(kind: OptimizerKind, weight_count: usize, device: &Device) -> Self {
        let zeros = || Tensor::zeros([weight_count], device);
        match kind {
            OptimizerKind::AdamW => Optimizer::AdamW { first_moment: zeros(), second_moment: zeros() },
            OptimizerKind::Sgd => Optimizer::Sgd { velocity: zeros() },
        }
    }

    /// The weights after one more step. `step` steps were taken before; `decay_mask` is 1 where weight decay applies.
    pub(crate) fn update(
        &mut self,
        weights: Tensor<1>,
        gradient: Tensor<1>,
        decay_mask: &Tensor<1>,
        config: &LearnerConfig,
        learning_rate: f64,
        step: u64,
    ) -> Tensor<1> {
        // Operations are ordered so that most of them reuse the memory of their argument.
        let change = match self {
            // Algorithm 2 of "Decoupled Weight Decay Regularization".
            Optimizer::AdamW { first_moment, second_moment } => {
                let average = |mean: &mut Tensor<1>, new: Tensor<1>, decay: f64| {
                    mean.inplace(|old| old.mul_scalar(decay) + new.mul_scalar(1.0 - decay));
                };
                average(first_moment, gradient.clone(), config.momentum);
                average(second_moment, gradient.square(), SECOND_MOMENT_DECAY);
                // Both start at zero; dividing them by these numbers makes up for that.
                let taken = i32::try_from(step + 1).unwrap_or(i32::MAX);
                let first_share = 1.0 - config.momentum.powi(taken);
                let second_share = (1.0 - SECOND_MOMENT_DECAY.powi(taken)).sqrt();
                let deviation = second_moment.clone().sqrt().add_scalar(EPSILON * second_share);
                (first_moment.clone() / deviation).mul_scalar(learning_rate * second_share / first_share)
            }
            // Algorithm 1 of the same paper.
            Optimizer::Sgd { velocity } => {
                velocity.inplace(|old| old.mul_scalar(config.momentum) + gradient);
                velocity.clone().mul_scalar(learning_rate)
            }
        };
        let kept = decay_mask.clone().mul_scalar(-learning_rate * config.weight_decay).add_scalar(1.0);
        weights * kept - change
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
                shape: vector.dims().to_vec(),
                values: vector.to_data().try_into_vec().expect("networks compute in f32"),
            })
            .collect()
    }

    /// The rule with the memory that [`to_named_tensors`](Self::to_named_tensors) stored.
    pub(crate) fn from_named_tensors(
        kind: OptimizerKind,
        tensors: &[NamedTensor],
        weight_count: usize,
        device: &Device,
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
            Ok(Tensor::from_data(TensorData::new(tensor.values.clone(), [weight_count]), device))
        };
        Ok(match kind {
            OptimizerKind::AdamW => {
                Optimizer::AdamW { first_moment: vector("first_moment")?, second_moment: vector("second_moment")? }
            }
            OptimizerKind::Sgd => Optimizer::Sgd { velocity: vector("velocity")? },
        })
    }
}
