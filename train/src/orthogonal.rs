//! The orthogonal matrix that is nearest to another one, about.

use selfplay_kernels::matrix::add_product;

/// Coefficients of the polynomial a·x + b·x³ + c·x⁵ that drives every singular value towards 1, and how often it is applied
/// (Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks"): afterwards they are between about 0.7
/// and 1.2, which is near enough for an update.
const COEFFICIENTS: (f32, f32, f32) = (3.4445, -4.7750, 2.0315);
const ROUNDS: usize = 5;

/// The matrix with the singular vectors of `matrix`, `[rows, columns]`, and singular values of about 1; zeros for zeros.
pub(crate) fn orthogonal(matrix: &[f32], rows: usize) -> Vec<f32> {
    let columns = matrix.len() / rows;
    if rows > columns {
        return transposed(&orthogonal(&transposed(matrix, rows), columns), columns);
    }
    let norm = matrix.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if norm == 0.0 {
        return matrix.to_vec();
    }
    let mut x: Vec<f32> = matrix.iter().map(|&number| (f64::from(number) / norm) as f32).collect();
    let (a, b, c) = COEFFICIENTS;
    for _ in 0..ROUNDS {
        let mut gram = vec![0.0; rows * rows];
        add_product(&x, &transposed(&x, rows), columns, rows, &mut gram);
        // b·A + c·A², the polynomial's part that x is multiplied by.
        let scaled: Vec<f32> = gram.iter().map(|&number| c * number).collect();
        let mut factor: Vec<f32> = gram.iter().map(|&number| b * number).collect();
        add_product(&scaled, &gram, rows, rows, &mut factor);
        let mut next: Vec<f32> = x.iter().map(|&number| a * number).collect();
        add_product(&factor, &x, rows, columns, &mut next);
        x = next;
    }
    x
}

/// `[columns, rows]`
fn transposed(matrix: &[f32], rows: usize) -> Vec<f32> {
    let columns = matrix.len() / rows;
    (0..columns).flat_map(|column| (0..rows).map(move |row| matrix[row * columns + column])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_perpendicular_and_of_length_one() {
        for (rows, columns) in [(3, 8), (8, 3), (4, 4)] {
            let matrix: Vec<f32> = (0..rows * columns).map(|i| ((i * i * 7 + i * 3) % 13) as f32 - 6.0).collect();
            let mut found = orthogonal(&matrix, rows);
            let (short, long) = (rows.min(columns), rows.max(columns));
            if rows > columns {
                found = transposed(&found, rows);
            }
            for (i, j) in (0..short).flat_map(|i| (0..short).map(move |j| (i, j))) {
                let dot: f32 = (0..long).map(|k| found[i * long + k] * found[j * long + k]).sum();
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot - expected).abs() < 0.5, "[{rows}, {columns}]: {i}·{j} = {dot}");
            }
        }
        assert_eq!(orthogonal(&[0.0; 6], 2), [0.0; 6]);
    }
}
