//! Points on the board and in hand, worth more where no card can reach them any more.

use super::rules::around;
use super::{Cell, LIMIT, Sum15, VALUES};
use crate::{Game, Heuristic, Side};

/// A point on a card that the opponent's next card cannot remove.
const SAFE: i32 = 3;
/// A point in hand: it may yet become safe.
const IN_HAND: i32 = 2;
/// A point on a card that the opponent can remove.
const IN_REACH: i32 = 1;

impl<const N: usize> Heuristic for Sum15<N> {
    /// Each point of our cards counts 3 on the board out of the opponent's reach, 2 in hand and 1 on the board in
    /// reach; less the same for the opponent. A card is in reach when a neighbouring cell can take a card and the
    /// highest card in the other's hand would lift its sum over the limit.
    fn heuristic(&self) -> i32 {
        let side = self.side_to_move();
        self.worth(side) - self.worth(side.opponent())
    }
}

impl<const N: usize> Sum15<N> {
    fn worth(&self, side: Side) -> i32 {
        let counts = |side: Side| self.hands[side.index()].iter().zip(VALUES);
        let in_hand: i32 = counts(side).map(|(&count, value)| i32::from(count * value)).sum();
        let threat = counts(side.opponent()).filter(|(count, _)| **count > 0).map(|(_, value)| value).max();
        let mut worth = IN_HAND * in_hand;
        for row in 0..N {
            for column in 0..N {
                if let Cell::Card { owner, card } = self.cells[row][column]
                    && owner == side
                {
                    let exceeds = threat.is_some_and(|threat| self.sums[row][column] + threat > LIMIT);
                    let weight = if exceeds && self.has_room_beside(row, column) { IN_REACH } else { SAFE };
                    worth += weight * i32::from(VALUES[usize::from(card)]);
                }
            }
        }
        worth
    }

    fn has_room_beside(&self, row: usize, column: usize) -> bool {
        self.cells[around::<N>(row)].iter().any(|cells| cells[around::<N>(column)].contains(&Cell::Empty))
    }
}
