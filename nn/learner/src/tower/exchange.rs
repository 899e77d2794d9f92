//! What goes between the Burn network and the passes: parameters, features, statistics, gradients.

use burn::module::Param;
use burn::nn::{BatchNorm, Linear};
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use rayon::prelude::*;
use selfplay_kernels::Grid;

use super::layers::Layer;
use super::passes::{HeadNumbers, Passes};
use crate::layers::ConvNorm;
use crate::model::{HeadFeatures, PolicyValueNetwork};

/// The tower of a network in training on the CPU.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    passes: Passes,
}

impl Tower {
    /// Memory for batches of `rows` positions in networks of the make of `network`.
    pub(crate) fn new(network: &PolicyValueNetwork, rows: usize) -> Self {
        let shape = network.shape();
        let grid = Grid { height: shape.height, width: shape.width };
        Tower { passes: Passes::new(network.plan(), shape.planes, grid, rows) }
    }

    /// Positions of a batch.
    pub(crate) fn rows(&self) -> usize {
        self.passes.rows()
    }

    /// From encoded positions `[rows, planes, height, width]` to what the heads of `network` read, which is in training
    /// mode: leaves that gather their gradients. Updates the running statistics of its norms.
    pub(crate) fn forward(&mut self, network: &PolicyValueNetwork, planes: &[f32]) -> HeadFeatures {
        let device = network.device().without_autodiff();
        let parameters: Vec<_> = modules(network).map(Parameters::read).collect();
        self.passes.layers.par_iter_mut().zip(parameters).for_each(|(layer, parameters)| parameters.load(layer));
        let features = self.passes.forward(planes);
        for ((modules, _), layer) in modules(network).zip(&self.passes.layers) {
            update_running_statistics(&modules.norm, layer.conv_norm.statistics(), &device);
        }
        let (shape, config) = (network.shape(), network.config());
        let leaf = |numbers, channels| {
            let data = TensorData::new(numbers, [self.rows(), channels, shape.height, shape.width]);
            Tensor::from_data(data, &device).autodiff().require_grad()
        };
        HeadFeatures {
            policy: leaf(features.policy, config.policy_channels),
            value: leaf(features.value, config.value_channels),
        }
    }

    /// Adds the gradients of the tower's parameters to `gradients`, which has those of the `features` that
    /// [`forward`](Self::forward) gave.
    pub(crate) fn backward(
        &mut self,
        network: &PolicyValueNetwork,
        features: &HeadFeatures,
        gradients: &mut Gradients,
    ) {
        let mut take = |leaf: &Tensor<4>| numbers(leaf.grad_remove(gradients).expect("the heads read the features"));
        let gradient = HeadNumbers { policy: take(&features.policy), value: take(&features.value) };
        self.passes.backward(&gradient);
        for ((modules, linear), (conv_norm, pooled_bias)) in modules(network).zip(self.passes.gradients()) {
            put(&modules.conv.weight, conv_norm.weights, gradients);
            put(&modules.norm.gamma, conv_norm.gamma, gradients);
            put(&modules.norm.beta, conv_norm.beta, gradients);
            if let (Some(linear), Some(pooled_bias)) = (linear, pooled_bias) {
                put(&linear.weight, pooled_bias.weights, gradients);
                if let Some(bias) = &linear.bias {
                    put(bias, pooled_bias.bias, gradients);
                }
            }
        }
    }
}

/// The modules with the parameters of each layer, and with those of its pooled bias, in the plan's order.
fn modules(network: &PolicyValueNetwork) -> impl Iterator<Item = (&ConvNorm, Option<&Linear>)> {
    network.plan().tower.iter().map(|layer| network.modules(layer.place))
}

/// The numbers of a layer's parameters, in Burn's order.
struct Parameters {
    kernel: Vec<f32>,
    gamma: Vec<f32>,
    beta: Vec<f32>,
    epsilon: f64,
    /// Matrix and bias.
    pooled_bias: Option<(Vec<f32>, Vec<f32>)>,
}

impl Parameters {
    fn read((ConvNorm { conv, norm }, pooled_bias): (&ConvNorm, Option<&Linear>)) -> Self {
        let linear = |linear: &Linear| {
            let bias = linear.bias.as_ref().map_or_else(Vec::new, |bias| numbers(bias.val()));
            (numbers(linear.weight.val()), bias)
        };
        Parameters {
            kernel: numbers(conv.weight.val()),
            gamma: numbers(norm.gamma.val()),
            beta: numbers(norm.beta.val()),
            epsilon: norm.epsilon,
            pooled_bias: pooled_bias.map(linear),
        }
    }

    fn load(self, layer: &mut Layer) {
        layer.conv_norm.load(&self.kernel, &self.gamma, &self.beta, self.epsilon);
        if let (Some(pooled_bias), Some((matrix, bias))) = (&mut layer.pooled_bias, self.pooled_bias) {
            pooled_bias.load(&matrix, &bias);
        }
    }
}

/// As Burn's forward pass in training mode does.
fn update_running_statistics(norm: &BatchNorm, (mean, variance): (&[f32], &[f32]), device: &Device) {
    for (running, batch) in [(&norm.running_mean, mean), (&norm.running_var, variance)] {
        let batch = Tensor::from_data(TensorData::new(batch.to_vec(), [batch.len()]), device);
        let kept = running.value_sync().without_autodiff().mul_scalar(1.0 - norm.momentum);
        running.update(Tensor::from_inner(kept + batch.mul_scalar(norm.momentum)));
    }
}

/// Makes `gradient` the one that `gradients` has for `parameter`.
fn put<const D: usize>(parameter: &Param<Tensor<D>>, gradient: Vec<f32>, gradients: &mut Gradients) {
    let weights = parameter.val();
    let device = weights.device().without_autodiff();
    weights.grad_replace(gradients, Tensor::from_data(TensorData::new(gradient, weights.dims()), &device));
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks compute in f32")
}
