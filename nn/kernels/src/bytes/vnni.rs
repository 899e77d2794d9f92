//! Products of bytes with AVX-512 VNNI: 64 multiply-adds an instruction.
#![allow(unsafe_code, reason = "vector instructions and pointers; `ByteProduct::check` has checked every range")]

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm512_cvtepi32_ps, _mm512_cvtepu8_epi32, _mm512_cvtps_epi32,
    _mm512_cvtusepi32_epi8, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_max_ps,
    _mm512_set1_epi32, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps,
};

use super::{ByteOutput, ByteProduct, GROUP, PANEL_WIDTH};

/// Sums in one vector.
const LANES: usize = 16;
pub(super) const VECTORS: usize = PANEL_WIDTH / LANES;

/// Whether the CPU has the instructions.
pub(super) fn is_usable() -> bool {
    is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw")
}

/// # Panics
/// If the CPU lacks the instructions.
pub(super) fn compute(mut product: ByteProduct<'_>) {
    assert!(is_usable(), "this CPU lacks AVX-512 VNNI");
    for panel in 0..product.weights.padded_outputs() / PANEL_WIDTH {
        let mut first = 0;
        while first < product.count {
            // SAFETY: the instructions are there, and `ByteProduct::check` has seen that all cells lie in the buffers.
            unsafe {
                match product.count - first {
                    left if left > 8 => tile::<12>(&mut product, panel, first),
                    left if left > 4 => tile::<8>(&mut product, panel, first),
                    _ => tile::<4>(&mut product, panel, first),
                }
            }
            first += 12;
        }
    }
}

/// The outputs of one panel for the `CELLS` cells from number `first` of the tables, or as many as there are.
///
/// # Safety
/// The product passed `ByteProduct::check`, `first` is below its count, and `panel` is one of its weights'.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn tile<const CELLS: usize>(product: &mut ByteProduct<'_>, panel: usize, first: usize) {
    let valid = CELLS.min(product.count - first);
    // SAFETY: the `valid` rows from `first` on are of the first `count`.
    unsafe {
        let sums = sums::<CELLS>(product, panel, &product.input_rows.as_slice()[first..first + valid]);
        finish(product, panel, first, &sums[..valid]);
    }
}

/// The sums of one panel for `cells`; beyond the last they are those of the last.
///
/// A function by itself, so that the sums stay in registers until they are complete.
///
/// # Safety
/// The product passed `ByteProduct::check`, `cells` are some of the first `count` rows of its input, at least one, and `panel` is
/// one of its weights'.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline(never)]
unsafe fn sums<const CELLS: usize>(
    product: &ByteProduct<'_>,
    panel: usize,
    cells: &[u32],
) -> [[__m512i; VECTORS]; CELLS] {
    let weights = product.weights;
    let groups = weights.groups();
    let mut sums = [[_mm512_setzero_si512(); VECTORS]; CELLS];
    // SAFETY: `ByteProduct::check` has seen that each cell, moved by any tap, has all its groups of inputs in the buffer; a panel
    // has `taps · groups` rows of `PANEL_WIDTH` groups of weights.
    unsafe {
        let mut starts = [product.input.as_ptr(); CELLS];
        for (index, start) in starts.iter_mut().enumerate() {
            *start = start.wrapping_add(cells[index.min(cells.len() - 1)] as usize * product.input_stride);
        }
        let mut numbers = weights.panels.as_ptr().add(panel * weights.taps * groups * GROUP * PANEL_WIDTH);
        for &tap in product.taps {
            // The tap moves the index common to all cells, so their addresses stay in registers.
            let mut offset = tap * product.input_stride as isize;
            for _ in 0..groups {
                let mut columns = [_mm512_setzero_si512(); VECTORS];
                for (vector, column) in columns.iter_mut().enumerate() {
                    *column = _mm512_loadu_si512(numbers.add(vector * LANES * GROUP).cast());
                }
                for (sums, start) in sums.iter_mut().zip(starts) {
                    let bytes = _mm512_set1_epi32(start.wrapping_offset(offset).cast::<i32>().read_unaligned());
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        *sum = _mm512_dpbusd_epi32(*sum, bytes, column);
                    }
                }
                numbers = numbers.add(PANEL_WIDTH * GROUP);
                offset += GROUP as isize;
            }
        }
    }
    sums
}

/// Scales and stores `sums`, those of one panel for the cells from number `first` of the tables.
///
/// # Safety
/// The product passed `ByteProduct::check`, and has that many cells.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn finish(product: &mut ByteProduct<'_>, panel: usize, first: usize, sums: &[[__m512i; VECTORS]]) {
    let zero = _mm512_setzero_ps();
    let outputs = panel * PANEL_WIDTH;
    // SAFETY: `outputs` and the 31 behind it are padded outputs, for which `ByteProduct::check` has seen scale, skip and bias.
    let load = |numbers: &[f32], start: usize| unsafe {
        let start = numbers.as_ptr().add(start + outputs);
        [_mm512_loadu_ps(start), _mm512_loadu_ps(start.add(LANES))]
    };
    let scale = load(product.scale, 0);
    let skip = product.skip.map(|skip| load(skip, 0));
    let mut bias = load(product.bias.numbers, product.bias_start(first));
    for (index, sums) in (first..).zip(sums) {
        if product.bias.cells_per_board.is_some() {
            bias = load(product.bias.numbers, product.bias_start(index));
        }
        let target = product.output_rows.as_slice()[index] as usize * product.output_stride + outputs;
        for vector in 0..VECTORS {
            let result = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[vector]), scale[vector], bias[vector]);
            let target = target + vector * LANES;
            // SAFETY: the cell is one of the first `count` of the output, of which `ByteProduct::check` has seen that each holds
            // all padded outputs.
            unsafe {
                match &mut product.output {
                    ByteOutput::Bytes(bytes) => {
                        let target = bytes.as_mut_ptr().add(target).cast();
                        let result = match skip {
                            Some(skip) => {
                                let before = _mm512_cvtepu8_epi32(_mm_loadu_si128(target));
                                _mm512_fmadd_ps(_mm512_cvtepi32_ps(before), skip[vector], result)
                            }
                            None => result,
                        };
                        let rounded = _mm512_cvtps_epi32(_mm512_max_ps(result, zero));
                        _mm_storeu_si128(target, _mm512_cvtusepi32_epi8(rounded));
                    }
                    ByteOutput::Floats { numbers, rectifies } => {
                        let result = if *rectifies { _mm512_max_ps(result, zero) } else { result };
                        _mm512_storeu_ps(numbers.as_mut_ptr().add(target), result);
                    }
                }
            }
        }
    }
}
