//! A 3×3 convolution in the transformed domain: tiles in, a matrix product for each element, tiles out.
//!
//! A block of tiles goes through all three before the next begins, so that what is between stays in the second-level
//! cache. Every tile belongs to one board and is computed the same whatever else is in its block: an answer depends on its
//! own board alone, bit for bit.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; `Forward::compute` checks every range")]

use pulp::{Arch, Simd, WithSimd};

use super::tiling::{OUTSIDE, Tiling};
use super::transforms::{Line, MOST_ELEMENTS, Side, transform_input, transform_results};
use crate::boards::{Bias, Boards, Cells};
use crate::packed::{Aligned, PANEL_VECTORS, PackedWeights, zeros};
use crate::product::multiply_add;

/// Bytes that a block's transformed inputs and sums may take.
const BLOCK_BYTES: usize = 384 * 1024;
/// Tiles of a block come in so many: the cells of a tile of sums on any CPU.
const BLOCK_STEP: usize = 12;

/// Memory for one worker: the transformed inputs of a block, then its sums.
#[derive(Clone, Debug)]
pub struct Workspace {
    numbers: Aligned<f32>,
}

impl Workspace {
    /// As large as the largest of these lengths.
    pub fn of(lengths: impl IntoIterator<Item = usize>) -> Self {
        Workspace { numbers: zeros(lengths.into_iter().max().unwrap_or(0)) }
    }

    /// For layers that want none; costs nothing.
    pub fn none() -> Self {
        Self::of([])
    }
}

/// Tiles in a block.
fn block_tiles(elements: usize, channels: usize) -> usize {
    let fitting = BLOCK_BYTES / (elements * channels * size_of::<f32>());
    (fitting / BLOCK_STEP * BLOCK_STEP).max(BLOCK_STEP)
}

/// Numbers that a layer's workspace has.
pub fn workspace_len(tiling: &Tiling, weights: &PackedWeights) -> usize {
    let channels = input_stride(weights) + weights.padded_outputs();
    tiling.elements() * channels * block_tiles(tiling.elements(), channels)
}

/// Numbers of a transformed cell: whole vectors.
fn input_stride(weights: &PackedWeights) -> usize {
    // A panel is two vectors.
    weights.inputs().next_multiple_of(crate::packed::panel_width() / PANEL_VECTORS)
}

/// One layer for a batch, as [`Product`](crate::product::Product) with a window of nine taps.
#[derive(Debug)]
pub(crate) struct Forward<'a> {
    pub tiling: &'a Tiling,
    pub boards: &'a Boards,
    /// Boards to compute.
    pub count: usize,
    /// Bordered.
    pub input: &'a Cells,
    /// Transformed, an element for each tap.
    pub weights: &'a PackedWeights,
    pub bias: Bias<'a>,
    pub output: &'a mut Cells,
    pub adds: bool,
    pub rectifies: bool,
    pub workspace: &'a mut Workspace,
}

impl Forward<'_> {
    /// Computes it on the calling thread.
    ///
    /// # Panics
    /// If a buffer, the bias or the workspace is too short.
    pub fn compute(self) {
        if self.count == 0 {
            return;
        }
        let (weights, grid) = (self.weights, self.boards.grid);
        let cells = self.count * grid.cells();
        assert_eq!(weights.taps(), self.tiling.elements(), "weights are transformed for these tiles");
        assert!(self.input.stride >= weights.inputs(), "a cell holds all inputs");
        let input_len = self.count * grid.bordered_cells() * self.input.stride;
        assert!(self.input.numbers.len() >= input_len, "all boards lie in the input");
        let Cells { numbers, stride, layout } = &*self.output;
        assert!(*stride >= weights.padded_outputs(), "an output cell holds all padded outputs");
        let rows = self.boards.rows(*layout);
        rows.assert_cells_lie_in(cells, *stride, numbers.len(), "the last cell lies in the output");
        self.bias.assert_covers(cells, weights.padded_outputs());
        assert!(self.workspace.numbers.len() >= workspace_len(self.tiling, weights), "the workspace holds a block");
        Arch::new().dispatch(self);
    }
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (elements, inputs) = (self.tiling.elements(), input_stride(self.weights));
        let block = block_tiles(elements, inputs + self.weights.padded_outputs());
        let tiles = self.count * self.tiling.tiles;
        for first in (0..tiles).step_by(block) {
            let count = block.min(tiles - first);
            // SAFETY: `compute` has checked all buffers.
            unsafe {
                self.transform_block(simd, first, count, block);
                if S::F32_LANES == 8 {
                    self.multiply::<S, 6, 4, 2>(simd, count, block);
                } else {
                    self.multiply::<S, 12, 8, 4>(simd, count, block);
                }
                self.finish_block(simd, first, count, block);
            }
        }
    }
}

