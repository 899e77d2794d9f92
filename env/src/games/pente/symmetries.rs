//! The eight symmetries of the board; the opening rule looks the same from every side.

use super::Pente;
use crate::{Action, Side, Symmetric, Symmetry};

impl<const N: usize> Symmetric for Pente<N> {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn transform(&self, symmetry: Symmetry) -> Self {
        let mut stones = [[0; N]; 2];
        for side in Side::BOTH {
            for cell in self.cells_of(side) {
                let there = symmetry.map_cell(cell, N);
                stones[side.index()][there / N] |= 1 << (there % N);
            }
        }
        Pente { outcome: self.outcome, ..Self::from_parts(stones, self.pairs) }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action::from_index(symmetry.map_cell(action.index(), N))
    }
}
