//! The board as data for drawing: an action is a place and two quadrants.

use super::geometry::{CELL_OF_BIT, CELLS, QUADRANTS_OF_PAIR, SIDE, swap};
use super::{BIT_OF_CELL, PentagoSwap};
use selfplay_registry::view::{BoardKind, Click, Drawable, Layout, Piece, View, letters};
use selfplay_registry::{Action, Side};

impl Drawable for PentagoSwap {
    fn layout() -> Layout {
        let name = |row, column| format!("{}{}", char::from(b'a' + column as u8), row + 1);
        let rows = (1..=SIDE).map(|row| row.to_string());
        Layout::flat(BoardKind::Quadrants, SIDE, SIDE, name).labelled(rows, letters('a', SIDE))
    }

    fn view(&self) -> View {
        let has_stone = |side: Side, cell: usize| self.stones[side.index()] >> BIT_OF_CELL[cell] & 1 == 1;
        let piece = |cell| Side::BOTH.into_iter().find(|&side| has_stone(side, cell)).map(Piece::Stone);
        let task = "places a stone, then swaps two quadrants";
        View::from_rows((0..CELLS).map(piece).collect(), SIDE, 5, self.outcome, task)
    }

    fn clicks(&self, action: Action) -> Vec<Click> {
        let [low, high] = QUADRANTS_OF_PAIR[action.index() / CELLS];
        vec![Click::Place(action.index() % CELLS), Click::Quadrant(low), Click::Quadrant(high)]
    }

    /// Where the stone lies after the swap.
    fn touched(&self, action: Action) -> Vec<usize> {
        let (pair, bit) = Self::pair_and_bit(action);
        let bit = swap(1 << bit, pair).trailing_zeros() as usize;
        vec![usize::from(CELL_OF_BIT[bit])]
    }
}
