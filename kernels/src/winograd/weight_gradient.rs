//! How the weights of a 3×3 layer should change, gathered in the transformed domain: tiles of inputs and of gradients in, a
//! product over the tiles for each element, windows out.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; `WeightGradient::compute` checks every range"
)]

use pulp::Simd;

use super::tiles::{Block, OverTiles, Source, Workspace, block_tiles, dispatch, element_stride, transformed_stride};
use super::tiling::Tiling;
use super::transforms::Side;
use crate::boards::{Boards, Cells};
use crate::grid::Rows;
use crate::packed::{PANEL_VECTORS, panel_width};
use crate::weight_gradient::{self, INPUT_GROUP};

/// Bytes that the transformed inputs and gradients of a block may take: more than on the way forth, since each block's
/// sums are transformed.
const BLOCK_BYTES: usize = 768 * 1024;
/// Taps of a window.
const TAPS: usize = 9;
/// Inputs whose sums for a panel of outputs stay in registers, with as many of these as AVX-512 has.
const MOST_INPUTS: usize = 12;

/// How the workspace is laid out: transformed inputs, transformed gradients, sums.
#[derive(Clone, Copy)]
struct Plan {
    elements: usize,
    inputs: usize,
    outputs: usize,
    /// Tiles of a block.
    room: usize,
    /// Numbers of a cell of the transformed inputs.
    stride: usize,
}

impl Plan {
    fn new(tiling: &Tiling, inputs: usize, outputs: usize) -> Self {
        let (elements, outputs) = (tiling.elements(), outputs.next_multiple_of(panel_width()));
        // Inputs are read in whole groups.
        let stride = transformed_stride(inputs).next_multiple_of(INPUT_GROUP);
        Plan { elements, inputs, outputs, room: block_tiles(BLOCK_BYTES, elements, stride + outputs), stride }
    }

    /// Numbers between one element and the next of the transformed inputs and gradients.
    fn element_strides(&self) -> [usize; 2] {
        [self.stride, self.outputs].map(|stride| element_stride(self.room, stride))
    }

    /// Numbers between the sums of an input, `[elements, panel]`, and those of the next.
    fn sums_stride(&self) -> usize {
        element_stride(self.elements, panel_width())
    }

    /// Where the transformed gradients and the sums begin, and where the latter end.
    fn starts(&self) -> [usize; 3] {
        let [inputs, gradients] = self.element_strides().map(|stride| self.elements * stride);
        [inputs, inputs + gradients, inputs + gradients + MOST_INPUTS * self.sums_stride()]
    }
}

/// Numbers that the workspace has.
pub fn gradient_workspace_len(tiling: &Tiling, inputs: usize, outputs: usize) -> usize {
    Plan::new(tiling, inputs, outputs).starts()[2]
}

/// The sums for one layer and a batch, as those of [`weight_gradient::WeightGradient`] with a window of nine taps.
pub(crate) struct WeightGradient<'a> {
    pub tiling: &'a Tiling,
    pub boards: &'a Boards,
    /// Boards to sum over.
    pub count: usize,
    /// What the layer read, bordered.
    pub input: &'a Cells,
    /// Numbers of each input cell that the layer read.
    pub inputs: usize,
    /// The gradient of the layer's results; the numbers of a cell fill whole panels.
    pub gradient: &'a Cells,
    /// Replaced by the result, `[taps, inputs, gradient stride]`.
    pub sums: &'a mut [f32],
    pub workspace: &'a mut Workspace,
}

impl WeightGradient<'_> {
    /// Computes it on the calling thread. Every sum adds its tiles in ascending order.
    ///
    /// # Panics
    /// If a buffer or the workspace is too short, or the gradient's cells are not whole panels.
    pub fn compute(self) {
        let stride = self.gradient.stride;
        if self.count == 0 {
            self.sums[..TAPS * self.inputs * stride].fill(0.0);
            return;
        }
        assert!(self.sums.len() >= TAPS * self.inputs * stride, "there is a sum for each weight");
        assert!(stride.is_multiple_of(panel_width()), "outputs come in whole panels");
        source(&self).assert_holds_inputs(self.count);
        let (rows, cells) = (self.boards.rows(self.gradient.layout), self.count * self.boards.grid.cells());
        let len = self.gradient.numbers.len();
        rows.assert_cells_lie_in(cells, stride, len, "the last cell lies in the gradient");
        let len = gradient_workspace_len(self.tiling, self.inputs, stride);
        assert!(self.workspace.numbers.len() >= len, "the workspace holds a block and all sums");
        dispatch(self);
    }
}

/// What the layer read.
fn source<'a>(layer: &WeightGradient<'a>) -> Source<'a> {
    Source { tiling: layer.tiling, boards: layer.boards, cells: layer.input, channels: layer.inputs }
}

