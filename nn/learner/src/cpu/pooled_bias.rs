//! The bias that a pooled block's first convolution gets for each board: mean and maximum of features over the board,
//! and a linear layer over them.

use selfplay_kernels::batch_norm::add_cells;
use selfplay_kernels::{Boards, Cells, Finish};
use selfplay_network::plan;

use super::linear::{Linear, LinearPart};
use super::summary::Summary;

/// What one part of the batch keeps of it.
#[derive(Clone, Debug)]
pub(super) struct PooledBiasPart {
    summary: Summary,
    pub linear: LinearPart,
}

impl PooledBiasPart {
    /// `layer` is the linear layer of what is `planned`.
    pub fn new(layer: &Linear, planned: &plan::PooledBias, boards: &Boards, positions: usize) -> Self {
        PooledBiasPart {
            summary: Summary::new(boards, positions, planned.weights.inputs, layer.input_stride()),
            linear: LinearPart::new(layer, boards, positions),
        }
    }

    /// The bias of every board, `[boards, stride]`, from the dense `features`.
    pub fn forward(&mut self, layer: &Linear, boards: &Boards, features: &Cells) -> &[f32] {
        self.summary.forward(boards, features);
        self.linear.forward(layer, boards, &self.summary.output, Finish::Plain);
        &self.linear.output.numbers
    }

    /// From the bordered gradient of what the biased convolution computed to the dense one of the features, which is
    /// replaced.
    pub fn backward(&mut self, layer: &Linear, boards: &Boards, gradient: &Cells, features_gradient: &mut Cells) {
        let PooledBiasPart { summary, linear } = self;
        let stride = linear.gradient.stride;
        linear.gradient.numbers.fill(0.0);
        let of_boards = linear.gradient.numbers.chunks_exact_mut(stride);
        for (sums, gradient) in of_boards.zip(gradient.numbers.chunks_exact(boards.grid.bordered_cells() * stride)) {
            // The border holds zeros.
            add_cells(gradient, sums);
        }
        linear.gather(layer, boards, &summary.output);
        summary.gradient.numbers.fill(0.0);
        linear.pass_back(layer, boards, &mut summary.gradient);
        features_gradient.numbers.fill(0.0);
        summary.pass_back(boards, features_gradient);
    }
}
