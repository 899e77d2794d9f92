//! A layer over boards: its callers say what is to be computed, this file how.

use crate::boards::{Bias, Boards, Cells, Layout};
use crate::grid::Rows;
use crate::packed::PackedWeights;
use crate::product::Product;
use crate::weight_gradient::WeightGradient;
use crate::winograd::{
    self, Forward, Side, Tiling, Workspace, gradient_workspace_len, tiles_that_pay, transform_weights, workspace_len,
};

/// What a layer reads for a cell of its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// The square of this side around the cell, 1 or 3; of side 1 it is a linear layer over each cell.
    Square(usize),
    /// Every cell of a dense board: a linear layer over the whole of it, with one cell of results.
    Board,
}

/// What happens to a sum before it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// Nothing.
    Plain,
    /// It is rectified.
    Rectify,
    /// What stood there is added, then it is rectified: a skip connection.
    AddAndRectify,
}

/// A convolution over boards, or a linear layer, with its weights in the order in which they are read.
///
/// The constructor chooses the algorithm from the window, the channels and the board; callers do not choose it. The
/// choice is the same for every batch, since algorithms round differently. Sums run in one order whatever else is in
/// the batch, and nothing is allocated.
#[derive(Clone, Debug)]
pub struct Convolution {
    window: Window,
    /// From the cell that is computed to those that are read.
    taps: Vec<isize>,
    /// The same from the cell that is read to those that are computed.
    mirrored: Vec<isize>,
    weights: PackedWeights,
    /// `[stride]`
    bias: Vec<f32>,
    /// From outputs to inputs, with zeros as the initial sums; `None` if the gradient of the input is not requested.
    transposed: Option<(PackedWeights, Vec<f32>)>,
    /// Where fewer multiplications are worth their transforms.
    tiled: Option<Box<Tiled>>,
}

/// The same weights in the transformed domain.
#[derive(Clone, Debug)]
struct Tiled {
    tiling: Tiling,
    weights: PackedWeights,
    /// Mirrored, for the gradient of the input.
    transposed: Option<PackedWeights>,
}

impl Convolution {
    /// Weights of zero, for batches of `boards`; `input_has_gradient` says whether
    /// [`input_gradient`](Self::input_gradient) will be asked. Computed by tiles where
    /// the board and the channels make that faster.
    ///
    /// # Panics
    /// If the side of the window is neither 1 nor 3.
    pub fn new(boards: &Boards, window: Window, inputs: usize, outputs: usize, input_has_gradient: bool) -> Self {
        let layer = Self::direct(boards, window, inputs, outputs, input_has_gradient);
        let sides = if window == Window::Square(3) { tiles_that_pay(boards.grid, inputs, outputs) } else { None };
        match sides {
            Some(sides) => layer.with_tiles(boards, sides),
            None => layer,
        }
    }

    /// The same computed by its definition.
    ///
    /// # Panics
    /// If the side of the window is neither 1 nor 3.
    pub fn direct(boards: &Boards, window: Window, inputs: usize, outputs: usize, input_has_gradient: bool) -> Self {
        let taps = match window {
            Window::Square(side) => boards.grid.taps(side),
            Window::Board => (0..boards.grid.cells() as isize).collect(),
        };
        let weights = PackedWeights::new(taps.len(), inputs, outputs, |_, _| 0.0);
        let transposed = input_has_gradient.then(|| {
            let weights = PackedWeights::new(taps.len(), outputs, inputs, |_, _| 0.0);
            let zeros = vec![0.0; weights.padded_outputs()];
            (weights, zeros)
        });
        let bias = vec![0.0; weights.padded_outputs()];
        let mirrored = taps.iter().rev().copied().collect();
        Convolution { window, mirrored, taps, weights, bias, transposed, tiled: None }
    }