impl OverTiles for WeightGradient<'_> {
    fn tiling(&self) -> &Tiling {
        self.tiling
    }

    #[inline(always)]
    fn compute_tiles<S: Simd, const ROWS: usize, const COLUMNS: usize>(self, simd: S) {
        let plan = Plan::new(self.tiling, self.inputs, self.gradient.stride);
        let tiles = self.count * self.tiling.tiles;
        let rows = Rows::every(1, plan.room);
        let source = source(&self);
        let target = Source { cells: self.gradient, channels: self.gradient.stride, ..source };
        let (transformed, sums) = self.workspace.numbers.split_at_mut(plan.starts()[1]);
        let (read, written) = transformed.split_at_mut(plan.starts()[0]);
        for first in (0..tiles).step_by(plan.room) {
            let block = Block { first, count: plan.room.min(tiles - first), room: plan.room };
            // SAFETY: `compute` has checked all buffers, and the plan has room for a block.
            unsafe {
                source.transform_inputs::<S, ROWS, COLUMNS>(simd, block, read.as_mut_ptr());
                target.transform_gradients::<S, ROWS, COLUMNS>(simd, block, written.as_mut_ptr());
            }
            let mut block =
                Products { plan, tiles: &rows.as_slice()[..block.count], read, written, sums, adds: first > 0 };
            if S::F32_LANES == 8 {
                block.add::<S, ROWS, COLUMNS, 6, 4, 2>(simd, self.sums);
            } else {
                block.add::<S, ROWS, COLUMNS, MOST_INPUTS, 8, 4>(simd, self.sums);
            }
        }
    }
}

/// A block that is transformed.
struct Products<'a> {
    plan: Plan,
    /// `0..`, as many as there are.
    tiles: &'a [u32],
    read: &'a [f32],
    written: &'a [f32],
    /// Memory for the sums of some inputs and a panel of outputs.
    sums: &'a mut [f32],
    /// Whether the block's windows are added to those of the blocks before it.
    adds: bool,
}

impl Products<'_> {
    /// Sums over the block, and transforms the sums to `windows`, `[taps, inputs, outputs]`: `LARGE` inputs and a panel of
    /// outputs after the other, so that the sums of all elements stay in the second-level cache.
    #[inline(always)]
    fn add<
        S: Simd,
        const ROWS: usize,
        const COLUMNS: usize,
        const LARGE: usize,
        const MEDIUM: usize,
        const SMALL: usize,
    >(
        &mut self,
        simd: S,
        windows: &mut [f32],
    ) {
        let width = PANEL_VECTORS * S::F32_LANES;
        for first in (0..self.plan.inputs).step_by(LARGE) {
            for output in (0..self.plan.outputs).step_by(width) {
                // SAFETY: the plan has room for `LARGE` inputs rounded up to whole groups.
                unsafe {
                    match self.plan.inputs - first {
                        left if left > MEDIUM => self.sum::<S, LARGE>(simd, first, output),
                        left if left > SMALL => self.sum::<S, MEDIUM>(simd, first, output),
                        _ => self.sum::<S, SMALL>(simd, first, output),
                    }
                }
                for input in first..self.plan.inputs.min(first + LARGE) {
                    for vector in (0..width).step_by(S::F32_LANES) {
                        let from = (input - first) * self.plan.sums_stride() + vector;
                        let to = input * self.plan.outputs + output + vector;
                        self.window::<S, ROWS, COLUMNS>(simd, from, to, windows);
                    }
                }
            }
        }
    }

    /// The sums of all elements for `INPUTS` inputs from number `first` and the panel from `output`:
    /// `[inputs, elements, panel]`.
    ///
    /// # Safety
    /// Transformed cells have so many inputs from `first`.
    #[inline(always)]
    unsafe fn sum<S: Simd, const INPUTS: usize>(&mut self, simd: S, first: usize, output: usize) {
        let [read, written] = self.plan.element_strides();
        for element in 0..self.plan.elements {
            // SAFETY: the caller's promise.
            unsafe {
                let block = weight_gradient::Block {
                    cells: self.tiles,
                    input: self.read.as_ptr().add(element * read + first),
                    input_stride: self.plan.stride,
                    inputs: INPUTS.min(self.plan.inputs - first),
                    gradient: self.written.as_ptr().add(element * written + output),
                    gradient_stride: self.plan.outputs,
                    sums: self.sums.as_mut_ptr().add(element * PANEL_VECTORS * S::F32_LANES),
                    sums_stride: self.plan.sums_stride(),
                    adds: false,
                };
                block.compute::<S, INPUTS>(simd);
            }
        }
    }

    /// `Gᵀ s G` of one vector of sums, which begins at `from`, to the place `to` of each tap.
    #[inline(always)]
    fn window<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &self,
        simd: S,
        from: usize,
        to: usize,
        windows: &mut [f32],
    ) {
        let rows = const { Side::with_results(ROWS).window_matrix() };
        let columns = const { Side::with_results(COLUMNS).window_matrix() };
        let mut taps = [[simd.splat_f32s(0.0); 3]; 3];
        for (row, row_weights) in rows.iter().enumerate() {
            // A row of elements along the columns, which then goes to each row of the window.
            let mut line = [simd.splat_f32s(0.0); 3];
            for (column, column_weights) in columns.iter().enumerate() {
                let element = row * columns.len() + column;
                let sums = &self.sums[from + element * PANEL_VECTORS * S::F32_LANES..][..S::F32_LANES];
                let number = S::as_simd_f32s(sums).0[0];
                for (sum, &weight) in line.iter_mut().zip(column_weights) {
                    *sum = simd.mul_add_e_f32s(simd.splat_f32s(weight), number, *sum);
                }
            }
            for (taps, &weight) in taps.iter_mut().zip(row_weights) {
                for (tap, number) in taps.iter_mut().zip(line) {
                    *tap = simd.mul_add_e_f32s(simd.splat_f32s(weight), number, *tap);
                }
            }
        }
        for (tap, &number) in taps.iter().flatten().enumerate() {
            let window = &mut windows[tap * self.plan.inputs * self.plan.outputs + to..][..S::F32_LANES];
            let window = &mut S::as_mut_simd_f32s(window).0[0];
            *window = if self.adds { simd.add_f32s(*window, number) } else { number };
        }
    }
}
