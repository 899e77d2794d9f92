//! Mean and maximum over the board of every channel, and the way back.

use selfplay_kernels::{Boards, Cells, Layout};

/// What one part of the batch keeps of it.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    positions: usize,
    channels: usize,
    /// Means, then maxima of each board.
    pub output: Cells,
    /// Of the output.
    pub gradient: Cells,
    /// Cell of each maximum, `[boards, channels]`; the first one where several are equal.
    maxima: Vec<usize>,
}

impl Summary {
    /// Of boards with so many channels; `stride` is the least number of numbers for each board's summary.
    pub fn new(boards: &Boards, positions: usize, channels: usize, stride: usize) -> Self {
        let cells = || Cells::new(boards.grid, Layout::Single, positions, stride);
        Summary { positions, channels, output: cells(), gradient: cells(), maxima: vec![0; positions * channels] }
    }

    /// Sums up the dense `input`.
    pub fn forward(&mut self, boards: &Boards, input: &Cells) {
        let Summary { positions, channels, output, maxima, .. } = self;
        input.mean_and_max(boards.grid.cells(), *positions, *channels, output, |channel, cell| maxima[channel] = cell);
    }

    /// Adds the gradient of the input to the dense `input_gradient`.
    pub fn pass_back(&self, boards: &Boards, input_gradient: &mut Cells) {
        let (cells, channels, stride) = (boards.grid.cells(), self.channels, input_gradient.stride);
        let gradients = self.gradient.numbers.chunks_exact(self.gradient.stride);
        let of_boards = gradients.zip(self.maxima.chunks_exact(channels));
        for ((gradient, maxima), board) in of_boards.zip(input_gradient.numbers.chunks_exact_mut(cells * stride)) {
            for cell in board.chunks_exact_mut(stride) {
                for (number, mean) in cell.iter_mut().zip(&gradient[..channels]) {
                    *number += mean / cells as f32;
                }
            }
            for (channel, cell) in maxima.iter().enumerate() {
                board[cell * stride + channel] += gradient[channels + channel];
            }
        }
    }
}
