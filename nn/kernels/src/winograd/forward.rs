//! A 3×3 convolution in the transformed domain: tiles in, a matrix product for each element, tiles out.
//!
//! A block of tiles goes through all three before the next begins, and of the last two each panel of outputs before the next,
//! so that what is between stays in the second-level cache. Every tile belongs to one board and is computed the same whatever
//! else is in its block: an answer depends on its own board alone, bit for bit.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; `Forward::compute` checks every range")]

use pulp::Simd;

use super::tiles::{Block, OverTiles, Source, Transformed, Workspace, dispatch, transform_tile};
use super::tiling::{OUTSIDE, Tiling};
use super::transforms::{TransformInput, TransformResults};
use crate::boards::{Bias, Boards, Cells};
use crate::packed::{PANEL_VECTORS, PackedWeights, panel_width};
use crate::product::{cells_next, multiply_add};

/// Bytes that the transformed inputs of a block and its sums for a panel may take, so that they stay in a core's second-level
/// cache.
const BLOCK_BYTES: usize = 384 * 1024;

/// The transformed inputs of a block, and its sums for a panel of outputs.
fn places(tiling: &Tiling, weights: &PackedWeights) -> [Transformed; 2] {
    Transformed::both(tiling, BLOCK_BYTES, [weights.inputs(), panel_width()])
}

/// Numbers that a layer's workspace has.
pub fn workspace_len(tiling: &Tiling, weights: &PackedWeights) -> usize {
    let [inputs, sums] = places(tiling, weights);
    inputs.len() + sums.len()
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
        self.source().assert_holds(self.count);
        let Cells { numbers, stride, layout } = &*self.output;
        assert!(*stride >= weights.padded_outputs(), "an output cell holds all padded outputs");
        let rows = self.boards.rows(*layout);
        rows.assert_cells_lie_in(cells, *stride, numbers.len(), "the last cell lies in the output");
        self.bias.assert_covers(cells, weights.padded_outputs());
        assert!(self.workspace.numbers.len() >= workspace_len(self.tiling, weights), "the workspace holds a block");
        dispatch(self);
    }
}

impl OverTiles for Forward<'_> {
    fn tiling(&self) -> &Tiling {
        self.tiling
    }

    #[inline(always)]
    fn compute_tiles<S: Simd, const ROWS: usize, const COLUMNS: usize>(mut self, simd: S) {
        let places @ [inputs, _] = places(self.tiling, self.weights);
        for block in Block::all(self.count * self.tiling.tiles, inputs.room) {
            // SAFETY: `compute` has checked all buffers; a block has at most `inputs.room` tiles of the first `self.count` boards,
            // and the workspace begins with `inputs.len()` numbers for them; panels are those of the padded outputs.
            unsafe {
                let to = self.workspace.numbers.as_mut_ptr();
                let reads = &self.tiling.reads;
                self.source().transform::<S, TransformInput, ROWS, COLUMNS>(simd, reads, block, to, inputs);
                for panel in 0..self.weights.padded_outputs() / (PANEL_VECTORS * S::F32_LANES) {
                    if S::F32_LANES == 8 {
                        self.multiply::<S, 6, 4, 2>(simd, block, panel, places);
                    } else {
                        self.multiply::<S, 12, 8, 4>(simd, block, panel, places);
                    }
                    self.finish::<S, ROWS, COLUMNS>(simd, block, panel, places);
                }
            }
        }
    }
}