    /// The same layer computed by tiles of these sides, along columns and rows: fewer multiplications, more memory, other
    /// rounding. Weights are loaded afterwards.
    ///
    /// # Panics
    /// If its window is not a square of side 3.
    #[must_use]
    pub fn with_tiles(mut self, boards: &Boards, sides: [Side; 2]) -> Self {
        assert_eq!(self.window, Window::Square(3), "tiles are for windows of side 3");
        let tiling = Tiling::new(boards.grid, sides);
        let weights = PackedWeights::new(tiling.elements(), self.weights.inputs(), self.weights.outputs(), |_, _| 0.0);
        let transposed = self.transposed.as_ref().map(|(transposed, _)| {
            PackedWeights::new(tiling.elements(), transposed.inputs(), transposed.outputs(), |_, _| 0.0)
        });
        self.tiled = Some(Box::new(Tiled { tiling, weights, transposed }));
        self
    }

    /// Numbers of the workspace that [`forward`](Self::forward) wants.
    pub fn workspace_len(&self) -> usize {
        self.tiled.as_deref().map_or(0, |Tiled { tiling, weights, .. }| workspace_len(tiling, weights))
    }

    /// Numbers of the workspace that the gradients want, and [`forward`](Self::forward).
    pub fn training_workspace_len(&self) -> usize {
        self.tiled.as_deref().map_or(0, |Tiled { tiling, transposed, .. }| {
            let of_inputs = transposed.as_ref().map_or(0, |weights| workspace_len(tiling, weights));
            let of_weights = gradient_workspace_len(tiling, self.weights.inputs(), self.stride());
            self.workspace_len().max(of_inputs).max(of_weights)
        })
    }

    /// Takes over weights, `weight(tap, input, output)` with the cells of the window as taps row by row, and the bias
    /// of each output; without one it stays as it is.
    pub fn load(&mut self, weight: impl Fn(usize, usize, usize) -> f32, bias: &[f32]) {
        let (inputs, outputs) = (self.weights.inputs(), self.weights.outputs());
        self.weights.fill(|row, output| weight(row / inputs, row % inputs, output));
        if let Some((transposed, _)) = &mut self.transposed {
            transposed.fill(|row, input| weight(row / outputs, input, row % outputs));
        }
        if let Some(tiled) = self.tiled.as_deref_mut() {
            transform_weights(&tiled.tiling, &self.weights, false, &mut tiled.weights);
            if let (Some((transposed, _)), Some(transformed)) = (&self.transposed, &mut tiled.transposed) {
                transform_weights(&tiled.tiling, transposed, true, transformed);
            }
        }
        self.bias[..bias.len()].copy_from_slice(bias);
    }

    /// Channels of the results.
    pub fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// Numbers of a cell of the results.
    pub fn stride(&self) -> usize {
        self.bias.len()
    }

    /// Numbers of a cell of the input's gradient; 0 if there is none.
    pub fn input_stride(&self) -> usize {
        self.transposed.as_ref().map_or(0, |(_, zeros)| zeros.len())
    }

    /// Computes the first `count` boards of `output`; `board_bias`, `[boards, stride]`, stands in for the layer's own
    /// bias. A window of side 3 wants a bordered input. The `workspace` has at least
    /// [`workspace_len`](Self::workspace_len) numbers.
    ///
    /// # Panics
    /// If a buffer, the bias or the workspace is too short.
    #[expect(clippy::too_many_arguments, reason = "a struct of them would be taken apart at once")]
    pub fn forward(
        &self,
        boards: &Boards,
        count: usize,
        input: &Cells,
        board_bias: Option<&[f32]>,
        output: &mut Cells,
        finish: Finish,
        workspace: &mut Workspace,
    ) {
        let cells = boards.count(output.layout, 1);
        if let Some(tiled) = &self.tiled {
            return Forward {
                tiling: &tiled.tiling,
                boards,
                count,
                input,
                weights: &tiled.weights,
                bias: Bias {
                    numbers: board_bias.unwrap_or(&self.bias),
                    cells_per_board: board_bias.is_some().then_some(cells),
                },
                output,
                adds: finish == Finish::AddAndRectify,
                rectifies: finish != Finish::Plain,
                workspace,
            }
            .compute();
        }
        Product {
            count: count * cells,
            input: &input.numbers,
            input_stride: input.stride,
            input_rows: self.input_rows(boards, input.layout),
            taps: &self.taps,
            weights: &self.weights,
            bias: Bias {
                numbers: board_bias.unwrap_or(&self.bias),
                cells_per_board: board_bias.is_some().then_some(cells),
            },
            output: &mut output.numbers,
            output_stride: output.stride,
            output_rows: boards.rows(output.layout),
            adds: finish == Finish::AddAndRectify,
            rectifies: finish != Finish::Plain,
        }
        .compute();
    }

