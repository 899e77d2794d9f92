//! The product behind every layer: convolutions, linear layers and the gradients of their inputs are one loop nest.
//!
//! For each cell of a table and each output: a bias, plus the products of the numbers around the cell with the
//! weights, rectified or not. A convolution reads its input where it lies (the border is part of the buffer), so
//! nothing is copied into a matrix first.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; `Product::compute` checks every range")]

use pulp::{Arch, Simd, WithSimd};

use crate::grid::Rows;
use crate::packed::{PANEL_VECTORS, PackedWeights};

/// What each output starts from.
#[derive(Clone, Copy, Debug)]
pub enum Bias<'a> {
    /// One number for each output, `[padded_outputs]`.
    Shared(&'a [f32]),
    /// The same for each board, `[boards, padded_outputs]`, where each board has so many cells of the table.
    PerBoard(&'a [f32], usize),
}

/// One layer for a batch: `output[cell] (+)= bias + Σ_tap input[cell + tap] · weights[tap]`.
#[derive(Debug)]
pub struct Product<'a> {
    /// Number of cells to compute: the first ones of both tables.
    pub count: usize,
    /// Numbers of the input, `input_stride` for each cell.
    pub input: &'a [f32],
    /// Numbers of one input cell; at least `weights.inputs()` unless consecutive cells are read as one.
    pub input_stride: usize,
    /// The cells read.
    pub input_rows: &'a Rows,
    /// What is added to a cell's number for each tap of the weights.
    pub taps: &'a [isize],
    /// The weights.
    pub weights: &'a PackedWeights,
    /// What the sums start from.
    pub bias: Bias<'a>,
    /// Numbers of the output, `output_stride` for each cell.
    pub output: &'a mut [f32],
    /// Numbers of one output cell, at least `weights.padded_outputs()`; those beyond the outputs become 0.
    pub output_stride: usize,
    /// The cells written.
    pub output_rows: &'a Rows,
    /// Whether what the output holds is added, before it is rectified: a skip connection.
    pub adds: bool,
    /// Whether negative results become 0.
    pub rectifies: bool,
}

impl Product<'_> {
    /// Computes it on the calling thread.
    ///
    /// # Panics
    /// If a table, a bias or a buffer is too short.
    pub fn compute(self) {
        if self.count == 0 {
            return;
        }
        self.check();
        Arch::new().dispatch(self);
    }

    /// Everything the pointers below rely on.
    fn check(&self) {
        let weights = self.weights;
        assert_eq!(self.taps.len(), weights.taps(), "one tap for each part of the weights");
        let (numbers, len) = (weights.inputs(), self.input.len());
        self.input_rows.assert_taps_lie_in(self.count, self.taps, self.input_stride, numbers, len);
        assert!(self.output_stride >= weights.padded_outputs(), "an output cell holds all padded outputs");
        let len = self.output.len();
        self.output_rows.assert_cells_lie_in(self.count, self.output_stride, len, "the last cell lies in the output");
        let biases = match self.bias {
            Bias::Shared(numbers) => numbers.len(),
            Bias::PerBoard(numbers, cells) => numbers.len() / self.count.div_ceil(cells),
        };
        assert!(biases >= weights.padded_outputs(), "each padded output has a bias");
    }
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Sums, the weights of one input and one broadcast number must fit the registers: 32 of them, 16 with AVX2.
        if S::F32_LANES == 8 { tiles::<S, 6, 4, 2>(simd, self) } else { tiles::<S, 12, 8, 4>(simd, self) }
    }
}

/// Goes through all panels and tiles: tiles of `LARGE` cells, and a last one of the least sufficient size.
#[inline(always)]
fn tiles<S: Simd, const LARGE: usize, const MEDIUM: usize, const SMALL: usize>(simd: S, mut product: Product<'_>) {
    let width = PANEL_VECTORS * S::F32_LANES;
    for panel in 0..product.weights.padded_outputs() / width {
        let mut first = 0;
        while first < product.count {
            let left = product.count - first;
            // SAFETY: `check` has seen that all cells of the tables, moved by any tap, lie in the buffers.
            unsafe {
                match left {
                    _ if left > MEDIUM => tile::<S, LARGE>(simd, &mut product, panel, first),
                    _ if left > SMALL => tile::<S, MEDIUM>(simd, &mut product, panel, first),
                    _ => tile::<S, SMALL>(simd, &mut product, panel, first),
                }
            }
            first += LARGE;
        }
    }
}

