//! The board as data for drawing.

use super::{CELLS, TicTacToe};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, View, letters};
use selfplay_registry::{Action, Game, Side};

impl Drawable for TicTacToe {
    fn layout() -> Layout {
        let name = |row, column| Self::action_name(Action::from_index(row * 3 + column));
        Layout::flat(BoardKind::Squares, 3, 3, name).labelled((1..=3).map(|row| row.to_string()), letters('a', 3))
    }

    fn view(&self) -> View {
        let has_mark = |side: Side, cell: usize| self.marks[side.index()] >> cell & 1 == 1;
        let piece = |cell| Side::BOTH.into_iter().find(|&side| has_mark(side, cell)).map(Piece::Stone);
        View::from_rows((0..CELLS).map(piece).collect(), 3, 3, self.outcome(), "marks a square")
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        vec![Click::Place(action.index())]
    }
}
