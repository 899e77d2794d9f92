//! A layer over boards: its callers say what is to be computed, this file how.

use crate::boards::{Bias, Boards, Cells, Layout};
use crate::grid::Rows;
use crate::packed::PackedWeights;
use crate::product::Product;
use crate::weight_gradient::WeightGradient;
use crate::winograd::{Forward, Side, Tiling, Workspace, transform_weights, workspace_len};

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
/// Which way it is computed is settled when it is made, from the window, the channels, the boards and their number, and
/// is nobody else's business. Sums run in one order whatever else is in the batch, and nothing is allocated.
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
    /// From outputs to inputs, with zeros for the sums to start from; none if nobody asks for the input's gradient.
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
    /// [`input_gradient`](Self::input_gradient) will be asked.
    ///
    /// # Panics
    /// If the side of the window is neither 1 nor 3.
    pub fn new(boards: &Boards, window: Window, inputs: usize, outputs: usize, input_has_gradient: bool) -> Self {
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

    /// The same layer computed by tiles of these sides, along rows and columns: fewer multiplications, more memory, other
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

    /// Numbers of the workspace that it wants.
    pub fn workspace_len(&self) -> usize {
        self.tiled.as_deref().map_or(0, |Tiled { tiling, weights, transposed }| {
            let lengths = [Some(weights), transposed.as_ref()].into_iter().flatten();
            lengths.map(|weights| workspace_len(tiling, weights)).max().unwrap_or(0)
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
    /// bias. A window of side 3 wants a bordered input. The `workspace` is at least
    /// [`workspace_len`](Self::workspace_len) long.
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
                grid: boards.grid,
                count,
                input: &input.numbers,
                input_stride: input.stride,
                weights: &tiled.weights,
                bias: Bias {
                    numbers: board_bias.unwrap_or(&self.bias),
                    cells_per_board: board_bias.is_some().then_some(cells),
                },
                output: &mut output.numbers,
                output_stride: output.stride,
                output_rows: boards.rows(output.layout).as_slice(),
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
    /// stands in a buffer like the input's.
    ///
    /// # Panics
    /// If a buffer is too short, or the layer was made without a gradient of its input.
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
                grid: boards.grid,
                count,
                input: &gradient.numbers,
                input_stride: gradient.stride,
                weights,
                bias: Bias { numbers: zeros, cells_per_board: None },
                output: &mut output.numbers,
                output_stride: output.stride,
                output_rows: boards.rows(output.layout).as_slice(),
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
    /// numbers of a cell come in fours, and the gradient of its results in a buffer of the same layout.
    ///
    /// # Panics
    /// If a buffer is too short.
    pub fn gather_weights(&self, boards: &Boards, count: usize, input: &Cells, gradient: &Cells, sums: &mut [f32]) {
        WeightGradient {
            count: boards.count(gradient.layout, count),
            rows: boards.rows(gradient.layout),
            input: &input.numbers,
            input_stride: input.stride,
            inputs: self.weights.inputs(),
            taps: &self.taps,
            gradient: &gradient.numbers,
            gradient_stride: gradient.stride,
            sums,
        }
        .compute();
    }

    /// Adds up the sums of the parts of a batch in their order, and tells `put` the gradient of each weight by tap,
    /// input and output.
    pub fn weight_gradient<'a>(
        &self,
        parts: impl Iterator<Item = &'a [f32]> + Clone,
        mut put: impl FnMut(usize, usize, usize, f32),
    ) {
        let (inputs, stride) = (self.weights.inputs(), self.stride());
        let mut sums = vec![0.0; stride];
        for row in 0..self.taps.len() * inputs {
            sums.fill(0.0);
            for part in parts.clone() {
                for (sum, &number) in sums.iter_mut().zip(&part[row * stride..][..stride]) {
                    *sum += number;
                }
            }
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
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::packed::zeros;

    /// Small numbers without a pattern.
    fn numbers(len: usize, salt: usize) -> Vec<f32> {
        (0..len).map(|index| ((index * 7919 + salt * 104_729) % 199) as f32 / 100.0 - 1.0).collect()
    }

    /// A convolution over `boards` boards computed by the definition and by the kernels.
    fn check(
        grid: Grid,
        boards: usize,
        inputs: usize,
        outputs: usize,
        kernel: usize,
        finish: Finish,
        bias_per_board: bool,
    ) {
        let (tables, taps) = (Boards::new(grid, boards), grid.taps(kernel));
        let matrix = numbers(taps.len() * inputs * outputs, 1);
        let mut layer = Convolution::new(&tables, Window::Square(kernel), inputs, outputs, false);
        let weight = |tap, input, output| matrix[(tap * inputs + input) * outputs + output];
        layer.load(weight, &numbers(outputs, 3));
        let (rows, stride) = (tables.rows(Layout::Bordered).as_slice(), layer.stride());
        let mut input = Cells::new(grid, Layout::Bordered, boards, inputs);
        let values = numbers(rows.len() * inputs, 2);
        for (&cell, values) in rows.iter().zip(values.chunks_exact(inputs)) {
            input.numbers[cell as usize * inputs..][..inputs].copy_from_slice(values);
        }
        let mut bias = vec![0.0; boards * stride];
        for (board, bias) in bias.chunks_exact_mut(stride).enumerate() {
            bias[..outputs].copy_from_slice(&numbers(outputs, if bias_per_board { board + 3 } else { 3 }));
        }
        let mut output = Cells::new(grid, Layout::Bordered, boards, stride);
        let before = numbers(output.numbers.len(), 4);
        output.numbers.copy_from_slice(&before);
        layer.forward(
            &tables,
            boards,
            &input,
            bias_per_board.then_some(&bias[..]),
            &mut output,
            finish,
            &mut Workspace::of([layer.workspace_len()].into_iter()),
        );
        for (index, &cell) in rows.iter().enumerate() {
            let cell = cell as usize;
            for column in 0..outputs {
                let products = taps.iter().enumerate().flat_map(|(tap, &step)| {
                    let read = cell.wrapping_add_signed(step) * inputs;
                    (0..inputs).map(move |channel| (tap, channel, read + channel))
                });
                let sum: f32 =
                    products.map(|(tap, channel, read)| weight(tap, channel, column) * input.numbers[read]).sum();
                let bias = bias[index / grid.cells() * stride + column];
                let skip = if finish == Finish::AddAndRectify { before[cell * stride + column] } else { 0.0 };
                let expected = (sum + bias + skip).max(0.0);
                let found = output.numbers[cell * stride + column];
                assert!((found - expected).abs() < 1e-3, "{grid:?} {inputs}→{outputs}: {found} for {expected}");
            }
        }
        for cell in (0..boards * grid.bordered_cells()).filter(|&cell| !rows.contains(&(cell as u32))) {
            let of_cell = cell * stride..(cell + 1) * stride;
            assert_eq!(output.numbers[of_cell.clone()], before[of_cell], "the border is left alone");
        }
    }

    #[test]
    fn convolutions_follow_the_definition() {
        check(Grid { height: 6, width: 6 }, 2, 64, 64, 3, Finish::AddAndRectify, false);
        check(Grid { height: 4, width: 4 }, 1, 5, 33, 3, Finish::Rectify, true);
        check(Grid { height: 3, width: 5 }, 3, 16, 3, 1, Finish::Rectify, false);
        check(Grid { height: 1, width: 1 }, 1, 1, 1, 3, Finish::AddAndRectify, true);
        check(Grid { height: 7, width: 6 }, 5, 8, 40, 3, Finish::AddAndRectify, true);
    }

    /// A convolution by its definition, in doubles, and by tiles: the greatest error of outputs of size about 1.
    fn error_of_tiles(grid: Grid, sides: [Side; 2], boards: usize, inputs: usize, outputs: usize) -> f64 {
        let tables = Boards::new(grid, boards);
        let mut layer = Convolution::new(&tables, Window::Square(3), inputs, outputs, false).with_tiles(&tables, sides);
        let size = 1.0 / (9.0 * inputs as f32).sqrt();
        let matrix: Vec<f32> = numbers(9 * inputs * outputs, 1).iter().map(|number| number * size).collect();
        let weight = |tap, input, output| matrix[(tap * inputs + input) * outputs + output];
        layer.load(weight, &numbers(outputs, 3));
        let mut input = Cells::new(grid, Layout::Bordered, boards, inputs);
        let rows = tables.rows(Layout::Bordered).as_slice();
        let values = numbers(rows.len() * inputs, 2);
        for (&cell, values) in rows.iter().zip(values.chunks_exact(inputs)) {
            input.numbers[cell as usize * inputs..][..inputs].copy_from_slice(values);
        }
        let mut output = Cells::new(grid, Layout::Dense, boards, layer.stride());
        let mut workspace = Workspace::of([layer.workspace_len()].into_iter());
        layer.forward(&tables, boards, &input, None, &mut output, Finish::Plain, &mut workspace);
        let (bias, taps) = (numbers(outputs, 3), grid.taps(3));
        let mut greatest: f64 = 0.0;
        for (index, &cell) in rows.iter().enumerate() {
            for (column, &bias) in bias.iter().enumerate() {
                let mut sum = f64::from(bias);
                for (tap, &step) in taps.iter().enumerate() {
                    let read = (cell as usize).wrapping_add_signed(step) * inputs;
                    for channel in 0..inputs {
                        sum += f64::from(weight(tap, channel, column)) * f64::from(input.numbers[read + channel]);
                    }
                }
                greatest = greatest.max((f64::from(output.numbers[index * layer.stride() + column]) - sum).abs());
            }
        }
        greatest
    }

    #[test]
    fn tiles_follow_the_definition() {
        let grids = [(1, 1), (2, 5), (3, 3), (4, 4), (6, 6), (7, 6), (9, 9), (13, 5), (19, 19)];
        for (number, (height, width)) in grids.into_iter().enumerate() {
            let grid = Grid { height, width };
            for (index, sides) in
                Side::ALL.into_iter().flat_map(|rows| Side::ALL.map(|columns| [rows, columns])).enumerate()
            {
                let channels = [1, 7, 16, 33, 64, 100, 256];
                let (inputs, outputs) = (channels[(number + index) % 7], channels[(number * 3 + index * 2 + 1) % 7]);
                let error = error_of_tiles(grid, sides, 1 + (number + index) % 3, inputs, outputs);
                let bound = if sides.contains(&Side::Six) { 1e-4 } else { 3e-5 };
                assert!(error < bound, "{grid:?} {sides:?} {inputs}→{outputs}: {error}");
            }
        }
    }

    #[test]
    fn the_input_gradient_by_tiles_is_the_direct_one() {
        let (grid, inputs, outputs, boards) = (Grid { height: 7, width: 6 }, 24, 40, 3);
        let tables = Boards::new(grid, boards);
        let matrix = numbers(9 * inputs * outputs, 1);
        let mut direct = Convolution::new(&tables, Window::Square(3), inputs, outputs, true);
        let mut tiled = direct.clone().with_tiles(&tables, [Side::Four, Side::Three]);
        let mut gradient = Cells::new(grid, Layout::Bordered, boards, direct.stride());
        for (index, &cell) in tables.rows(Layout::Bordered).as_slice().iter().enumerate() {
            let values = numbers(outputs, index);
            gradient.numbers[cell as usize * direct.stride()..][..outputs].copy_from_slice(&values);
        }
        let [expected, found] = [&mut direct, &mut tiled].map(|layer| {
            layer.load(|tap, input, output| matrix[(tap * inputs + input) * outputs + output], &[]);
            let mut output = Cells::new(grid, Layout::Dense, boards, layer.input_stride());
            output.numbers.fill(0.5);
            let mut workspace = Workspace::of([layer.workspace_len()].into_iter());
            layer.input_gradient(&tables, boards, &gradient, &mut output, true, &mut workspace);
            output
        });
        for (expected, found) in expected.numbers.iter().zip(found.numbers.iter()) {
            assert!((expected - found).abs() < 1e-3, "{found} for {expected}");
        }
    }

    #[test]
    fn a_board_by_tiles_depends_on_itself_alone() {
        let (grid, channels, boards) = (Grid { height: 9, width: 9 }, 32, 7);
        let tables = Boards::new(grid, boards);
        let mut layer = Convolution::new(&tables, Window::Square(3), channels, channels, false)
            .with_tiles(&tables, [Side::Three, Side::Three]);
        layer.load(|tap, input, output| ((tap + 3 * input + 7 * output) % 13) as f32 - 6.0, &numbers(channels, 3));
        let board_len = grid.bordered_cells() * channels;
        let mut input = Cells::new(grid, Layout::Bordered, boards, channels);
        for &cell in tables.rows(Layout::Bordered).as_slice() {
            input.numbers[cell as usize * channels..][..channels].copy_from_slice(&numbers(channels, cell as usize));
        }
        let mut workspace = Workspace::of([layer.workspace_len()].into_iter());
        let mut together = Cells::new(grid, Layout::Dense, boards, channels);
        layer.forward(&tables, boards, &input, None, &mut together, Finish::Plain, &mut workspace);
        for board in 0..boards {
            let mut own = Cells::new(grid, Layout::Bordered, 1, channels);
            own.numbers.copy_from_slice(&input.numbers[board * board_len..][..board_len]);
            let mut alone = Cells::new(grid, Layout::Dense, 1, channels);
            layer.forward(&tables, 1, &own, None, &mut alone, Finish::Plain, &mut workspace);
            assert_eq!(*alone.numbers, together.numbers[board * grid.cells() * channels..][..alone.numbers.len()]);
        }
    }

    #[test]
    fn a_linear_layer_reads_a_whole_board() {
        let (boards, grid, outputs) = (13, Grid { height: 3, width: 4 }, 7);
        let cells = grid.cells();
        let matrix = numbers(cells * outputs, 2);
        let tables = Boards::new(grid, boards);
        let mut layer = Convolution::new(&tables, Window::Board, 1, outputs, false);
        layer.load(|cell, _, output| matrix[cell * outputs + output], &[0.5; 7]);
        let mut input = Cells::new(grid, Layout::Dense, boards, 1);
        input.numbers.copy_from_slice(&numbers(boards * cells, 1));
        let mut output = Cells::new(grid, Layout::Single, boards, layer.stride());
        layer.forward(&tables, boards, &input, None, &mut output, Finish::Plain, &mut Workspace::none());
        for board in 0..boards {
            for column in 0..outputs {
                let product = |k: usize| input.numbers[board * cells + k] * matrix[k * outputs + column];
                let sum: f32 = (0..cells).map(product).sum();
                assert!((output.numbers[board * layer.stride() + column] - sum - 0.5).abs() < 1e-4);
            }
        }
    }

    #[test]
    #[should_panic(expected = "the last tap lies in the input")]
    fn short_inputs_are_refused() {
        let boards = Boards::new(Grid { height: 2, width: 2 }, 1);
        let layer = Convolution::new(&boards, Window::Square(3), 1, 1, false);
        let input = Cells { numbers: zeros(15), stride: 1, layout: Layout::Bordered };
        let mut output = Cells::new(boards.grid, Layout::Bordered, 1, layer.stride());
        layer.forward(&boards, 1, &input, None, &mut output, Finish::Plain, &mut Workspace::none());
    }
}
