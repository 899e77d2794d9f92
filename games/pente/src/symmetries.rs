//! The eight symmetries of the board, and the exchange of sides; the opening rule looks the same from every side.

use super::Pente;
use super::rules::stone_key;
use selfplay_registry::{Action, Exchangeable, Outcome, Side, Symmetric, Symmetry};

impl<const N: usize> Symmetric for Pente<N> {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let images = symmetry.cell_images::<N>();
        let mut stones = [[0; N]; 2];
        for side in Side::BOTH {
            for cell in self.cells_of(side) {
                let there = usize::from(images[cell]);
                stones[side.index()][there / N] |= 1 << (there % N);
            }
        }
        Pente { outcome: self.outcome, ..Self::from_parts(stones, self.pairs, self.starter) }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action(symmetry.cell_images::<N>()[action.index()])
    }

    fn image_key(&self, symmetry: Symmetry) -> u64 {
        let images = symmetry.cell_images::<N>();
        let stones = Side::BOTH.into_iter().flat_map(|side| self.cells_of(side).map(move |cell| (side, cell)));
        stones.fold(self.hash, |hash, (side, cell)| {
            hash ^ stone_key(side, cell) ^ stone_key(side, usize::from(images[cell]))
        })
    }

    fn transform_actions(&self, actions: &mut [Action], symmetry: Symmetry) {
        // No two actions have the same successor.
        for action in actions {
            *action = Self::transform_action(*action, symmetry);
        }
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