impl Forward<'_> {
    /// Transforms the inputs of `count` tiles from number `first`: `[elements, block, inputs]`.
    #[inline(always)]
    unsafe fn transform_block<S: Simd>(&mut self, simd: S, first: usize, count: usize, block: usize) {
        let stride = input_stride(self.weights);
        let board_len = self.boards.grid.bordered_cells() * self.input.stride;
        let elements = self.tiling.elements();
        let numbers = self.workspace.numbers.as_mut_ptr();
        for index in 0..count {
            let (board, tile) = ((first + index) / self.tiling.tiles, (first + index) % self.tiling.tiles);
            let reads = &self.tiling.reads[tile * elements..][..elements];
            for channel in (0..self.weights.inputs()).step_by(S::F32_LANES) {
                let whole = channel + S::F32_LANES <= self.input.stride;
                let left = self.weights.inputs().min(channel + S::F32_LANES) - channel;
                // SAFETY: the caller's promise.
                unsafe {
                    let board = self.input.numbers.as_ptr().add(board * board_len + channel);
                    let read = |element: usize| {
                        let cell = board.add(*reads.get_unchecked(element) as usize * self.input.stride);
                        if whole {
                            cell.cast::<S::f32s>().read_unaligned()
                        } else {
                            simd.partial_load_f32s(std::slice::from_raw_parts(cell, left))
                        }
                    };
                    let target = numbers.add(index * stride + channel);
                    let write = |element: usize, number: S::f32s| {
                        target.add(element * block * stride).cast::<S::f32s>().write_unaligned(number);
                    };
                    transform_tile::<S, false>(simd, self.tiling.sides, read, write);
                }
            }
        }
    }

    /// The products of `count` tiles, element by element: `[elements, block, outputs]`.
    #[inline(always)]
    unsafe fn multiply<S: Simd, const LARGE: usize, const MEDIUM: usize, const SMALL: usize>(
        &mut self,
        simd: S,
        count: usize,
        block: usize,
    ) {
        let width = PANEL_VECTORS * S::F32_LANES;
        let (stride, outputs, elements) =
            (input_stride(self.weights), self.weights.padded_outputs(), self.tiling.elements());
        // SAFETY: the caller's promise.
        unsafe {
            let inputs = self.workspace.numbers.as_ptr();
            let sums = self.workspace.numbers.as_mut_ptr().add(elements * block * stride);
            for element in 0..elements {
                let input = inputs.add(element * block * stride);
                for panel in 0..outputs / width {
                    let rows = (panel * elements + element) * self.weights.inputs();
                    let weights = self.weights.panels().as_ptr().add(rows * width);
                    let output = sums.add(element * block * outputs + panel * width);
                    let mut first = 0;
                    while first < count {
                        let left = count - first;
                        let at = (input.add(first * stride), stride, output.add(first * outputs), outputs, left);
                        match left {
                            _ if left > MEDIUM => tile::<S, LARGE>(simd, at, weights, self.weights.inputs()),
                            _ if left > SMALL => tile::<S, MEDIUM>(simd, at, weights, self.weights.inputs()),
                            _ => tile::<S, SMALL>(simd, at, weights, self.weights.inputs()),
                        }
                        first += LARGE;
                    }
                }
            }
        }
    }

    /// Transforms the sums of `count` tiles from number `first` back, and finishes and stores them.
    #[inline(always)]
    unsafe fn finish_block<S: Simd>(&mut self, simd: S, first: usize, count: usize, block: usize) {
        let (stride, outputs, elements) =
            (input_stride(self.weights), self.weights.padded_outputs(), self.tiling.elements());
        let (cells, results) = (self.boards.grid.cells(), self.tiling.results());
        let rows = self.boards.rows(self.output.layout).as_slice();
        let zero = simd.splat_f32s(0.0);
        for index in 0..count {
            let (board, tile) = ((first + index) / self.tiling.tiles, (first + index) % self.tiling.tiles);
            let writes = &self.tiling.writes[tile * results..][..results];
            let places = &rows[board * cells..][..cells];
            let bias = self.bias.start(board * cells, outputs);
            for channel in (0..outputs).step_by(S::F32_LANES) {
                // SAFETY: the caller's promise.
                unsafe {
                    let sums =
                        self.workspace.numbers.as_ptr().add(elements * block * stride + index * outputs + channel);
                    let bias = self.bias.numbers.as_ptr().add(bias + channel).cast::<S::f32s>().read_unaligned();
                    let read = |element: usize| sums.add(element * block * outputs).cast::<S::f32s>().read_unaligned();
                    let output = self.output.numbers.as_mut_ptr().add(channel);
                    let (adds, rectifies, output_stride) = (self.adds, self.rectifies, self.output.stride);
                    let write = |result: usize, number: S::f32s| {
                        let cell = *writes.get_unchecked(result);
                        if cell == OUTSIDE {
                            return;
                        }
                        let cell = *places.get_unchecked(cell as usize) as usize;
                        let target = output.add(cell * output_stride).cast::<S::f32s>();
                        let mut number = simd.add_f32s(number, bias);
                        if adds {
                            number = simd.add_f32s(number, target.read_unaligned());
                        }
                        if rectifies {
                            number = simd.max_f32s(number, zero);
                        }
                        target.write_unaligned(number);
                    };
                    transform_tile::<S, true>(simd, self.tiling.sides, read, write);
                }
            }
        }
    }
}

