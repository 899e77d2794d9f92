//! The weights of the network's layers as plain matrices, norms folded in.

use selfplay_kernels::{Boards, Convolution, Window};

use crate::plan::{TowerLayer, Weights};
use crate::tensor_plan::NORM_EPSILON;
use crate::weights::NetworkWeights;

/// A layer without its norm: `outputs` numbers from `taps · inputs`.
#[derive(Clone, Debug)]
pub(crate) struct FoldedLayer {
    /// Cells that contribute to an output: 9 for a 3×3 convolution, row by row.
    pub taps: usize,
    /// Numbers read of each of them.
    pub inputs: usize,
    /// Numbers computed.
    pub outputs: usize,
    /// `[taps, inputs, outputs]`
    pub weights: Vec<f32>,
    /// `[outputs]`
    pub bias: Vec<f32>,
}

impl FoldedLayer {
    /// A convolution of the tower and the norm behind it.
    pub fn from_conv_norm(network: &NetworkWeights, layer: &TowerLayer) -> Self {
        let (scale, shift) = scale_and_shift(network, layer);
        let mut folded =
            Self::from_kernel(network.numbers(&format!("{}.conv.weight", layer.weights.name)), &layer.weights);
        for weights in folded.weights.chunks_exact_mut(folded.outputs) {
            for (weight, scale) in weights.iter_mut().zip(&scale) {
                *weight *= scale;
            }
        }
        FoldedLayer { bias: shift, ..folded }
    }

    /// A convolution with a bias and without a norm.
    pub fn from_conv(network: &NetworkWeights, layer: &Weights) -> Self {
        let (kernel, bias) = matrix_and_bias(network, layer);
        FoldedLayer { bias: bias.to_vec(), ..Self::from_kernel(kernel, layer) }
    }

    /// A linear layer that reads `cells` cells of a board, flattened `[channel, cell]` in the network, as one tap for
    /// each cell.
    pub fn from_linear(network: &NetworkWeights, layer: &Weights, cells: usize) -> Self {
        let (outputs, inputs) = (layer.outputs, layer.fan_in() / cells);
        let (by_channel, bias) = matrix_and_bias(network, layer);
        let weights = (0..cells)
            .flat_map(|cell| (0..inputs).map(move |channel| channel * cells + cell))
            .flat_map(|row| &by_channel[row * outputs..][..outputs])
            .copied()
            .collect();
        FoldedLayer { taps: cells, inputs, outputs, weights, bias: bias.to_vec() }
    }

    /// What a pooled bias contributes behind the norm of the layer it belongs to, that layer's own shift included: the
    /// bias of the whole.
    pub fn from_pooled_bias(network: &NetworkWeights, bias: &Weights, layer: &TowerLayer) -> Self {
        let (scale, shift) = scale_and_shift(network, layer);
        let mut folded = Self::from_linear(network, bias, 1);
        for (index, weight) in folded.weights.iter_mut().enumerate() {
            *weight *= scale[index % folded.outputs];
        }
        for ((bias, scale), shift) in folded.bias.iter_mut().zip(&scale).zip(shift) {
            *bias = *bias * scale + shift;
        }
        folded
    }

    /// The same layer with its results in other units: `units` is what one step of each output stands for.
    pub fn in_units(mut self, units: &[f32]) -> Self {
        for (index, weight) in self.weights.iter_mut().enumerate() {
            *weight /= units[index % self.outputs];
        }
        for (bias, unit) in self.bias.iter_mut().zip(units) {
            *bias /= unit;
        }
        self
    }

    /// The layer ready to be computed with the given window.
    pub fn packed(&self, boards: &Boards, window: Window) -> Convolution {
        let mut packed = Convolution::new(boards, window, self.inputs, self.outputs, false);
        packed.load(|tap, input, output| self.weight(tap * self.inputs + input, output), &self.bias);
        packed
    }

    /// The weight of `row = tap · inputs + input` for `output`.
    pub fn weight(&self, row: usize, output: usize) -> f32 {
        self.weights[row * self.outputs + output]
    }

    /// From `[outputs, inputs, kernel, kernel]`; the bias is zero.
    fn from_kernel(kernel: &[f32], layer: &Weights) -> Self {
        let (inputs, outputs, taps) = (layer.inputs, layer.outputs, layer.kernel() * layer.kernel());
        let mut weights = vec![0.0; kernel.len()];
        for (index, &weight) in kernel.iter().enumerate() {
            let (output, input, tap) = (index / (inputs * taps), index / taps % inputs, index % taps);
            weights[(tap * inputs + input) * outputs + output] = weight;
        }
        FoldedLayer { taps, inputs, outputs, weights, bias: vec![0.0; outputs] }
    }
}

fn matrix_and_bias<'a>(network: &'a NetworkWeights, layer: &Weights) -> (&'a [f32], &'a [f32]) {
    let part = |part: &str| network.numbers(&format!("{}.{part}", layer.name));
    (part("weight"), part("bias"))
}

/// What the norm of a layer does to each channel, in use: multiply, then add.
fn scale_and_shift(network: &NetworkWeights, layer: &TowerLayer) -> (Vec<f32>, Vec<f32>) {
    let part = |part: &str| network.numbers(&format!("{}.norm.{part}", layer.weights.name));
    let (gamma, beta, mean, variance) = (part("gamma"), part("beta"), part("running_mean"), part("running_var"));
    let scale: Vec<f32> = gamma
        .iter()
        .zip(variance)
        .map(|(&gamma, &variance)| (f64::from(gamma) / (f64::from(variance) + NORM_EPSILON).sqrt()) as f32)
        .collect();
    let shift = beta.iter().zip(mean).zip(&scale).map(|((beta, mean), scale)| beta - mean * scale).collect();
    (scale, shift)
}