impl Forward<'_> {
    fn source(&self) -> Source<'_> {
        Source { tiling: self.tiling, boards: self.boards, cells: self.input, channels: self.weights.inputs() }
    }

    /// The products of a block with a panel of weights, element by element: `[elements, block, panel]`.
    ///
    /// # Safety
    /// `compute` has checked the buffers. Both places are those of [`places`], the block has at most as many tiles as there is
    /// room for in each, its inputs are transformed, and `panel` is less than the padded outputs divided by a panel's width.
    #[inline(always)]
    unsafe fn multiply<S: Simd, const LARGE: usize, const MEDIUM: usize, const SMALL: usize>(
        &mut self,
        simd: S,
        Block { count, .. }: Block,
        panel: usize,
        [inputs, sums]: [Transformed; 2],
    ) {
        let width = PANEL_VECTORS * S::F32_LANES;
        let elements = self.tiling.elements();
        // SAFETY: `element` is less than the elements and `first` less than `count`, so what is read and written of the workspace
        // lies in its first `inputs.len() + sums.len()` numbers, which `compute` has checked. Panels hold
        // `[elements, inputs, width]` numbers each, and `panel` is one of them.
        unsafe {
            let read = self.workspace.numbers.as_ptr();
            let written = self.workspace.numbers.as_mut_ptr().add(inputs.len());
            for element in 0..elements {
                let input = read.add(element * inputs.element_stride);
                let rows = (panel * elements + element) * self.weights.inputs();
                let weights = self.weights.panels().as_ptr().add(rows * width);
                let output = written.add(element * sums.element_stride);
                let mut first = 0;
                while first < count {
                    let left = count - first;
                    let (input, output) = (input.add(first * inputs.stride), output.add(first * sums.stride));
                    let tiles = Tiles {
                        input,
                        input_stride: inputs.stride,
                        inputs: self.weights.inputs(),
                        output,
                        output_stride: sums.stride,
                        left,
                    };
                    let cells = cells_next([LARGE, MEDIUM, SMALL], left);
                    if cells == LARGE {
                        tiles.multiply::<S, LARGE>(simd, weights);
                    } else if cells == MEDIUM {
                        tiles.multiply::<S, MEDIUM>(simd, weights);
                    } else {
                        tiles.multiply::<S, SMALL>(simd, weights);
                    }
                    first += cells;
                }
            }
        }
    }

    /// Transforms a block's sums for a panel of outputs back, and finishes and stores them.
    ///
    /// # Safety
    /// As of [`multiply`](Self::multiply), which has written the block's sums for `panel`; the block's tiles are of the first
    /// `count` boards.
    #[inline(always)]
    unsafe fn finish<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        Block { first, count }: Block,
        panel: usize,
        [inputs, sums]: [Transformed; 2],
    ) {
        let width = PANEL_VECTORS * S::F32_LANES;
        let (cells, results) = (self.boards.grid.cells(), self.tiling.results());
        let rows = self.boards.rows(self.output.layout).as_slice();
        let zero = simd.splat_f32s(0.0);
        for index in 0..count {
            let (board, tile) = ((first + index) / self.tiling.tiles, (first + index) % self.tiling.tiles);
            let writes = &self.tiling.writes[tile * results..][..results];
            let places = &rows[board * cells..][..cells];
            let bias = self.bias.start(board * cells, self.weights.padded_outputs());
            for vector in (0..width).step_by(S::F32_LANES) {
                let channel = panel * width + vector;
                // SAFETY: the sums of tile `index` lie behind the inputs in the workspace, `sums.element_stride` numbers from one
                // element to the next. `writes` has `results` cells, each outside or one of the board's `cells`, which
                // `places` has. `compute` has checked that the output holds all padded outputs of all of them, and the
                // bias too; `channel` and the vector behind it are padded outputs.
                unsafe {
                    let from = self.workspace.numbers.as_ptr().add(inputs.len() + index * sums.stride + vector);
                    let read =
                        |element: usize| from.add(element * sums.element_stride).cast::<S::f32s>().read_unaligned();
                    let bias = self.bias.numbers.as_ptr().add(bias + channel).cast::<S::f32s>().read_unaligned();
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
                    transform_tile::<S, TransformResults, ROWS, COLUMNS>(simd, read, write);
                }
            }
        }
    }
}

/// One element of some transformed tiles, and where their sums for a panel of outputs go.
struct Tiles {
    /// The first input of the first tile.
    input: *const f32,
    /// Numbers from one tile to the next.
    input_stride: usize,
    /// Inputs of a tile.
    inputs: usize,
    /// The first sum of the first tile.
    output: *mut f32,
    /// Numbers from the sums of one tile to those of the next.
    output_stride: usize,
    /// How many tiles are left, at least one.
    left: usize,
}

impl Tiles {
    /// The sums of one panel for `CELLS` tiles, or as many as are left.
    ///
    /// # Safety
    /// For each of these tiles, `inputs` numbers can be read and a panel of sums written; `weights` are `inputs` rows of a
    /// panel's width.
    #[inline(always)]
    unsafe fn multiply<S: Simd, const CELLS: usize>(self, simd: S, weights: *const f32) {
        let valid = CELLS.min(self.left);
        let mut sums = [[simd.splat_f32s(0.0); PANEL_VECTORS]; CELLS];
        let mut cells = [self.input; CELLS];
        // SAFETY: tiles beyond the last of the `valid` are read like it, and not written.
        unsafe {
            for (index, cell) in cells.iter_mut().enumerate() {
                *cell = cell.add(index.min(valid - 1) * self.input_stride);
            }
            multiply_add(simd, &mut sums, cells, 0, weights, self.inputs);
            for (index, sums) in sums.iter().enumerate().take(valid) {
                let output = self.output.add(index * self.output_stride);
                for (vector, &sum) in sums.iter().enumerate() {
                    output.add(vector * S::F32_LANES).cast::<S::f32s>().write_unaligned(sum);
                }
            }
        }
    }
}