/// The transform of one tile's inputs for one vector of channels, or where `IS_BACK` that of its sums to results: along the
/// columns and then along the rows. Elements and results are numbered row by row. (Not a parameter: as a closure the
/// transform of a line is not inlined, and does without the CPU's vectors.)
#[inline(always)]
fn transform_tile<S: Simd, const IS_BACK: bool>(
    simd: S,
    [rows, columns]: [Side; 2],
    read: impl Fn(usize) -> S::f32s,
    mut write: impl FnMut(usize, S::f32s),
) {
    let zero = simd.splat_f32s(0.0);
    let (height, width) = (rows.elements(), columns.elements());
    let [kept_rows, kept_columns] = [rows, columns].map(if IS_BACK { Side::results } else { Side::elements });
    let mut tile: [Line<S>; MOST_ELEMENTS] = [[zero; MOST_ELEMENTS]; MOST_ELEMENTS];
    for column in 0..width {
        let mut line = [zero; MOST_ELEMENTS];
        for (row, number) in line.iter_mut().enumerate().take(height) {
            *number = read(row * width + column);
        }
        transform_line::<S, IS_BACK>(simd, rows, &mut line);
        for (tile, number) in tile.iter_mut().zip(line) {
            tile[column] = number;
        }
    }
    for (row, line) in tile.iter_mut().enumerate().take(kept_rows) {
        transform_line::<S, IS_BACK>(simd, columns, line);
        for (column, &number) in line.iter().enumerate().take(kept_columns) {
            write(row * kept_columns + column, number);
        }
    }
}

#[inline(always)]
fn transform_line<S: Simd, const IS_BACK: bool>(simd: S, side: Side, line: &mut Line<S>) {
    if IS_BACK { transform_results(simd, side, line) } else { transform_input(simd, side, line) }
}

/// The sums of one panel for `CELLS` tiles, or as many as are left: the input and its stride, the output and its stride,
/// how many are left.
///
/// # Safety
/// All of that can be read and written.
#[inline(always)]
unsafe fn tile<S: Simd, const CELLS: usize>(
    simd: S,
    (input, input_stride, output, output_stride, left): (*const f32, usize, *mut f32, usize, usize),
    weights: *const f32,
    inputs: usize,
) {
    let valid = CELLS.min(left);
    let mut sums = [[simd.splat_f32s(0.0); PANEL_VECTORS]; CELLS];
    let mut cells = [input; CELLS];
    // SAFETY: the caller's promise.
    unsafe {
        for (index, cell) in cells.iter_mut().enumerate() {
            *cell = cell.add(index.min(valid - 1) * input_stride);
        }
        multiply_add(simd, &mut sums, cells, 0, weights, inputs);
        for (index, sums) in sums.iter().enumerate().take(valid) {
            for (vector, &sum) in sums.iter().enumerate() {
                output.add(index * output_stride + vector * S::F32_LANES).cast::<S::f32s>().write_unaligned(sum);
            }
        }
    }
}
