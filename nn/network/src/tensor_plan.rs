//! The tensors of a network's layers: their names in checkpoints, their shapes, and how they begin.

use crate::plan::{Plan, Reads, Role, TowerLayer, Weights};

/// What a norm adds to a variance before it divides by its root (Burn's, PyTorch's).
pub const NORM_EPSILON: f64 = 1e-5;
/// Standard deviation of an output layer's weights relative to He's: close to zero, so that an untrained network says
/// almost "equal priors, a third each", yet not zero, so that no two actions tie.
const OUTPUT_SCALE: f32 = 0.1;

/// A tensor of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedTensor {
    /// Name in checkpoints.
    pub name: String,
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Its numbers before training.
    pub beginning: Beginning,
}

/// Numbers before training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Beginning {
    /// All alike.
    Constant(f32),
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        deviation: f32,
    },
}

impl Plan {
    /// Every tensor, in the order in which the network's modules are declared: a block's first layer, what is pooled to its
    /// bias, its second layer; the policy head, the value head, the auxiliary heads. The order decides which random numbers a
    /// fresh tensor gets.
    pub fn tensors(&self) -> Vec<PlannedTensor> {
        let mut tensors = Vec::new();
        let (heads, trunk): (Vec<&TowerLayer>, Vec<&TowerLayer>) =
            self.tower.iter().partition(|layer| layer.role().is_of_head());
        // What is pooled is computed before the layer that it is added to, and declared behind it.
        let is_pooled = |layer: &TowerLayer| layer.role() == Role::Pooled;
        for layer in trunk.into_iter().filter(|layer| !is_pooled(layer)) {
            conv_norm(layer, &mut tensors);
            if let Some(bias) = &layer.pooled_bias {
                conv_norm(&self.tower[bias.features], &mut tensors);
                with_bias(&bias.weights, OUTPUT_SCALE, &mut tensors);
            }
        }
        let [policy, value] = heads[..] else { unreachable!("the plan ends with both heads") };
        conv_norm(policy, &mut tensors);
        with_bias(&self.policy_output, OUTPUT_SCALE, &mut tensors);
        conv_norm(value, &mut tensors);
        with_bias(&self.value_hidden, 1.0, &mut tensors);
        with_bias(&self.value_output, OUTPUT_SCALE, &mut tensors);
        // Last, so that the other weights do not depend on which of these heads there are.
        for weights in self.auxiliary() {
            with_bias(weights, OUTPUT_SCALE, &mut tensors);
        }
        tensors
    }
}

/// A convolution without bias and its norm, the identity at first.
fn conv_norm(layer: &TowerLayer, tensors: &mut Vec<PlannedTensor>) {
    let weights = &layer.weights;
    tensors.push(matrix(format!("{}.conv.weight", weights.name), weights, 1.0));
    for (part, number) in [("gamma", 1.0), ("beta", 0.0), ("running_mean", 0.0), ("running_var", 1.0)] {
        let beginning = Beginning::Constant(number);
        let name = format!("{}.norm.{part}", weights.name);
        tensors.push(PlannedTensor { name, shape: vec![weights.outputs], beginning });
    }
}

/// A convolution or a linear layer with its bias.
fn with_bias(weights: &Weights, scale: f32, tensors: &mut Vec<PlannedTensor>) {
    tensors.push(matrix(format!("{}.weight", weights.name), weights, scale));
    let (name, beginning) = (format!("{}.bias", weights.name), Beginning::Constant(0.0));
    tensors.push(PlannedTensor { name, shape: vec![weights.outputs], beginning });
}

/// A kernel `[outputs, inputs, kernel, kernel]` or a matrix `[inputs, outputs]`, with variance `scale² · 2 / fan_in` (He et al.
/// 2015, "Delving Deep into Rectifiers", equation 10).
fn matrix(name: String, weights: &Weights, scale: f32) -> PlannedTensor {
    let shape = match weights.reads {
        Reads::Window(kernel) => vec![weights.outputs, weights.inputs, kernel, kernel],
        _ => vec![weights.fan_in(), weights.outputs],
    };
    let deviation = scale * (2.0 / weights.fan_in() as f32).sqrt();
    PlannedTensor { name, shape, beginning: Beginning::Normal { deviation } }
}