/// The outputs of one panel for the `CELLS` cells from number `first` of the tables, or as many as there are.
///
/// # Safety
/// The product passed `check`.
#[inline(always)]
unsafe fn tile<S: Simd, const CELLS: usize>(simd: S, product: &mut Product<'_>, panel: usize, first: usize) {
    let (weights, width) = (product.weights, PANEL_VECTORS * S::F32_LANES);
    // Cells beyond the last are computed like the last one, and not written.
    let valid = CELLS.min(product.count - first);
    let row = |index: usize| first + index.min(valid - 1);
    let panel_len = weights.taps() * weights.inputs() * width;
    let mut sums = [[simd.splat_f32s(0.0); PANEL_VECTORS]; CELLS];
    // SAFETY: see above; the panel has `taps · inputs` rows of `width` numbers.
    unsafe {
        let mut cells = [product.input.as_ptr(); CELLS];
        for (index, cell) in cells.iter_mut().enumerate() {
            *cell = cell.wrapping_add(product.input_rows.as_slice()[row(index)] as usize * product.input_stride);
        }
        let mut numbers = weights.panels().as_ptr().add(panel * panel_len);
        for &tap in product.taps {
            // The tap moves the index common to all cells, so their addresses stay in registers.
            let start = tap * product.input_stride as isize;
            multiply_add(simd, &mut sums, cells, start, numbers, weights.inputs());
            numbers = numbers.add(weights.inputs() * width);
        }
        for (index, sums) in sums.iter().enumerate().take(valid) {
            let bias = match product.bias {
                Bias::Shared(numbers) => numbers.as_ptr(),
                Bias::PerBoard(numbers, cells) => numbers.as_ptr().add(row(index) / cells * weights.padded_outputs()),
            };
            let bias = bias.add(panel * width);
            let cell = product.output_rows.as_slice()[row(index)] as usize;
            let output = product.output.as_mut_ptr().add(cell * product.output_stride + panel * width);
            for (vector, &sum) in sums.iter().enumerate() {
                let offset = vector * S::F32_LANES;
                let target = output.add(offset).cast::<S::f32s>();
                let mut result = simd.add_f32s(sum, bias.add(offset).cast::<S::f32s>().read_unaligned());
                if product.adds {
                    result = simd.add_f32s(result, target.read_unaligned());
                }
                if product.rectifies {
                    result = simd.max_f32s(result, simd.splat_f32s(0.0));
                }
                target.write_unaligned(result);
            }
        }
    }
}

