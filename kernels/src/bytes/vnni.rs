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
const VECTORS: usize = PANEL_WIDTH / LANES;

/// # Panics
/// If the CPU lacks the instructions.
pub(super) fn compute(mut product: ByteProduct<'_>) {
    let has_instructions = is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw");
    assert!(has_instructions, "this CPU lacks AVX-512 VNNI");
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
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn tile<const CELLS: usize>(product: &mut ByteProduct<'_>, panel: usize, first: usize) {
    let valid = CELLS.min(product.count - first);
    // SAFETY: the caller's promise.
    unsafe {
        let sums = sums::<CELLS>(product, panel, &product.input_rows.as_slice()[first..first + valid]);
        for (index, &sums) in sums.iter().enumerate().take(valid) {
            finish(product, panel, first + index, sums);
        }
    }
}

/// The sums of one panel for `cells`; beyond the last they are those of the last.
///
/// A function by itself, so that the sums stay in registers until they are complete.
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
    // SAFETY: `ByteProduct::check`; a panel has `taps · groups` rows of `PANEL_WIDTH` groups of weights.
    unsafe {
        let mut starts = [product.input.as_ptr(); CELLS];
        for (index, start) in starts.iter_mut().enumerate() {
            *start = start.add(cells[index.min(cells.len() - 1)] as usize * product.input_stride);
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

/// Scales and stores the sums of the cell with number `index` in the tables.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn finish(product: &mut ByteProduct<'_>, panel: usize, index: usize, sums: [__m512i; VECTORS]) {
    let bias_start = product.bias_start(index);
    let cell = product.output_rows.as_slice()[index] as usize * product.output_stride;
    for (vector, sum) in sums.into_iter().enumerate() {
        let output = panel * PANEL_WIDTH + vector * LANES;
        // SAFETY: `ByteProduct::check`.
        unsafe {
            let scale = _mm512_loadu_ps(product.scale.as_ptr().add(output));
            let bias = _mm512_loadu_ps(product.bias.numbers.as_ptr().add(bias_start + output));
            let mut result = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, bias);
            match &mut product.output {
                ByteOutput::Bytes(bytes) => {
                    let target = bytes.as_mut_ptr().add(cell + output);
                    if let Some(skip) = product.skip {
                        let old = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(target.cast_const().cast())));
                        result = _mm512_fmadd_ps(old, _mm512_loadu_ps(skip.as_ptr().add(output)), result);
                    }
                    let rounded = _mm512_cvtps_epi32(_mm512_max_ps(result, _mm512_setzero_ps()));
                    _mm_storeu_si128(target.cast(), _mm512_cvtusepi32_epi8(rounded));
                }
                ByteOutput::Floats { numbers, rectifies } => {
                    if *rectifies {
                        result = _mm512_max_ps(result, _mm512_setzero_ps());
                    }
                    _mm512_storeu_ps(numbers.as_mut_ptr().add(cell + output), result);
                }
            }
        }
    }
}
