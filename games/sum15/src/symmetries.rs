//! The eight symmetries of the board, and the exchange of sides.

use super::rules::cell_key;
use super::{Cell, Sum15};
use selfplay_registry::{Action, Exchangeable, Symmetric, Symmetry};

impl<const N: usize> Symmetric for Sum15<N> {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let mut cells = [[Cell::Empty; N]; N];
        for (&content, &there) in self.cells.as_flattened().iter().zip(symmetry.cell_images::<N>()) {
            cells.as_flattened_mut()[usize::from(there)] = content;
        }
        Self::from_parts(cells, self.hands, self.to_move)
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        let (card, cell) = (action.index() / (N * N), action.index() % (N * N));
        Action::from_index(card * N * N + usize::from(symmetry.cell_images::<N>()[cell]))
    }

    fn image_key(&self, symmetry: Symmetry) -> u64 {
        let contents = self.cells.as_flattened().iter().zip(symmetry.cell_images::<N>()).enumerate();
        contents.fold(self.hash, |hash, (cell, (&content, &there))| {
            hash ^ cell_key(cell, content) ^ cell_key(usize::from(there), content)
        })
    }

    fn transform_actions(&self, actions: &mut [Action], symmetry: Symmetry) {
        // No two actions have the same successor.
        for action in actions {
            *action = Self::transform_action(*action, symmetry);
        }
    }
}

impl<const N: usize> Exchangeable for Sum15<N> {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        let cells = self.cells.map(|row| {
            row.map(|cell| match cell {
                Cell::Card { owner, card } => Cell::Card { owner: owner.opponent(), card },
                Cell::Empty | Cell::Dead => cell,
            })
        });
        let [first, second] = self.hands;
        Self::from_parts(cells, [second, first], self.to_move.opponent())
    }
}
