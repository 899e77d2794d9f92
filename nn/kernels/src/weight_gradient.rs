//! How a layer's weights should change, summed over the cells of a batch: the product of [`Product`](crate::product::Product)
//! turned around.
//!
//! A tile of sums (twelve inputs by one panel of outputs) stays in registers while a block of cells passes by. All
//! taps of a block are summed before the next block, so that the numbers of the block and the tile's sums for all taps
//! stay in the first-level cache.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; `WeightGradient::compute` checks every range"
)]

use pulp::{Arch, Simd, WithSimd};

use crate::grid::Rows;
use crate::packed::{INPUT_GROUP, PANEL_VECTORS, panel_width};

/// Cells in a block. A cell takes 64 bytes of input and two vectors of gradient. The sums of all taps of a tile share
/// the cache with the block.
const BLOCK: usize = 64;

/// The sums for one layer and a batch: `sums[tap][input][output] = Σ_cell input[cell + tap] · gradient[cell]`.
#[derive(Debug)]
pub(crate) struct WeightGradient<'a> {
    /// Number of cells to sum over: the first ones of the table.
    pub count: usize,
    /// The cells, in both buffers.
    pub rows: &'a Rows,
    /// What the layer read, `input_stride` numbers for each cell.
    pub input: &'a [f32],
    /// Numbers of one input cell; the last cell is read up to the next multiple of four of `inputs`.
    pub input_stride: usize,
    /// Numbers of each input cell that the layer read.
    pub inputs: usize,
    /// What the layer added to a cell's number to find what to read.
    pub taps: &'a [isize],
    /// The gradient of the layer's sums, `gradient_stride` numbers for each cell.
    pub gradient: &'a [f32],
    /// Numbers of one gradient cell, a multiple of [`panel_width`].
    pub gradient_stride: usize,
    /// Replaced by the result, `[taps, inputs, gradient_stride]`.
    pub sums: &'a mut [f32],
}

impl WeightGradient<'_> {
    /// Computes it on the calling thread. Every sum adds its cells in ascending order.
    ///
    /// # Panics
    /// If a table or a buffer is too short, or `gradient_stride` not a multiple of [`panel_width`].
    pub fn compute(self) {
        let len = self.taps.len() * self.inputs * self.gradient_stride;
        if self.count == 0 {
            self.sums[..len].fill(0.0);
            return;
        }
        self.check(len);
        Arch::new().dispatch(self);
    }

    /// Everything the pointers below rely on.
    fn check(&self, len: usize) {
        assert!(self.sums.len() >= len, "there is a sum for each weight");
        assert!(self.gradient_stride.is_multiple_of(panel_width()), "outputs come in whole panels");
        let len = self.gradient.len();
        self.rows.assert_cells_lie_in(self.count, self.gradient_stride, len, "the last cell lies in the gradient");
        let (numbers, len) = (self.inputs.next_multiple_of(INPUT_GROUP), self.input.len());
        self.rows.assert_taps_lie_in(self.count, self.taps, self.input_stride, numbers, len);
    }
}

impl WithSimd for WeightGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many registers of sums as in `Product`.
        if S::F32_LANES == 8 { tiles::<S, 6, 4, 2>(simd, self) } else { tiles::<S, 12, 8, 4>(simd, self) }
    }
}

/// Goes through all tiles: `LARGE` inputs each, and a last one of the least sufficient size.
#[inline(always)]
fn tiles<S: Simd, const LARGE: usize, const MEDIUM: usize, const SMALL: usize>(simd: S, mut layer: WeightGradient<'_>) {
    for first in (0..layer.inputs).step_by(LARGE) {
        for panel in 0..layer.gradient_stride / (PANEL_VECTORS * S::F32_LANES) {
            // SAFETY: `check` has seen that all cells of the table, moved by any tap, lie in the buffers.
            unsafe {
                match layer.inputs - first {
                    left if left > MEDIUM => tile::<S, LARGE>(simd, &mut layer, panel, first),
                    left if left > SMALL => tile::<S, MEDIUM>(simd, &mut layer, panel, first),
                    _ => tile::<S, SMALL>(simd, &mut layer, panel, first),
                }
            }
        }
    }
}

