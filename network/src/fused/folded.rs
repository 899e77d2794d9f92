//! The weights of the network's layers as plain matrices, norms folded in.

use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Linear};
use burn::tensor::Tensor;
use selfplay_kernels::{Boards, Convolution, Window};

use crate::layers::ConvNorm;

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
    /// A convolution and the norm behind it.
    pub fn of_conv_norm(layer: &ConvNorm) -> Self {
        let (scale, shift) = scale_and_shift(&layer.norm);
        let mut folded = Self::of_kernel(&layer.conv);
        for weights in folded.weights.chunks_exact_mut(folded.outputs) {
            for (weight, scale) in weights.iter_mut().zip(&scale) {
                *weight *= scale;
            }
        }
        FoldedLayer { bias: shift, ..folded }
    }

    /// A convolution without a norm.
    pub fn of_conv(conv: &Conv2d) -> Self {
        let folded = Self::of_kernel(conv);
        match &conv.bias {
            Some(bias) => FoldedLayer { bias: numbers(bias.val()), ..folded },
            None => folded,
        }
    }

    /// A linear layer that reads `cells` cells of a board, flattened `[channel, cell]` in the network, as one tap for
    /// each cell.
    pub fn of_linear(linear: &Linear, cells: usize) -> Self {
        let [rows, outputs] = linear.weight.val().dims();
        let by_channel = numbers(linear.weight.val());
        let inputs = rows / cells;
        let weights = (0..cells)
            .flat_map(|cell| (0..inputs).map(move |channel| channel * cells + cell))
            .flat_map(|row| &by_channel[row * outputs..][..outputs])
            .copied()
            .collect();
        let bias = linear.bias.as_ref().map_or_else(|| vec![0.0; outputs], |bias| numbers(bias.val()));
        FoldedLayer { taps: cells, inputs, outputs, weights, bias }
    }

    /// What a pooled bias contributes behind the norm of the layer it belongs to, that layer's own shift included: the
    /// bias of the whole.
    pub fn of_pooled_bias(bias: &Linear, layer: &ConvNorm) -> Self {
        let (scale, shift) = scale_and_shift(&layer.norm);
        let mut folded = Self::of_linear(bias, 1);
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

    /// From Burn's `[outputs, inputs, kernel, kernel]`; the bias is zero.
    fn of_kernel(conv: &Conv2d) -> Self {
        let [outputs, inputs, height, width] = conv.weight.val().dims();
        let taps = height * width;
        let kernel = numbers(conv.weight.val());
        let mut weights = vec![0.0; kernel.len()];
        for (index, weight) in kernel.into_iter().enumerate() {
            let (output, input, tap) = (index / (inputs * taps), index / taps % inputs, index % taps);
            weights[(tap * inputs + input) * outputs + output] = weight;
        }
        FoldedLayer { taps, inputs, outputs, weights, bias: vec![0.0; outputs] }
    }
}

/// What a norm in use does to each channel: multiply, then add.
fn scale_and_shift(norm: &BatchNorm) -> (Vec<f32>, Vec<f32>) {
    let (gamma, beta) = (numbers(norm.gamma.val()), numbers(norm.beta.val()));
    let (mean, variance) = (numbers(norm.running_mean.value()), numbers(norm.running_var.value()));
    let scale: Vec<f32> = gamma
        .iter()
        .zip(variance)
        .map(|(&gamma, variance)| (f64::from(gamma) / (f64::from(variance) + norm.epsilon).sqrt()) as f32)
        .collect();
    let shift = beta.iter().zip(&mean).zip(&scale).map(|((beta, mean), scale)| beta - mean * scale).collect();
    (scale, shift)
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks hold f32")
}
