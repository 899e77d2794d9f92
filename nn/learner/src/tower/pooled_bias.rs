//! The bias that a pooled block's first convolution gets for each board: mean and maximum of features over the board,
//! and a linear layer over them.

use selfplay_kernels::batch_norm::add_cells;
use selfplay_kernels::{Boards, Cells, Convolution, Finish, Layout, Window, Workspace};
use selfplay_network::plan;

/// The weights of the linear layer.
#[derive(Clone, Debug)]
pub(super) struct PooledBias {
    features: usize,
    outputs: usize,
    linear: Convolution,
    /// What the batch says of the weights, as the linear layer writes it.
    pub weight_sums: Vec<f32>,
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
    pub fn new(boards: &Boards, planned: &plan::PooledBias) -> Self {
        let (features, outputs) = (planned.weights.inputs, planned.weights.outputs);
        let linear = Convolution::new(boards, Window::Square(1), planned.weights.fan_in(), outputs, true);
        PooledBias { features, outputs, weight_sums: vec![0.0; linear.sums_len()], linear }
    }

    /// Takes over the parameters of a step: `[2 · features, outputs]` and `[outputs]`.
    pub fn load(&mut self, matrix: &[f32], bias: &[f32]) {
        let outputs = self.outputs;
        self.linear.load(|_, input, output| matrix[input * outputs + output], bias);
    }

    /// The gradients after the way back.
    pub fn gradient<'a>(&self, parts: impl Iterator<Item = &'a PooledBiasPart>) -> PooledBiasGradient {
        let mut weights = vec![0.0; 2 * self.features * self.outputs];
        let mut bias = vec![0.0; self.outputs];
        for part in parts {
            for (sum, number) in bias.iter_mut().zip(&part.bias_sums) {
                *sum += number;
            }
        }
        self.linear.weight_gradient(&self.weight_sums, |_, input, output, sum| {
            weights[input * self.outputs + output] = sum;
        });
        PooledBiasGradient { weights, bias }
    }
}

/// What one part of the batch keeps of the layer.
#[derive(Clone, Debug)]
pub(super) struct PooledBiasPart {
    positions: usize,
    /// Means, then maxima of each board.
    summary: Cells,
    /// Cell of each maximum, `[boards, features]`; the first one where several are equal.
    maxima: Vec<usize>,
    bias: Cells,
    bias_gradient: Cells,
    summary_gradient: Cells,
    bias_sums: Vec<f32>,
}

impl PooledBiasPart {
    pub fn new(layer: &PooledBias, boards: &Boards, positions: usize) -> Self {
        let (stride, summary_stride) = (layer.linear.stride(), layer.linear.input_stride());
        let single = |stride| Cells::new(boards.grid, Layout::Single, positions, stride);
        PooledBiasPart {
            positions,
            summary: single(summary_stride),
            maxima: vec![0; positions * layer.features],
            bias: single(stride),
            bias_gradient: single(stride),
            summary_gradient: single(summary_stride),
            bias_sums: vec![0.0; stride],
        }
    }

    /// The bias of every board, `[boards, stride]`, from the dense `features`.
    pub fn forward(&mut self, layer: &PooledBias, boards: &Boards, features: &Cells) -> &[f32] {
        let PooledBiasPart { positions, summary, maxima, bias, .. } = self;
        features.mean_and_max(boards.grid.cells(), *positions, layer.features, summary, |channel, cell| {
            maxima[channel] = cell;
        });
        layer.linear.forward(boards, *positions, summary, None, bias, Finish::Plain, &mut Workspace::none());
        &bias.numbers
    }

    /// From the bordered gradient of what the biased convolution computed to the dense one of the features; writes what
    /// the part says of the weights to `sums`.
    pub fn backward(
        &mut self,
        layer: &PooledBias,
        boards: &Boards,
        gradient: &Cells,
        features_gradient: &mut Cells,
        sums: &mut [f32],
    ) {
        let (cells, stride, features) = (boards.grid.cells(), layer.linear.stride(), layer.features);
        self.bias_gradient.numbers.fill(0.0);
        let of_boards = self.bias_gradient.numbers.chunks_exact_mut(stride);
        for (sums, gradient) in of_boards.zip(gradient.numbers.chunks_exact(boards.grid.bordered_cells() * stride)) {
            // The border holds zeros.
            add_cells(gradient, sums);
        }
        self.bias_sums.fill(0.0);
        add_cells(&self.bias_gradient.numbers, &mut self.bias_sums);
        let (linear, gradient) = (&layer.linear, &self.bias_gradient);
        let workspace = &mut Workspace::none();
        linear.gather_weights(boards, self.positions, &self.summary, gradient, sums, workspace);
        linear.input_gradient(boards, self.positions, gradient, &mut self.summary_gradient, false, workspace);
        let stride = features_gradient.stride;
        let summaries = self.summary_gradient.numbers.chunks_exact(self.summary_gradient.stride);
        let of_boards = summaries.zip(self.maxima.chunks_exact(features));
        for ((summary, maxima), gradient) in of_boards.zip(features_gradient.numbers.chunks_exact_mut(cells * stride)) {
            for cell in gradient.chunks_exact_mut(stride) {
                for (number, mean) in cell.iter_mut().zip(&summary[..features]) {
                    *number = mean / cells as f32;
                }
            }
            for (feature, cell) in maxima.iter().enumerate() {
                gradient[cell * stride + feature] += summary[features + feature];
            }
        }
    }
}