/// The sums of one panel for the `INPUTS` inputs from number `first`, or as many as there are, and all taps.
///
/// # Safety
/// The layer passed `check`, and `first + INPUTS` is at most `inputs` rounded up to whole groups.
#[inline(always)]
unsafe fn tile<S: Simd, const INPUTS: usize>(simd: S, layer: &mut WeightGradient<'_>, panel: usize, first: usize) {
    let (taps, count, column) = (layer.taps, layer.count, panel * PANEL_VECTORS * S::F32_LANES);
    for start in (0..count).step_by(BLOCK) {
        for (number, &tap) in taps.iter().enumerate() {
            let sums = (number * layer.inputs + first) * layer.gradient_stride + column;
            // SAFETY: `check` has seen that the table has `count` cells, that each of them, moved by any tap, holds whole groups of
            // inputs, at least `first + INPUTS`, and a gradient of `gradient_stride` numbers, of which the panel is a part, and
            // that `sums` holds `[taps, inputs, gradient_stride]` numbers.
            unsafe {
                let cells = layer.rows.as_slice().get_unchecked(start..count.min(start + BLOCK));
                let block = Block {
                    input: layer.input.as_ptr().wrapping_offset(tap * layer.input_stride as isize).wrapping_add(first),
                    input_stride: layer.input_stride,
                    inputs: INPUTS.min(layer.inputs - first),
                    gradient: layer.gradient.as_ptr().add(column),
                    gradient_stride: layer.gradient_stride,
                    sums: layer.sums.as_mut_ptr().add(sums),
                    sums_stride: layer.gradient_stride,
                    adds: start > 0,
                };
                block.compute::<S, INPUTS>(simd, cells.iter().map(|&cell| cell as usize));
            }
        }
    }
}

/// Cells that are summed over for some inputs and a panel of outputs.
pub(crate) struct Block {
    /// The first input of cell 0.
    pub input: *const f32,
    pub input_stride: usize,
    /// Inputs whose sums are stored.
    pub inputs: usize,
    /// The first output of cell 0.
    pub gradient: *const f32,
    pub gradient_stride: usize,
    /// Where the sums of the first input go.
    pub sums: *mut f32,
    /// Numbers between them and those of the next input.
    pub sums_stride: usize,
    /// Whether the sums are added to what stands there.
    pub adds: bool,
}

