//! How the weights of a 3×3 layer should change, gathered in the transformed domain: tiles of inputs and of gradients in, a
//! product over the tiles for each element, windows out.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; `WeightGradient::compute` checks every range"
)]

use pulp::Simd;

use super::tiles::{Block, OverTiles, Source, Workspace, block_tiles, dispatch, transformed_stride};
use super::tiling::Tiling;
use crate::boards::{Boards, Cells};
use crate::grid::Rows;
use crate::packed::panel_width;
use crate::weight_gradient::{self, add_tiles};

/// Taps of a window.
const TAPS: usize = 9;

/// Numbers that the workspace has: the transformed inputs and gradients of a block, and the sums of all elements.
pub fn gradient_workspace_len(tiling: &Tiling, inputs: usize, outputs: usize) -> usize {
    let [read, written] = [transformed_stride(inputs), outputs.next_multiple_of(panel_width())];
    let channels = read + written;
    tiling.elements() * (channels * block_tiles(tiling.elements(), channels) + inputs * written)
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
        self.source().assert_holds_inputs(self.count);
        let (rows, cells) = (self.boards.rows(self.gradient.layout), self.count * self.boards.grid.cells());
        let len = self.gradient.numbers.len();
        rows.assert_cells_lie_in(cells, stride, len, "the last cell lies in the gradient");
        let len = gradient_workspace_len(self.tiling, self.inputs, stride);
        assert!(self.workspace.numbers.len() >= len, "the workspace holds a block and all sums");
        dispatch(self);
    }

    fn source(&self) -> Source<'_> {
        Source { tiling: self.tiling, boards: self.boards, cells: self.input, channels: self.inputs }
    }

    fn target(&self) -> Source<'_> {
        Source { tiling: self.tiling, boards: self.boards, cells: self.gradient, channels: self.gradient.stride }
    }
}

impl OverTiles for WeightGradient<'_> {
    fn tiling(&self) -> &Tiling {
        self.tiling
    }

    #[inline(always)]
    fn compute_tiles<S: Simd, const ROWS: usize, const COLUMNS: usize>(self, simd: S) {
        let (elements, inputs, outputs) = (self.tiling.elements(), self.inputs, self.gradient.stride);
        let read = transformed_stride(inputs);
        let room = block_tiles(elements, read + outputs);
        let tiles = self.count * self.tiling.tiles;
        let rows = Rows::every(1, room);
        let (source, target) = (self.source(), self.target());
        let numbers = self.workspace.numbers.as_ptr().cast_mut();
        for first in (0..tiles).step_by(room) {
            let block = Block { first, count: room.min(tiles - first), room };
            // SAFETY: `compute` has checked all buffers; the parts of the workspace do not overlap.
            unsafe {
                let transformed = numbers.add(elements * room * read);
                source.transform_inputs::<S, ROWS, COLUMNS>(simd, block, numbers);
                target.transform_gradients::<S, ROWS, COLUMNS>(simd, block, transformed);
                let sums = transformed.add(elements * room * outputs);
                for element in 0..elements {
                    let part = |from: *const f32, stride: usize| {
                        std::slice::from_raw_parts(from.add(element * room * stride), block.count * stride)
                    };
                    let sums = sums.add(element * inputs * outputs);
                    let product = weight_gradient::WeightGradient {
                        count: block.count,
                        rows: &rows,
                        input: part(numbers, read),
                        input_stride: read,
                        inputs,
                        taps: &[0],
                        gradient: part(transformed, outputs),
                        gradient_stride: outputs,
                        sums: std::slice::from_raw_parts_mut(sums, inputs * outputs),
                        adds: first > 0,
                    };
                    add_tiles(simd, product);
                }
            }
        }
        // SAFETY: see above; what lies behind the transformed gradients are the sums.
        let elements_sums = unsafe {
            std::slice::from_raw_parts(numbers.add(elements * room * (read + outputs)), elements * inputs * outputs)
        };
        windows_of(simd, self.tiling, elements_sums, &mut self.sums[..TAPS * inputs * outputs]);
    }
}

/// `Gᵀ s G` of each pair of channels: from `[elements, inputs · outputs]` to `[taps, inputs · outputs]`.
#[inline(always)]
fn windows_of<S: Simd>(simd: S, tiling: &Tiling, sums: &[f32], windows: &mut [f32]) {
    let pairs = windows.len() / TAPS;
    let [rows, columns] = tiling.sides.map(super::transforms::Side::window_matrix);
    let zero = simd.splat_f32s(0.0);
    for first in (0..pairs).step_by(S::F32_LANES) {
        let mut taps = [[zero; 3]; 3];
        for (row, row_weights) in rows.iter().enumerate() {
            // A row of elements along the columns, which then goes to each row of the window.
            let mut line = [zero; 3];
            for (column, column_weights) in columns.iter().enumerate() {
                let element = row * columns.len() + column;
                let number = S::as_simd_f32s(&sums[element * pairs + first..][..S::F32_LANES]).0[0];
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
            S::as_mut_simd_f32s(&mut windows[tap * pairs + first..][..S::F32_LANES]).0[0] = number;
        }
    }
}
