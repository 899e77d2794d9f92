//! The eight symmetries of the board, and the exchange of sides; the opening rule looks the same from every side.

use super::Pente;
use selfplay_registry::{Action, Exchangeable, Outcome, Side, Symmetric, Symmetry};

impl<const N: usize> Symmetric for Pente<N> {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let mut stones = [[0; N]; 2];
        for side in Side::BOTH {
            for cell in self.cells_of(side) {
                let there = symmetry.map_cell(cell, N);
                stones[side.index()][there / N] |= 1 << (there % N);
            }
        }
        Pente { outcome: self.outcome, ..Self::from_parts(stones, self.pairs, self.starter) }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action::from_index(symmetry.map_cell(action.index(), N))
    }
}

impl<const N: usize> Exchangeable for Pente<N> {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        let ([first, second], [first_pairs, second_pairs]) = (self.stones, self.pairs);
        let outcome = self.outcome.map(Outcome::exchanged);
        let starter = self.starter.opponent();
        Pente { outcome, ..Self::from_parts([second, first], [second_pairs, first_pairs], starter) }
    }
}
