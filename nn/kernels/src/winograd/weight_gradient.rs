//! How the weights of a 3×3 layer should change, gathered in the transformed domain: tiles of inputs and of gradients in, a
//! product over the tiles for each element, windows out.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; `WeightGradient::compute` checks every range"
)]

use pulp::Simd;

use super::tiles::{Block, OverTiles, Source, Transformed, Workspace, dispatch, odd_lines};
use super::tiling::Tiling;
use super::transforms::{Side, TransformGradient, TransformInput};
use crate::boards::{Boards, Cells};
use crate::packed::{PANEL_VECTORS, panel_width};
use crate::weight_gradient;

/// Bytes that the transformed inputs and gradients of a block may take: more than on the way forth, since each block's
/// sums are transformed.
const BLOCK_BYTES: usize = 768 * 1024;
/// Taps of a window.
const TAPS: usize = 9;
/// Inputs whose sums for a panel of outputs stay in registers, with as many of these as AVX-512 has.
const MAX_INPUTS: usize = 12;

/// The transformed inputs and gradients of a block.
fn places(tiling: &Tiling, inputs: usize, outputs: usize) -> [Transformed; 2] {
    Transformed::both(tiling, BLOCK_BYTES, [inputs, outputs])
}

/// Numbers between the sums of an input, `[elements, panel]`, and those of the next.
fn sums_stride(tiling: &Tiling) -> usize {
    odd_lines(tiling.elements() * panel_width())
}

/// Numbers that the workspace has: besides both places, the sums of some inputs.
pub fn gradient_workspace_len(tiling: &Tiling, inputs: usize, outputs: usize) -> usize {
    let [read, written] = places(tiling, inputs, outputs);
    read.len() + written.len() + MAX_INPUTS * sums_stride(tiling)
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
        source(&self).assert_holds(self.count);
        target(&self).assert_holds(self.count);
        let len = gradient_workspace_len(self.tiling, self.inputs, stride);
        assert!(self.workspace.numbers.len() >= len, "the workspace holds a block and all sums");
        dispatch(self);
    }
}

/// What the layer read.
fn source<'a>(layer: &WeightGradient<'a>) -> Source<'a> {
    Source { tiling: layer.tiling, boards: layer.boards, cells: layer.input, channels: layer.inputs }
}

/// The gradient of its results.
fn target<'a>(layer: &WeightGradient<'a>) -> Source<'a> {
    Source { cells: layer.gradient, channels: layer.gradient.stride, ..source(layer) }
}

impl OverTiles for WeightGradient<'_> {
    fn tiling(&self) -> &Tiling {
        self.tiling
    }

    #[inline(always)]
    fn compute_tiles<S: Simd, const ROWS: usize, const COLUMNS: usize>(self, simd: S) {
        let (tiling, source, target) = (self.tiling, source(&self), target(&self));
        let places @ [inputs, gradients] = places(tiling, self.inputs, self.gradient.stride);
        let (transformed, sums) = self.workspace.numbers.split_at_mut(inputs.len() + gradients.len());
        let (read, written) = transformed.split_at_mut(inputs.len());
        for block in Block::all(self.count * tiling.tiles, inputs.room) {
            // SAFETY: `compute` has checked all buffers, and there is room for a block in both places.
            unsafe {
                let (reads, gradient_reads) = (&tiling.reads, &tiling.gradients);
                source.transform::<S, TransformInput, ROWS, COLUMNS>(simd, reads, block, read.as_mut_ptr(), inputs);
                let to = written.as_mut_ptr();
                target.transform::<S, TransformGradient, ROWS, COLUMNS>(simd, gradient_reads, block, to, gradients);
            }
            let (inputs, outputs) = (self.inputs, self.gradient.stride);
            let mut products = Products { tiling, block, inputs, outputs, places, read, written, sums };
            if S::F32_LANES == 8 {
                products.add::<S, ROWS, COLUMNS, 6, 4, 2>(simd, self.sums);
            } else {
                products.add::<S, ROWS, COLUMNS, MAX_INPUTS, 8, 4>(simd, self.sums);
            }
        }
    }
}

/// A block that is transformed.
struct Products<'a> {
    tiling: &'a Tiling,
    block: Block,
    inputs: usize,
    outputs: usize,
    places: [Transformed; 2],
    read: &'a [f32],
    written: &'a [f32],
    /// Memory for the sums of some inputs and a panel of outputs.
    sums: &'a mut [f32],
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
        for first in (0..self.inputs).step_by(LARGE) {
            for output in (0..self.outputs).step_by(width) {
                // SAFETY: transformed cells have their inputs rounded up to whole groups, of which the last tile of inputs reads
                // no more; `output` is the first of a panel.
                unsafe {
                    match self.inputs - first {
                        left if left > MEDIUM => self.sum::<S, LARGE>(simd, first, output),
                        left if left > SMALL => self.sum::<S, MEDIUM>(simd, first, output),
                        _ => self.sum::<S, SMALL>(simd, first, output),
                    }
                }
                for input in first..self.inputs.min(first + LARGE) {
                    for vector in (0..width).step_by(S::F32_LANES) {
                        let from = (input - first) * sums_stride(self.tiling) + vector;
                        let to = input * self.outputs + output + vector;
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
    /// Transformed cells have so many inputs from `first`, and a panel of outputs from `output`.
    #[inline(always)]
    unsafe fn sum<S: Simd, const INPUTS: usize>(&mut self, simd: S, first: usize, output: usize) {
        let [read, written] = self.places;
        for element in 0..self.tiling.elements() {
            // SAFETY: both places hold the block's tiles, each with its strides, for every element; `sums` has room for `INPUTS`
            // times `sums_stride`, a panel for each element.
            unsafe {
                let block = weight_gradient::Block {
                    input: self.read.as_ptr().add(element * read.element_stride + first),
                    input_stride: read.stride,
                    inputs: INPUTS.min(self.inputs - first),
                    gradient: self.written.as_ptr().add(element * written.element_stride + output),
                    gradient_stride: written.stride,
                    sums: self.sums.as_mut_ptr().add(element * PANEL_VECTORS * S::F32_LANES),
                    sums_stride: sums_stride(self.tiling),
                    adds: false,
                };
                block.compute::<S, INPUTS>(simd, 0..self.block.count);
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
        // The windows of the blocks before it stand there.
        let adds = self.block.first > 0;
        for (tap, &number) in taps.iter().flatten().enumerate() {
            let window = &mut windows[tap * self.inputs * self.outputs + to..][..S::F32_LANES];
            let window = &mut S::as_mut_simd_f32s(window).0[0];
            *window = if adds { simd.add_f32s(*window, number) } else { number };
        }
    }
}
