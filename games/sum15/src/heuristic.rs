//! Points on the board by how safe they are, points in hand, and what a card would remove.

use super::bounds::points_of;
use super::{Cell, LIMIT, Sum15, VALUES};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Side, Tactics};

/// A point on a card with no empty neighbouring cell, or that no single card in the other's hand can remove.
const SAFE: i32 = 30;
/// A point in hand: it may yet become safe.
const IN_HAND: i32 = 20;
/// A point on a card that the opponent can remove with one card.
const IN_REACH: i32 = 20;

/// A hint's part for each point of a card that leaves the board or stays on it.
const POINT_HINT: i32 = 10;

impl<const N: usize> Tactics for Sum15<N> {
    /// Each point of our cards counts 30 on the board out of the opponent's reach, 20 in hand and 20 on the board in
    /// reach; less the same for the opponent. A card is in reach when a neighbouring cell can take a card and the
    /// highest card in the other's hand would lift its sum over the limit.
    fn heuristic(&self) -> i32 {
        let highest = Side::BOTH.map(|side| highest_card(&self.hands[side.index()]));
        let mut worth = self.hands.map(|hand| IN_HAND * points_of(&hand) as i32);
        let room = self.room();
        let sums_and_room = self.sums.as_flattened().iter().zip(room.as_flattened());
        for (cell, (&sum, &room)) in self.cells.as_flattened().iter().zip(sums_and_room) {
            if let Cell::Card { owner, card } = *cell {
                let is_in_reach = room > 0 && sum + highest[owner.opponent().index()] > LIMIT;
                let weight = if is_in_reach { IN_REACH } else { SAFE };
                worth[owner.index()] += weight * i32::from(VALUES[usize::from(card)]);
            }
        }
        let side = self.side_to_move();
        worth[side.index()] - worth[side.opponent().index()]
    }

    /// Only the last card ends the game.
    fn immediate_win(&self) -> ImmediateWin {
        let win = Outcome::Win(self.side_to_move());
        let found = || self.last_outcomes().find(|&(_, outcome)| outcome == win);
        match self.is_last_card().then(found).flatten() {
            Some((action, _)) => ImmediateWin::By(action),
            None => ImmediateWin::None,
        }
    }

    /// The points that the opponent loses at once less those that we lose.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let side = self.side_to_move();
        let removed = self.removed_points();
        let (own, other) = (&removed[side.index()], &removed[side.opponent().index()]);
        hints.clear();
        hints.extend(actions.iter().map(|&action| {
            let (card, row, column) = Self::parts(action);
            let stays = self.sums[row][column] + VALUES[card] <= LIMIT;
            let lost = own[card][row][column] + if stays { 0 } else { VALUES[card] };
            POINT_HINT * (i32::from(other[card][row][column]) - i32::from(lost))
        }));
    }

    fn settled_outcome(&self) -> Option<Outcome> {
        self.settled()
    }
}

/// The value of the highest card in `hand`, 0 for none.
fn highest_card(hand: &[u8; VALUES.len()]) -> u8 {
    hand.iter().zip(VALUES).filter(|(count, _)| **count > 0).map(|(_, value)| value).max().unwrap_or(0)
}
