//! A layer ready to be computed, and the boards it is computed on.

use selfplay_kernels::packed::{Aligned, zeros};
use selfplay_kernels::{Bias, Grid, PackedWeights, Product, Rows};

use super::folded::FoldedLayer;

/// Weights and bias in the kernels' order.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub weights: PackedWeights,
    /// `[padded_outputs]`
    pub bias: Vec<f32>,
}

impl Layer {
    pub fn new(folded: &FoldedLayer) -> Self {
        let FoldedLayer { taps, inputs, outputs, .. } = *folded;
        let weights = PackedWeights::new(taps, inputs, outputs, |row, output| folded.weight(row, output));
        let mut bias = folded.bias.clone();
        bias.resize(weights.padded_outputs(), 0.0);
        Layer { weights, bias }
    }

    /// Channels of a buffer that this layer writes.
    pub fn stride(&self) -> usize {
        self.weights.padded_outputs()
    }
}

/// Where the cells of a batch of boards are.
#[derive(Clone, Debug)]
pub(super) struct Boards {
    pub grid: Grid,
    /// Most boards in one pass.
    pub capacity: usize,
    /// The cells of all boards in buffers with borders.
    pub bordered: Rows,
    /// The cells of all boards in buffers without borders.
    pub dense: Rows,
    /// The first cell of each board in buffers without borders.
    pub first_cells: Rows,
    /// The taps of a 3×3 convolution.
    pub around: Vec<isize>,
    /// The cells of a board as taps from its first cell, without borders.
    pub all_cells: Vec<isize>,
}

impl Boards {
    pub fn new(grid: Grid, capacity: usize) -> Self {
        Boards {
            grid,
            capacity,
            bordered: grid.rows(capacity),
            dense: Rows::every(1, capacity * grid.cells()),
            first_cells: Rows::every(grid.cells(), capacity),
            around: grid.taps(3),
            all_cells: (0..grid.cells() as isize).collect(),
        }
    }
}

impl Boards {
    /// Cells of a buffer with borders.
    pub fn bordered_cells(&self) -> usize {
        self.capacity * self.grid.bordered_cells()
    }

    /// The cells of board number `board` in buffers with borders, row by row.
    fn cells_of(&self, board: usize) -> impl Iterator<Item = usize> + '_ {
        let cells = self.grid.cells();
        self.bordered.as_slice()[board * cells..][..cells].iter().map(|&cell| cell as usize)
    }

    /// Writes `planes`, `[planes, height, width]`, as `T`s into board number `board` of a buffer with borders that has
    /// `stride` numbers for each cell.
    pub fn write_planes<T>(
        &self,
        board: usize,
        planes: &[f32],
        numbers: &mut [T],
        stride: usize,
        number: impl Fn(f32) -> T,
    ) {
        for (cell, target) in self.cells_of(board).enumerate() {
            let target = &mut numbers[target * stride..][..stride];
            for (target, plane) in target.iter_mut().zip(planes.chunks_exact(self.grid.cells())) {
                *target = number(plane[cell]);
            }
        }
    }

    /// A linear layer for each of the first `count` boards.
    pub fn one_each(&self, count: usize) -> Path<'_> {
        Path { count, from: &self.dense, taps: &[0], to: &self.dense }
    }
}

/// A buffer of `stride` numbers for each cell.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub numbers: Aligned<f32>,
    pub stride: usize,
}

impl Cells {
    pub fn new(cells: usize, stride: usize) -> Self {
        Cells { numbers: zeros(cells * stride), stride }
    }
}

/// Which cells a layer reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    pub count: usize,
    pub from: &'a Rows,
    pub taps: &'a [isize],
    pub to: &'a Rows,
}

/// What happens to a sum before it is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// Nothing.
    Plain,
    /// It is rectified.
    Rectify,
    /// What stood there is added, then it is rectified.
    AddAndRectify,
}

/// `output = finish(input · layer)`, with another bias than the layer's own if one is given.
pub(super) fn compute(
    layer: &Layer,
    bias: Option<Bias<'_>>,
    path: Path<'_>,
    input: &Cells,
    output: &mut Cells,
    finish: Finish,
) {
    Product {
        count: path.count,
        input: &input.numbers,
        input_stride: input.stride,
        input_rows: path.from,
        taps: path.taps,
        weights: &layer.weights,
        bias: bias.unwrap_or(Bias::Shared(&layer.bias)),
        output: &mut output.numbers,
        output_stride: output.stride,
        output_rows: path.to,
        adds: finish == Finish::AddAndRectify,
        rectifies: finish != Finish::Plain,
    }
    .compute();
}

/// Mean over the cells of each of `channels` channels, then the maximum of each, side by side for each of the first
/// `count` boards; `dense` has no borders.
pub(super) fn mean_and_max(dense: &Cells, channels: usize, cells: usize, count: usize, summary: &mut Cells) {
    summary.stride = 2 * channels;
    let per_board = dense.numbers.chunks_exact(cells * dense.stride).take(count);
    for (cells_of_board, summary) in per_board.zip(summary.numbers.chunks_exact_mut(2 * channels)) {
        let (mean, max) = summary.split_at_mut(channels);
        mean.fill(0.0);
        max.fill(f32::NEG_INFINITY);
        for cell in cells_of_board.chunks_exact(dense.stride) {
            for ((mean, max), &number) in mean.iter_mut().zip(max.iter_mut()).zip(cell) {
                *mean += number;
                *max = max.max(number);
            }
        }
        for mean in mean {
            *mean /= cells as f32;
        }
    }
}
