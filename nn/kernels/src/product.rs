//! The product behind every layer: convolutions, linear layers and the gradients of their inputs are one loop nest.
//!
//! For each cell of a table and each output: a bias, plus the products of the numbers around the cell with the
//! weights, rectified or not. A convolution reads its input where it lies (the border is part of the buffer), so
//! nothing is copied into a matrix first.
#![allow(unsafe_code, reason = "vector loads and stores through pointers; `Product::compute` checks every range")]

use pulp::{Arch, Simd, WithSimd};

use crate::boards::Bias;
use crate::grid::Rows;
use crate::packed::{PANEL_VECTORS, PackedWeights};

/// Numbers that one request for memory brings: a cache line of the CPUs that take requests.
const REQUESTED_NUMBERS: usize = 16;
/// From so many cells on, weights are asked for ahead: with fewer the requests take longer than they save.
const FETCHING_CELLS: usize = 4;

/// One layer for a batch: `output[cell] (+)= bias + Σ_tap input[cell + tap] · weights[tap]`.
#[derive(Debug)]
pub(crate) struct Product<'a> {
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
        self.bias.assert_covers(self.count, weights.padded_outputs());
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

/// Goes through all panels and tiles.
#[inline(always)]
fn tiles<S: Simd, const LARGE: usize, const MEDIUM: usize, const SMALL: usize>(simd: S, mut product: Product<'_>) {
    let width = PANEL_VECTORS * S::F32_LANES;
    for panel in 0..product.weights.padded_outputs() / width {
        let mut first = 0;
        while first < product.count {
            let cells = cells_next([LARGE, MEDIUM, SMALL], product.count - first);
            // SAFETY: `check` has seen that all cells of the tables, moved by any tap, lie in the buffers.
            unsafe {
                if cells == LARGE {
                    tile::<S, LARGE>(simd, &mut product, panel, first);
                } else if cells == MEDIUM {
                    tile::<S, MEDIUM>(simd, &mut product, panel, first);
                } else {
                    tile::<S, SMALL>(simd, &mut product, panel, first);
                }
            }
            first += cells;
        }
    }
}

/// Which of three sizes of tiles of sums to compute next, where so many cells are left. The last is of the least sufficient
/// size, but two of medium size go before a large and a small one, since the additions of a few sums wait for each other.
#[inline(always)]
pub(crate) const fn cells_next([large, medium, small]: [usize; 3], left: usize) -> usize {
    if left > 2 * medium || medium < left && left <= large {
        large
    } else if left > small {
        medium
    } else {
        small
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
    // SAFETY: `row` is below `count`, so `check` has seen that its input cell, moved by any tap, and its output cell lie in the
    // buffers, and its bias too; the panel has `taps · inputs` rows of `width` numbers.
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
            let start = product.bias.start(row(index), weights.padded_outputs());
            let bias = product.bias.numbers.as_ptr().add(start + panel * width);
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

/// Asks for the cache line with this number, which will be read soon; the address may be any.
#[inline(always)]
fn fetch_ahead(#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))] number: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a request reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(number.cast());
    }
}

/// `sums[i] += Σ_k a[i][start + k] · b[k]`, `steps` values of `k`, in ascending order: the loop in which all time should
/// go. `b` is a panel, each row of it `PANEL_VECTORS` vectors. As many rows behind these, which are read next unless the panel
/// ends, are asked for meanwhile.
///
/// # Safety
/// `a[i][start..start + steps]` can be read for every `i`, and `steps` rows of a panel's width from `b` on.
#[inline(always)]
pub(crate) unsafe fn multiply_add<S: Simd, const CELLS: usize>(
    simd: S,
    sums: &mut [[S::f32s; PANEL_VECTORS]; CELLS],
    a: [*const f32; CELLS],
    start: isize,
    mut b: *const f32,
    steps: usize,
) {
    for offset in start..start + steps as isize {
        // SAFETY: `offset` is below `start + steps`, and `b` is at row `offset - start`; to fetch ahead reads nothing.
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
            if const { CELLS >= FETCHING_CELLS } {
                for line in (0..PANEL_VECTORS * S::F32_LANES).step_by(REQUESTED_NUMBERS) {
                    fetch_ahead(b.wrapping_add(steps * PANEL_VECTORS * S::F32_LANES + line));
                }
            }
            b = b.wrapping_add(PANEL_VECTORS * S::F32_LANES);
        }
    }
}
