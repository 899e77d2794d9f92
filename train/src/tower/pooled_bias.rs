//! The bias that a pooled block's first convolution gets for each board: mean and maximum of features over the board,
//! and a linear layer over them.

use selfplay_kernels::batch_norm::add_cells;
use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Bias, PackedWeights, Product, Rows, WeightGradient};

use super::boards::Boards;

/// The weights of the linear layer.
#[derive(Clone, Debug)]
pub(super) struct PooledBias {
    features: usize,
    outputs: usize,
    weights: PackedWeights,
    transposed: PackedWeights,
    bias: Vec<f32>,
    no_bias: Vec<f32>,
}

/// The gradients of the linear layer's parameters.
#[derive(Clone, Debug)]
pub(super) struct PooledBiasGradient {
    /// `[2 · features, outputs]`
    pub weights: Vec<f32>,
    /// `[outputs]`
    pub bias: Vec<f32>,
}

impl PooledBias {
    pub fn new(features: usize, outputs: usize) -> Self {
        let weights = PackedWeights::new(1, 2 * features, outputs, |_, _| 0.0);
        let transposed = PackedWeights::new(1, outputs, 2 * features, |_, _| 0.0);
        let bias = vec![0.0; weights.padded_outputs()];
        PooledBias { features, outputs, no_bias: vec![0.0; transposed.padded_outputs()], weights, transposed, bias }
    }

    /// Takes over the parameters of a step: `[2 · features, outputs]` and `[outputs]`.
    pub fn load(&mut self, matrix: &[f32], bias: &[f32]) {
        let outputs = self.outputs;
        self.weights.fill(|row, column| matrix[row * outputs + column]);
        self.transposed.fill(|row, column| matrix[column * outputs + row]);
        self.bias[..outputs].copy_from_slice(bias);
    }

    /// The gradients after the way back.
    pub fn gradient<'a>(&self, parts: impl Iterator<Item = &'a PooledBiasPart>) -> PooledBiasGradient {
        let stride = self.bias.len();
        let mut weights = vec![0.0; 2 * self.features * self.outputs];
        let mut bias = vec![0.0; self.outputs];
        for part in parts {
            let rows = weights.chunks_exact_mut(self.outputs).zip(part.weight_sums.chunks_exact(stride));
            for (sums, numbers) in rows.chain([(&mut bias[..], &part.bias_sums[..])]) {
                for (sum, number) in sums.iter_mut().zip(numbers) {
                    *sum += number;
                }
            }
        }
        PooledBiasGradient { weights, bias }
    }
}

/// What one part of the batch keeps of the layer.
#[derive(Clone, Debug)]
pub(super) struct PooledBiasPart {
    /// One number for each board.
    rows: Rows,
    /// Means, then maxima of each board, `[boards, transposed.padded_outputs]`.
    summary: Aligned<f32>,
    /// Cell of each maximum, `[boards, features]`; the first one where several are equal.
    maxima: Vec<usize>,
    /// `[boards, stride]`
    bias: Aligned<f32>,
    bias_gradient: Aligned<f32>,
    summary_gradient: Aligned<f32>,
    /// `[2 · features, stride]`
    weight_sums: Aligned<f32>,
    bias_sums: Vec<f32>,
}

impl PooledBiasPart {
    pub fn new(layer: &PooledBias, boards: usize) -> Self {
        let (stride, summary_stride) = (layer.bias.len(), layer.no_bias.len());
        PooledBiasPart {
            rows: Rows::every(1, boards),
            summary: zeros(boards * summary_stride),
            maxima: vec![0; boards * layer.features],
            bias: zeros(boards * stride),
            bias_gradient: zeros(boards * stride),
            summary_gradient: zeros(boards * summary_stride),
            weight_sums: zeros(2 * layer.features * stride),
            bias_sums: vec![0.0; stride],
        }
    }

    /// The bias of every board, from the dense `features`.
    pub fn forward(&mut self, layer: &PooledBias, boards: &Boards, features: &[f32]) -> Bias<'_> {
        let (cells, summary_stride) = (boards.grid.cells(), layer.no_bias.len());
        let stride = features.len() / (self.rows.len() * cells);
        let of_boards = self.summary.chunks_exact_mut(summary_stride).zip(self.maxima.chunks_exact_mut(layer.features));
        for ((summary, maxima), features) in of_boards.zip(features.chunks_exact(cells * stride)) {
            let (mean, max) = summary[..2 * layer.features].split_at_mut(layer.features);
            mean.fill(0.0);
            max.fill(f32::NEG_INFINITY);
            for (cell, numbers) in features.chunks_exact(stride).enumerate() {
                for (((mean, max), at), &number) in mean.iter_mut().zip(&mut *max).zip(&mut *maxima).zip(numbers) {
                    *mean += number;
                    if number > *max {
                        (*max, *at) = (number, cell);
                    }
                }
            }
            for mean in mean {
                *mean /= cells as f32;
            }
        }
        Product {
            count: self.rows.len(),
            input: &self.summary,
            input_stride: summary_stride,
            input_rows: &self.rows,
            taps: &[0],
            weights: &layer.weights,
            bias: Bias::Shared(&layer.bias),
            output: &mut self.bias,
            output_stride: layer.bias.len(),
            output_rows: &self.rows,
            adds: false,
            rectifies: false,
        }
        .compute();
        Bias::PerBoard(&self.bias, cells)
    }

    /// From the bordered gradient of what the biased convolution computed to the dense one of the features.
    pub fn backward(&mut self, layer: &PooledBias, boards: &Boards, gradient: &[f32], features_gradient: &mut [f32]) {
        let (cells, stride, summary_stride) = (boards.grid.cells(), layer.bias.len(), layer.no_bias.len());
        self.bias_gradient.fill(0.0);
        let of_boards = self.bias_gradient.chunks_exact_mut(stride);
        for (sums, gradient) in of_boards.zip(gradient.chunks_exact(boards.grid.bordered_cells() * stride)) {
            // The border holds zeros.
            add_cells(gradient, sums);
        }
        self.bias_sums.fill(0.0);
        add_cells(&self.bias_gradient, &mut self.bias_sums);
        WeightGradient {
            count: self.rows.len(),
            rows: &self.rows,
            input: &self.summary,
            input_stride: summary_stride,
            inputs: 2 * layer.features,
            taps: &[0],
            gradient: &self.bias_gradient,
            gradient_stride: stride,
            sums: &mut self.weight_sums,
        }
        .compute();
        Product {
            count: self.rows.len(),
            input: &self.bias_gradient,
            input_stride: stride,
            input_rows: &self.rows,
            taps: &[0],
            weights: &layer.transposed,
            bias: Bias::Shared(&layer.no_bias),
            output: &mut self.summary_gradient,
            output_stride: summary_stride,
            output_rows: &self.rows,
            adds: false,
            rectifies: false,
        }
        .compute();
        let feature_stride = features_gradient.len() / (self.rows.len() * cells);
        let of_boards =
            self.summary_gradient.chunks_exact(summary_stride).zip(self.maxima.chunks_exact(layer.features));
        for ((summary, maxima), gradient) in of_boards.zip(features_gradient.chunks_exact_mut(cells * feature_stride)) {
            for cell in gradient.chunks_exact_mut(feature_stride) {
                for (number, mean) in cell.iter_mut().zip(&summary[..layer.features]) {
                    *number = mean / cells as f32;
                }
            }
            for (feature, cell) in maxima.iter().enumerate() {
                gradient[cell * feature_stride + feature] += summary[layer.features + feature];
            }
        }
    }
}