impl Block {
    /// Computes `INPUTS` inputs, as many as there are registers for, over these cells of both buffers.
    ///
    /// # Safety
    /// In each of `cells`, `INPUTS` numbers can be read from the input and a panel from the gradient; and for each of `inputs`,
    /// a panel can be read and written in the sums.
    #[inline(always)]
    pub unsafe fn compute<S: Simd, const INPUTS: usize>(self, simd: S, cells: impl Iterator<Item = usize>) {
        let mut sums = [[simd.splat_f32s(0.0); PANEL_VECTORS]; INPUTS];
        // SAFETY: of the sums, panels below `inputs` are touched; of both buffers, what the caller has said of `cells`.
        unsafe {
            if self.adds {
                for (input, sums) in sums.iter_mut().enumerate().take(self.inputs) {
                    let stored = self.sums.add(input * self.sums_stride);
                    for (vector, sum) in sums.iter_mut().enumerate() {
                        *sum = stored.add(vector * S::F32_LANES).cast::<S::f32s>().read_unaligned();
                    }
                }
            }
            for cell in cells {
                // The input may begin before its buffer: the first cells of a window's table do not begin there.
                let input = self.input.wrapping_add(cell * self.input_stride);
                let gradient = self.gradient.add(cell * self.gradient_stride);
                let mut outputs = [simd.splat_f32s(0.0); PANEL_VECTORS];
                for (vector, numbers) in outputs.iter_mut().enumerate() {
                    *numbers = gradient.add(vector * S::F32_LANES).cast::<S::f32s>().read_unaligned();
                }
                for (index, sums) in sums.iter_mut().enumerate() {
                    let number = simd.splat_f32s(*input.add(index));
                    for (sum, numbers) in sums.iter_mut().zip(outputs) {
                        *sum = simd.mul_add_e_f32s(number, numbers, *sum);
                    }
                }
            }
            for (input, sums) in sums.iter().enumerate().take(self.inputs) {
                let stored = self.sums.add(input * self.sums_stride);
                for (vector, &sum) in sums.iter().enumerate() {
                    stored.add(vector * S::F32_LANES).cast::<S::f32s>().write_unaligned(sum);
                }
            }
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

    /// The sums by the definition, in f64, against those of the kernel.
    fn check(grid: Grid, boards: usize, inputs: usize, outputs: usize, kernel: usize) {
        let (rows, taps) = (grid.rows(boards), grid.taps(kernel));
        let input_stride = inputs.next_multiple_of(INPUT_GROUP);
        let gradient_stride = outputs.next_multiple_of(panel_width());
        let cells = boards * grid.bordered_cells();
        let (mut input, mut gradient) = (zeros::<f32>(cells * input_stride), zeros::<f32>(cells * gradient_stride));
        let (input_values, gradient_values) = (numbers(rows.len() * inputs, 1), numbers(rows.len() * outputs, 2));
        for (index, &cell) in rows.as_slice().iter().enumerate() {
            let cell = cell as usize;
            input[cell * input_stride..][..inputs].copy_from_slice(&input_values[index * inputs..][..inputs]);
            gradient[cell * gradient_stride..][..outputs]
                .copy_from_slice(&gradient_values[index * outputs..][..outputs]);
        }
        let mut sums = vec![f32::NAN; taps.len() * inputs * gradient_stride];
        WeightGradient {
            count: rows.len(),
            rows: &rows,
            input: &input,
            input_stride,
            inputs,
            taps: &taps,
            gradient: &gradient,
            gradient_stride,
            sums: &mut sums,
        }
        .compute();
        for (row, sums) in sums.chunks_exact(gradient_stride).enumerate() {
            let (tap, channel) = (taps[row / inputs], row % inputs);
            for (column, &found) in sums.iter().enumerate() {
                let product = |&cell: &u32| {
                    let read = (cell as usize).wrapping_add_signed(tap) * input_stride + channel;
                    f64::from(input[read]) * f64::from(gradient[cell as usize * gradient_stride + column])
                };
                let expected: f64 = rows.as_slice().iter().map(product).sum();
                assert!((f64::from(found) - expected).abs() < 1e-3, "{grid:?} {inputs}→{outputs}: {found} {expected}");
            }
        }
    }

    #[test]
    fn sums_follow_the_definition() {
        check(Grid { height: 1, width: 1 }, 1, 1, 1, 3);
        check(Grid { height: 3, width: 5 }, 3, 5, 33, 3);
        check(Grid { height: 3, width: 5 }, 1, 70, 64, 1);
        check(Grid { height: 6, width: 6 }, 4, 64, 70, 3);
        check(Grid { height: 19, width: 19 }, 1, 33, 5, 3);
    }

    #[test]
    fn no_cell_gives_zeros() {
        let mut sums = vec![1.0; panel_width()];
        let layer = WeightGradient {
            count: 0,
            rows: &Rows::every(1, 1),
            input: &[],
            input_stride: 1,
            inputs: 1,
            taps: &[0],
            gradient: &[],
            gradient_stride: panel_width(),
            sums: &mut sums,
        };
        layer.compute();
        assert!(sums.iter().all(|&sum| sum == 0.0));
    }

    #[test]
    #[should_panic(expected = "the last tap lies in the input")]
    fn short_inputs_are_refused() {
        let width = panel_width();
        WeightGradient {
            count: 2,
            rows: &Rows::every(1, 2),
            input: &[0.0; 7],
            input_stride: 4,
            inputs: 3,
            taps: &[0],
            gradient: &vec![0.0; 2 * width],
            gradient_stride: width,
            sums: &mut vec![0.0; 3 * width],
        }
        .compute();
    }
}
