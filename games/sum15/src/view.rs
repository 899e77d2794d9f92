//! The board as data for drawing, with hands, points and the sums that count against the limit.

use super::{Cell, Sum15, VALUES};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, Tally, View};
use selfplay_registry::{Action, Side};

impl<const N: usize> Drawable for Sum15<N> {
    fn layout() -> Layout {
        let labels = || (0..N).map(|index| index.to_string());
        Layout::flat(BoardKind::Cards, N, N, |row, column| format!("{row},{column}")).labelled(labels(), labels())
    }

    fn view(&self) -> View {
        let piece = |&cell: &Cell| match cell {
            Cell::Empty => None,
            Cell::Dead => Some(Piece::Dead),
            Cell::Card { owner, card } => Some(Piece::Card { owner, value: VALUES[usize::from(card)] }),
        };
        let hand = |side: Side| {
            let cards = VALUES.iter().zip(&self.hands[side.index()]);
            cards.flat_map(|(&value, &count)| std::iter::repeat_n(value, usize::from(count))).collect()
        };
        View {
            tallies: vec![Tally { label: "points", counts: Side::BOTH.map(|side| self.points(side)) }],
            hands: Some(Side::BOTH.map(hand)),
            sums: self.sums.as_flattened().iter().map(|&sum| u32::from(sum)).collect(),
            ..View::new(self.cells.as_flattened().iter().map(piece).collect(), "puts a card on an empty cell")
        }
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        let (card, row, column) = Self::parts(action);
        vec![Click::Card(VALUES[card]), Click::Place(row * N + column)]
    }
}
