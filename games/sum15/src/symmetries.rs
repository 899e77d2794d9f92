//! The eight symmetries of the board, and the exchange of sides.

use super::{Cell, Sum15};
use selfplay_registry::{Action, Exchangeable, Symmetric, Symmetry};

impl<const N: usize> Symmetric for Sum15<N> {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let mut cells = [[Cell::Empty; N]; N];
        for (row, contents) in self.cells.iter().enumerate() {
            for (column, &content) in contents.iter().enumerate() {
                let (there_row, there_column) = symmetry.map(row, column, N, N);
                cells[there_row][there_column] = content;
            }
        }
        Self::from_parts(cells, self.hands, self.to_move)
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        let (card, row, column) = Self::parts(action);
        let (row, column) = symmetry.map(row, column, N, N);
        Action::from_index((card * N + row) * N + column)
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
