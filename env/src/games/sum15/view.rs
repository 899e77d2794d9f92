//! The position in the words of people: cards by their values, hands, scores.

use super::{Cell, Sum15, VALUES};
use crate::Side;

/// What lies on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellView {
    /// No card so far.
    Empty,
    /// Its card was removed; it takes no other.
    Dead,
    /// A card.
    Card {
        /// Whose it is.
        owner: Side,
        /// Its number.
        value: u8,
    },
}

impl<const N: usize> Sum15<N> {
    /// What lies on the cell in `row` and `column`, both counted from 0 at the top left.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn cell(&self, row: usize, column: usize) -> CellView {
        match self.cells[row][column] {
            Cell::Empty => CellView::Empty,
            Cell::Dead => CellView::Dead,
            Cell::Card { owner, card } => CellView::Card { owner, value: VALUES[usize::from(card)] },
        }
    }

    /// The cards in the hand of `side`, ascending.
    pub fn hand(&self, side: Side) -> Vec<u8> {
        let counts = self.hands[side.index()].iter().zip(VALUES);
        counts.flat_map(|(&count, value)| std::iter::repeat_n(value, usize::from(count))).collect()
    }

    /// The sum of the cards that `side` has on the board.
    pub fn score(&self, side: Side) -> u32 {
        self.points(side)
    }

    /// The highest card that `side` has on the board.
    pub fn highest_card(&self, side: Side) -> Option<u8> {
        self.values_on_board(side).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_text::play_line;

    #[test]
    fn a_position_is_seen_as_people_write_it() {
        // 13 and 3 next to each other exceed the limit together.
        let (position, _) = play_line::<Sum15<4>>(&["0,0,13", "3,3,5", "0,1,3"]).unwrap();
        assert_eq!([position.cell(0, 0), position.cell(0, 1)], [CellView::Dead; 2]);
        assert_eq!(position.cell(3, 3), CellView::Card { owner: Side::Second, value: 5 });
        assert_eq!(position.cell(1, 1), CellView::Empty);
        assert_eq!(position.hand(Side::First), [2, 5, 8]);
        assert_eq!(position.hand(Side::Second), [2, 3, 8, 13]);
        assert_eq!(Side::BOTH.map(|side| position.score(side)), [0, 5]);
        assert_eq!(Side::BOTH.map(|side| position.highest_card(side)), [None, Some(5)]);
    }
}
