//! Linear equations with a sparse, symmetric, positive definite matrix: LDLᵀ in an order that keeps it sparse.
//!
//! George and Liu, "Computer Solution of Large Sparse Positive Definite Systems" (1981), chapter 5: the pattern is
//! found once by eliminating, again and again, the variable with the fewest neighbours, and serves any number of matrices.

use std::collections::BTreeSet;

/// The least pivot, in parts of the diagonal element of the matrix.
const SMALLEST_PIVOT: f64 = 1e-13;

/// Which elements of a matrix and of its factor may differ from 0.
pub(super) struct Pattern {
    /// When each variable is eliminated.
    step_of: Vec<usize>,
    /// By step: the later steps, in order, whose variables are neighbours when it is eliminated.
    columns: Vec<Vec<usize>>,
    /// By step: where its column begins among the values, after all diagonal elements.
    starts: Vec<usize>,
    /// Number of values.
    values: usize,
}

/// The values of a matrix of some [`Pattern`]: the diagonal, then the columns below it, both by step.
#[derive(Clone)]
pub(super) struct Values(Vec<f64>);

impl Pattern {
    /// The pattern of a matrix of `size` variables, coupled as in `couplings`, and of its factor.
    pub(super) fn new(size: usize, couplings: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![BTreeSet::new(); size];
        for (one, other) in couplings {
            neighbours[one].insert(other);
            neighbours[other].insert(one);
        }
        let mut step_of = vec![0; size];
        let mut remaining: Vec<usize> = (0..size).collect();
        let mut eliminated = Vec::with_capacity(size);
        for step in 0..size {
            let fewest =
                (0..remaining.len()).min_by_key(|&index| (neighbours[remaining[index]].len(), remaining[index]));
            let variable = remaining.swap_remove(fewest.expect("one variable is left for each step"));
            step_of[variable] = step;
            let joined: Vec<usize> = std::mem::take(&mut neighbours[variable]).into_iter().collect();
            // Where even the variable with the fewest neighbours has all others, nothing is left to fill in.
            let is_complete = joined.len() == remaining.len();
            for (index, &one) in joined.iter().enumerate() {
                neighbours[one].remove(&variable);
                for &other in joined[index + 1..].iter().filter(|_| !is_complete) {
                    neighbours[one].insert(other);
                    neighbours[other].insert(one);
                }
            }
            eliminated.push(joined);
        }
        let in_steps = |joined: Vec<usize>| {
            let mut steps: Vec<usize> = joined.into_iter().map(|variable| step_of[variable]).collect();
            steps.sort_unstable();
            steps
        };
        let columns: Vec<Vec<usize>> = eliminated.into_iter().map(in_steps).collect();
        let mut starts = Vec::with_capacity(size);
        let mut start = size;
        for column in &columns {
            starts.push(start);
            start += column.len();
        }
        Pattern { step_of, columns, starts, values: start }
    }

    /// A matrix of zeros.
    pub(super) fn zeros(&self) -> Values {
        Values(vec![0.0; self.values])
    }

    /// Where the element of two variables stands among the values.
    ///
    /// # Panics
    /// If the pattern does not couple them.
    pub(super) fn slot(&self, one: usize, other: usize) -> usize {
        let (one, other) = (self.step_of[one], self.step_of[other]);
        if one == other {
            return one;
        }
        let column = one.min(other);
        self.starts[column] + self.columns[column].binary_search(&one.max(other)).expect("the variables are coupled")
    }

    /// The factor of `matrix`: D on the diagonal, L below it.
    pub(super) fn factor(&self, matrix: Values) -> Factor<'_> {
        let Values(mut values) = matrix;
        let least: Vec<f64> = values[..self.columns.len()].iter().map(|diagonal| SMALLEST_PIVOT * diagonal).collect();
        for (step, column) in self.columns.iter().enumerate() {
            // Rounding may leave a pivot of a nearly singular matrix at 0 or below.
            values[step] = values[step].max(least[step]);
            let (diagonal, start) = (values[step], self.starts[step]);
            for (index, &row) in column.iter().enumerate() {
                let factor = values[start + index] / diagonal;
                values[row] -= factor * values[start + index];
                self.for_each_below(column, index, |later, slot| values[slot] -= factor * values[start + later]);
            }
            values[start..start + column.len()].iter_mut().for_each(|value| *value /= diagonal);
        }
        Factor { pattern: self, values }
    }

    /// Calls `visit` with every later index of `column` and the slot of its element in the column of the variable at
    /// `index`. What is below in the one column is below in the other as well: both are walked through once.
    fn for_each_below(&self, column: &[usize], index: usize, mut visit: impl FnMut(usize, usize)) {
        let row = column[index];
        let mut slot = self.starts[row];
        let mut rows = self.columns[row].iter();
        for (later, &below) in column.iter().enumerate().skip(index + 1) {
            while rows.next().is_some_and(|&candidate| candidate != below) {
                slot += 1;
            }
            visit(later, slot);
            slot += 1;
        }
    }
}

/// A factored matrix.
pub(super) struct Factor<'a> {
    pattern: &'a Pattern,
    values: Vec<f64>,
}

