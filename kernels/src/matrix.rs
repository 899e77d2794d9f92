//! Products of small dense matrices, row-major.

use pulp::{Arch, Simd, WithSimd};

/// Rows of `b` that one pass over a row of the sum takes in: as many loads and stores fewer.
const ROWS_AT_ONCE: usize = 4;

/// Adds the product of `a`, `[rows, inner]`, and `b`, `[inner, columns]`, to `sum`, `[rows, columns]`.
///
/// # Panics
/// If `inner` or `columns` is zero, or a matrix has another size.
pub fn add_product(a: &[f32], b: &[f32], inner: usize, columns: usize, sum: &mut [f32]) {
    assert_eq!(b.len(), inner * columns, "b is [inner, columns]");
    assert_eq!(a.len() * columns, sum.len() * inner, "a is [rows, inner], the sum [rows, columns]");
    for (a_row, sum_row) in a.chunks_exact(inner).zip(sum.chunks_exact_mut(columns)) {
        for (factors, b_rows) in a_row.chunks(ROWS_AT_ONCE).zip(b.chunks(ROWS_AT_ONCE * columns)) {
            let mut padded = [0.0; ROWS_AT_ONCE];
            padded[..factors.len()].copy_from_slice(factors);
            // A missing row counts nothing, whatever stands in its place.
            let row = |index: usize| b_rows.chunks_exact(columns).nth(index).unwrap_or(&b_rows[..columns]);
            Arch::new().dispatch(AddRows { factors: padded, rows: [row(0), row(1), row(2), row(3)], sum: sum_row });
        }
    }
}

struct AddRows<'a> {
    factors: [f32; ROWS_AT_ONCE],
    rows: [&'a [f32]; ROWS_AT_ONCE],
    sum: &'a mut [f32],
}

impl WithSimd for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddRows { factors, rows, sum } = self;
        let (sums, last_sums) = S::as_mut_simd_f32s(sum);
        let parts = rows.map(|row| S::as_simd_f32s(row));
        let splats = factors.map(|factor| simd.splat_f32s(factor));
        for (index, sum) in sums.iter_mut().enumerate() {
            for ((row, _), &factor) in parts.iter().zip(&splats) {
                *sum = simd.mul_add_e_f32s(row[index], factor, *sum);
            }
        }
        for (index, sum) in last_sums.iter_mut().enumerate() {
            for ((_, row), &factor) in parts.iter().zip(&factors) {
                *sum += row[index] * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 4, 16), (5, 6, 37), (2, 9, 64)] {
            let numbers = |count: usize, step: usize| -> Vec<f32> {
                (0..count).map(|index| ((index * step) % 11) as f32 - 5.0).collect()
            };
            let (a, b) = (numbers(rows * inner, 7), numbers(inner * columns, 3));
            let mut sum = numbers(rows * columns, 5);
            let mut expected = sum.clone();
            for row in 0..rows {
                for column in 0..columns {
                    let terms = (0..inner).map(|k| a[row * inner + k] * b[k * columns + column]);
                    expected[row * columns + column] += terms.sum::<f32>();
                }
            }
            add_product(&a, &b, inner, columns, &mut sum);
            assert_eq!(sum, expected, "small whole numbers have no rounding");
        }
    }
}