    /// Writes the gradient of the input of the first `count` boards, or adds it, given that of the results, which
    /// stands in a buffer like the input's. The `workspace` has at least
    /// [`training_workspace_len`](Self::training_workspace_len) numbers.
    ///
    /// # Panics
    /// If a buffer or the workspace is too short, or the layer was made without a gradient of its input.
    pub fn input_gradient(
        &self,
        boards: &Boards,
        count: usize,
        gradient: &Cells,
        output: &mut Cells,
        adds: bool,
        workspace: &mut Workspace,
    ) {
        let (weights, zeros) = self.transposed.as_ref().expect("the layer has a gradient of its input");
        if let Some(Tiled { tiling, transposed: Some(weights), .. }) = self.tiled.as_deref() {
            return Forward {
                tiling,
                boards,
                count,
                input: gradient,
                weights,
                bias: Bias { numbers: zeros, cells_per_board: None },
                output,
                adds,
                rectifies: false,
                workspace,
            }
            .compute();
        }
        Product {
            count: boards.count(output.layout, count),
            input: &gradient.numbers,
            input_stride: gradient.stride,
            input_rows: self.input_rows(boards, gradient.layout),
            taps: &self.mirrored,
            weights,
            bias: Bias { numbers: zeros, cells_per_board: None },
            output: &mut output.numbers,
            output_stride: output.stride,
            output_rows: boards.rows(output.layout),
            adds,
            rectifies: false,
        }
        .compute();
    }

    /// Numbers that [`gather_weights`](Self::gather_weights) writes.
    pub fn sums_len(&self) -> usize {
        self.taps.len() * self.weights.inputs() * self.stride()
    }

    /// Replaces `sums` by what the first `count` boards say of the weights, given the layer's input, of which the
    /// numbers of a cell come in fours, and the gradient of its results in a buffer of the same layout. The `workspace` has
    /// at least [`training_workspace_len`](Self::training_workspace_len) numbers.
    ///
    /// # Panics
    /// If a buffer or the workspace is too short.
    pub fn gather_weights(
        &self,
        boards: &Boards,
        count: usize,
        input: &Cells,
        gradient: &Cells,
        sums: &mut [f32],
        workspace: &mut Workspace,
    ) {
        let inputs = self.weights.inputs();
        if let Some(Tiled { tiling, .. }) = self.tiled.as_deref() {
            return winograd::WeightGradient { tiling, boards, count, input, inputs, gradient, sums, workspace }
                .compute();
        }
        WeightGradient {
            count: boards.count(gradient.layout, count),
            rows: boards.rows(gradient.layout),
            input: &input.numbers,
            input_stride: input.stride,
            inputs,
            taps: &self.taps,
            gradient: &gradient.numbers,
            gradient_stride: gradient.stride,
            sums,
        }
        .compute();
    }

    /// Tells `put` the gradient of each weight by tap, input and output, given the sums over the whole batch:
    /// [`sums_len`](Self::sums_len) numbers, of which each is the sum of those that
    /// [`gather_weights`](Self::gather_weights) wrote for parts of it.
    pub fn weight_gradient(&self, sums: &[f32], mut put: impl FnMut(usize, usize, usize, f32)) {
        let inputs = self.weights.inputs();
        for (row, sums) in sums.chunks_exact(self.stride()).enumerate() {
            for (output, &sum) in sums[..self.outputs()].iter().enumerate() {
                put(row / inputs, row % inputs, output, sum);
            }
        }
    }

    fn input_rows<'a>(&self, boards: &'a Boards, layout: Layout) -> &'a Rows {
        match self.window {
            Window::Square(_) => boards.rows(layout),
            Window::Board => boards.first_cells(),
        }
    }
}

#[cfg(test)]
mod tests;