impl Factor<'_> {
    /// The x that solves `matrix · x = right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Pattern { step_of, columns, starts, .. } = self.pattern;
        let mut solution = vec![0.0; right.len()];
        for (variable, &step) in step_of.iter().enumerate() {
            solution[step] = right[variable];
        }
        for (step, column) in columns.iter().enumerate() {
            for (&row, factor) in column.iter().zip(&self.values[starts[step]..]) {
                solution[row] -= factor * solution[step];
            }
        }
        solution.iter_mut().zip(&self.values).for_each(|(value, diagonal)| *value /= diagonal);
        self.substitute_back(solution)
    }

    /// A vector whose covariance matrix is the inverse of the matrix, from independent standard normal numbers.
    pub(super) fn correlate(&self, mut normal: Vec<f64>) -> Vec<f64> {
        normal.iter_mut().zip(&self.values).for_each(|(value, diagonal)| *value /= diagonal.sqrt());
        self.substitute_back(normal)
    }

    /// Solves Lᵀ x = `right`, which is ordered by step; x is ordered by variable.
    fn substitute_back(&self, mut right: Vec<f64>) -> Vec<f64> {
        let Pattern { step_of, columns, starts, .. } = self.pattern;
        for (step, column) in columns.iter().enumerate().rev() {
            let below = column.iter().zip(&self.values[starts[step]..]);
            right[step] -= below.map(|(&row, factor)| factor * right[row]).sum::<f64>();
        }
        step_of.iter().map(|&step| right[step]).collect()
    }

    /// The elements of the inverse matrix that the pattern holds: Takahashi, Fagan and Chin, "Formation of a sparse bus
    /// impedance matrix and its application to short circuit study" (1973).
    pub(super) fn inverse(&self) -> Values {
        let Pattern { columns, starts, .. } = self.pattern;
        let mut inverse = self.pattern.zeros();
        for (step, column) in columns.iter().enumerate().rev() {
            let factors = &self.values[starts[step]..][..column.len()];
            let mut sums: Vec<f64> = column.iter().zip(factors).map(|(&row, factor)| factor * inverse[row]).collect();
            for index in 0..column.len() {
                self.pattern.for_each_below(column, index, |later, slot| {
                    sums[index] += factors[later] * inverse[slot];
                    sums[later] += factors[index] * inverse[slot];
                });
            }
            let explained: f64 = factors.iter().zip(&sums).map(|(factor, sum)| factor * sum).sum();
            inverse[step] = 1.0 / self.values[step] + explained;
            for (index, sum) in sums.into_iter().enumerate() {
                inverse[starts[step] + index] = -sum;
            }
        }
        inverse
    }
}

impl std::ops::Index<usize> for Values {
    type Output = f64;

    fn index(&self, slot: usize) -> &f64 {
        &self.0[slot]
    }
}

impl std::ops::IndexMut<usize> for Values {
    fn index_mut(&mut self, slot: usize) -> &mut f64 {
        &mut self.0[slot]
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::rng::{RngExt, rng_for};

    use super::*;

    #[test]
    fn solutions_satisfy_the_equations() {
        for size in [1, 2, 7, 40] {
            let mut rng = rng_for(&[size as u64]);
            let pairs = |size: usize| (0..size).flat_map(move |one| (0..one).map(move |other| (one, other)));
            let couplings: Vec<(usize, usize)> = pairs(size).filter(|_| rng.random_range(0..5) == 0).collect();
            let pattern = Pattern::new(size, couplings.iter().copied());
            let mut matrix = pattern.zeros();
            let mut dense = vec![vec![0.0; size]; size];
            for &(one, other) in &couplings {
                let value = rng.random_range(-1.0..1.0);
                matrix[pattern.slot(one, other)] = value;
                (dense[one][other], dense[other][one]) = (value, value);
            }
            for variable in 0..size {
                let value = 1.0 + dense[variable].iter().map(|value: &f64| value.abs()).sum::<f64>();
                matrix[pattern.slot(variable, variable)] = value;
                dense[variable][variable] = value;
            }
            let right: Vec<f64> = (0..size).map(|_| rng.random_range(-1.0..1.0)).collect();
            let factor = pattern.factor(matrix);
            let solution = factor.solve(&right);
            for (row, expected) in dense.iter().zip(&right) {
                let found: f64 = row.iter().zip(&solution).map(|(a, x)| a * x).sum();
                assert!((found - expected).abs() < 1e-12, "{size}: {found} {expected}");
            }
            let inverse = factor.inverse();
            for &(one, other) in couplings.iter().chain(&[(0, 0), (size - 1, size - 1)]) {
                let unit: Vec<f64> = (0..size).map(|variable| f64::from(u8::from(variable == one))).collect();
                let expected = factor.solve(&unit)[other];
                assert!((inverse[pattern.slot(one, other)] - expected).abs() < 1e-12, "{size}: {one} {other}");
            }
        }
    }

    #[test]
    fn correlated_numbers_have_the_inverse_as_their_covariance() {
        let pattern = Pattern::new(3, [(0, 1), (1, 2)].into_iter());
        let mut matrix = pattern.zeros();
        for (one, other, value) in [(0, 0, 2.0), (1, 1, 3.0), (2, 2, 1.5), (0, 1, -1.0), (1, 2, 0.5)] {
            matrix[pattern.slot(one, other)] = value;
        }
        let factor = pattern.factor(matrix);
        // Of unit vectors u, the correlated vectors c satisfy Σ c cᵀ = A⁻¹.
        let unit = |index: usize| (0..3).map(|place| f64::from(u8::from(place == index))).collect::<Vec<f64>>();
        let vectors: Vec<Vec<f64>> = (0..3).map(|index| factor.correlate(unit(index))).collect();
        for one in 0..3 {
            for (other, expected) in factor.solve(&unit(one)).into_iter().enumerate() {
                let found: f64 = vectors.iter().map(|vector| vector[one] * vector[other]).sum();
                assert!((found - expected).abs() < 1e-12, "{one} {other}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_star_and_a_chain_fill_nothing_in() {
        let star = Pattern::new(100, (1..100).map(|leaf| (0, leaf)));
        let chain = Pattern::new(100, (1..100).map(|link| (link - 1, link)));
        for pattern in [star, chain] {
            assert_eq!(pattern.zeros().0.len(), 100 + 99);
        }
    }
}
