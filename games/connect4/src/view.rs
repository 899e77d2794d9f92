//! The board as data for drawing. Places are numbered row by row from the top left.

use super::{CELLS, COLUMN, COLUMN_BITS, COLUMNS, Connect4, ROWS, bit};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, View};
use selfplay_registry::{Action, Game};

impl Drawable for Connect4 {
    fn layout() -> Layout {
        let name = |row, column| format!("column {}, height {}", column + 1, ROWS - row);
        let labels = (1..=COLUMNS).map(|column| column.to_string());
        Layout::flat(BoardKind::Columns, ROWS, COLUMNS, name).labelled([], labels)
    }

    fn view(&self) -> View {
        let (own, _) = self.own_and_opponent();
        let mover = self.side_to_move();
        let piece = |place: usize| {
            let cell = bit(ROWS - 1 - place / COLUMNS, place % COLUMNS);
            let owner = if own & cell != 0 { mover } else { mover.opponent() };
            (self.occupied & cell != 0).then_some(Piece::Stone(owner))
        };
        View::from_rows((0..CELLS).map(piece).collect(), COLUMNS, 4, self.outcome, "drops a disc")
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        let discs = (self.occupied >> (action.index() * COLUMN_BITS) & COLUMN).count_ones() as usize;
        vec![Click::Place((ROWS - 1 - discs) * COLUMNS + action.index())]
    }
}
