//! Linear equations with a sparse, symmetric, positive definite matrix: LDLᵀ in an order that keeps it sparse.
//!
//! George and Liu, "Computer Solution of Large Sparse Positive Definite Systems" (1981), chapter 5: the pattern is
//! found once by eliminating, again and again, the variable with the fewest neighbours, and serves any number of matrices.

use std::collections::BTreeSet;

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
            for (index, &one) in joined.iter().enumerate() {
                neighbours[one].remove(&variable);
                for &other in &joined[index + 1..] {
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

    /// Solves `matrix · x = right` and returns x; `matrix` is overwritten by its factor.
    pub(super) fn solve(&self, matrix: &mut Values, right: &[f64]) -> Vec<f64> {
        self.factorize(matrix);
        let values = &matrix.0;
        let mut solution = vec![0.0; right.len()];
        for (variable, &step) in self.step_of.iter().enumerate() {
            solution[step] = right[variable];
        }
        for (step, column) in self.columns.iter().enumerate() {
            for (&row, factor) in column.iter().zip(&values[self.starts[step]..]) {
                solution[row] -= factor * solution[step];
            }
        }
        for (step, column) in self.columns.iter().enumerate().rev() {
            let below = column.iter().zip(&values[self.starts[step]..]);
            let known: f64 = below.map(|(&row, factor)| factor * solution[row]).sum();
            solution[step] = solution[step] / values[step] - known;
        }
        self.step_of.iter().map(|&step| solution[step]).collect()
    }

    /// Turns a matrix into its factor: D on the diagonal, L below it.
    fn factorize(&self, matrix: &mut Values) {
        let values = &mut matrix.0;
        for (step, column) in self.columns.iter().enumerate() {
            let (diagonal, start) = (values[step], self.starts[step]);
            for (index, &row) in column.iter().enumerate() {
                let factor = values[start + index] / diagonal;
                values[row] -= factor * values[start + index];
                // What is below in this column is below in that one as well: both are walked through once.
                let mut slot = self.starts[row];
                let mut rows = self.columns[row].iter();
                for (later, &below) in column.iter().enumerate().skip(index + 1) {
                    while rows.next().is_some_and(|&candidate| candidate != below) {
                        slot += 1;
                    }
                    values[slot] -= factor * values[start + later];
                    slot += 1;
                }
            }
            values[start..start + column.len()].iter_mut().for_each(|value| *value /= diagonal);
        }
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
            let solution = pattern.solve(&mut matrix, &right);
            for (row, expected) in dense.iter().zip(&right) {
                let found: f64 = row.iter().zip(&solution).map(|(a, x)| a * x).sum();
                assert!((found - expected).abs() < 1e-12, "{size}: {found} {expected}");
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