/// `sums[i] += Σ_k a[i][start + k] · b[k]`, `steps` values of `k`, in ascending order: the loop in which all time should
/// go. `b` is a panel, each row of it `PANEL_VECTORS` vectors.
///
/// # Safety
/// All numbers named above can be read.
#[inline(always)]
unsafe fn multiply_add<S: Simd, const CELLS: usize>(
    simd: S,
    sums: &mut [[S::f32s; PANEL_VECTORS]; CELLS],
    a: [*const f32; CELLS],
    start: isize,
    mut b: *const f32,
    steps: usize,
) {
    for offset in start..start + steps as isize {
        // SAFETY: the caller's promise.
        unsafe {
            let mut panel = [simd.splat_f32s(0.0); PANEL_VECTORS];
            for (vector, numbers) in panel.iter_mut().enumerate() {
                *numbers = b.add(vector * S::F32_LANES).cast::<S::f32s>().read_unaligned();
            }
            for (sums, a) in sums.iter_mut().zip(a) {
                let number = simd.splat_f32s(*a.wrapping_offset(offset));
                for (sum, numbers) in sums.iter_mut().zip(panel) {
                    *sum = simd.mul_add_e_f32s(number, numbers, *sum);
                }
            }
            b = b.wrapping_add(PANEL_VECTORS * S::F32_LANES);
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

    /// A convolution over `boards` boards computed by the definition and by [`Product`].
    fn check_convolution(
        grid: Grid,
        boards: usize,
        inputs: usize,
        outputs: usize,
        kernel: usize,
        adds: bool,
        per_board: bool,
    ) {
        let taps = grid.taps(kernel);
        let matrix = numbers(taps.len() * inputs * outputs, 1);
        let weights = PackedWeights::new(taps.len(), inputs, outputs, |row, column| matrix[row * outputs + column]);
        let stride = weights.padded_outputs();
        let rows = grid.rows(boards);
        let mut input = zeros::<f32>(boards * grid.bordered_cells() * inputs);
        let values = numbers(rows.len() * inputs, 2);
        for (&cell, values) in rows.as_slice().iter().zip(values.chunks_exact(inputs)) {
            input[cell as usize * inputs..][..inputs].copy_from_slice(values);
        }
        let mut bias = vec![0.0; boards * stride];
        for (board, bias) in bias.chunks_exact_mut(stride).enumerate() {
            bias[..outputs].copy_from_slice(&numbers(outputs, if per_board { board + 3 } else { 3 }));
        }
        let before = numbers(boards * grid.bordered_cells() * stride, 4);
        let mut output = before.clone();
        let bias_of = if per_board { Bias::PerBoard(&bias, grid.cells()) } else { Bias::Shared(&bias[..stride]) };
        Product {
            count: rows.len(),
            input: &input,
            input_stride: inputs,
            input_rows: &rows,
            taps: &taps,
            weights: &weights,
            bias: bias_of,
            output: &mut output,
            output_stride: stride,
            output_rows: &rows,
            adds,
            rectifies: true,
        }
        .compute();
        for (index, &cell) in rows.as_slice().iter().enumerate() {
            let cell = cell as usize;
            for column in 0..outputs {
                let sum: f32 = taps
                    .iter()
                    .enumerate()
                    .flat_map(|(tap, &step)| {
                        (0..inputs)
                            .map(move |input| (tap * inputs + input, cell.wrapping_add_signed(step) * inputs + input))
                    })
                    .map(|(row, number)| matrix[row * outputs + column] * input[number])
                    .sum();
                let bias = bias[index / grid.cells() * stride + column];
                let skip = if adds { before[cell * stride + column] } else { 0.0 };
                let expected = (sum + bias + skip).max(0.0);
                let found = output[cell * stride + column];
                assert!((found - expected).abs() < 1e-3, "{grid:?} {inputs}→{outputs}: {found} for {expected}");
            }
        }
        let border = (0..boards * grid.bordered_cells()).filter(|&cell| !rows.as_slice().contains(&(cell as u32)));
        for cell in border {
            assert_eq!(
                output[cell * stride..][..stride],
                before[cell * stride..][..stride],
                "the border is left alone"
            );
        }
    }

    #[test]
    fn convolutions_follow_the_definition() {
        check_convolution(Grid { height: 6, width: 6 }, 2, 64, 64, 3, true, false);
        check_convolution(Grid { height: 4, width: 4 }, 1, 5, 33, 3, false, true);
        check_convolution(Grid { height: 3, width: 5 }, 3, 16, 3, 1, false, false);
        check_convolution(Grid { height: 1, width: 1 }, 1, 1, 1, 3, true, true);
        check_convolution(Grid { height: 7, width: 6 }, 5, 8, 40, 3, true, true);
    }

    #[test]
    fn a_linear_layer_reads_a_whole_board_as_one_cell() {
        let (boards, cells, outputs) = (13, 12, 7);
        let input = numbers(boards * cells, 1);
        let matrix = numbers(cells * outputs, 2);
        let weights = PackedWeights::new(1, cells, outputs, |row, column| matrix[row * outputs + column]);
        let stride = weights.padded_outputs();
        let mut output = vec![0.0; boards * stride];
        let rows = Rows::every(1, boards);
        Product {
            count: boards,
            input: &input,
            input_stride: cells,
            input_rows: &rows,
            taps: &[0],
            weights: &weights,
            bias: Bias::Shared(&vec![0.5; stride]),
            output: &mut output,
            output_stride: stride,
            output_rows: &rows,
            adds: false,
            rectifies: false,
        }
        .compute();
        for board in 0..boards {
            for column in 0..outputs {
                let sum: f32 = (0..cells).map(|k| input[board * cells + k] * matrix[k * outputs + column]).sum();
                assert!((output[board * stride + column] - sum - 0.5).abs() < 1e-4);
            }
        }
    }

    #[test]
    #[should_panic(expected = "the last tap lies in the input")]
    fn short_inputs_are_refused() {
        let grid = Grid { height: 2, width: 2 };
        let weights = PackedWeights::new(9, 1, 1, |_, _| 0.0);
        let rows = grid.rows(1);
        Product {
            count: rows.len(),
            input: &[0.0; 15],
            input_stride: 1,
            input_rows: &rows,
            taps: &grid.taps(3),
            weights: &weights,
            bias: Bias::Shared(&vec![0.0; weights.padded_outputs()]),
            output: &mut vec![0.0; 16 * weights.padded_outputs()],
            output_stride: weights.padded_outputs(),
            output_rows: &rows,
            adds: false,
            rectifies: false,
        }
        .compute();
    }
}
