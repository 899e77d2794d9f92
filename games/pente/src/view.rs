//! The board as data for drawing, with the captured pairs.

use super::{Pente, notation};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, Tally, View};
use selfplay_registry::{Action, Side};

impl<const N: usize> Drawable for Pente<N> {
    fn layout() -> Layout {
        let name = |row, column| notation::action_name::<N>(Action::from_index(row * N + column));
        let rows = (1..=N).rev().map(|row| row.to_string());
        let columns = notation::LETTERS[..N].chars().map(String::from);
        Layout::flat(BoardKind::Intersections, N, N, name).labelled(rows, columns)
    }

    fn view(&self) -> View {
        let has_stone = |side: Side, cell: usize| self.stones[side.index()][cell / N] >> (cell % N) & 1 == 1;
        let piece = |cell| Side::BOTH.into_iter().find(|&side| has_stone(side, cell)).map(Piece::Stone);
        let pieces = (0..N * N).map(piece).collect();
        let captured = Tally { label: "captured pairs", counts: self.pairs.map(u32::from) };
        View { tallies: vec![captured], ..View::from_rows(pieces, N, 5, self.outcome, "places a stone") }
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        vec![Click::Place(action.index())]
    }
}
