//! What the rest of the game can still change: bounds on both sides' final points, and the results they settle.
//!
//! All cards will be played, and every card stays until its sum exceeds the limit. So a card on the board is sure if
//! even the highest cards still in hand, on all its empty neighbouring cells, leave it within the limit.

use super::{Cell, LIMIT, Sum15, VALUES};
use selfplay_registry::{Action, Game, Outcome, Side};

/// Cells of a neighbourhood, at most.
const NEIGHBOURHOOD: usize = 9;

/// What the rest of the game can still change, however it is played. Pairs have the first player's number first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// Final points, at least.
    pub(super) least: [u32; 2],
    /// Final points, at most.
    pub(super) most: [u32; 2],
    /// The value of the highest card that is sure to be there at the end; 0 for none.
    highest_sure: [u8; 2],
    /// The value of the highest card that can be there at the end; 0 for none.
    highest_possible: [u8; 2],
}

impl Bounds {
    /// The result that these bounds leave, if it is only one.
    fn outcome(&self) -> Option<Outcome> {
        let is_sure_to_win = |side: &Side| {
            let (own, other) = (side.index(), side.opponent().index());
            (self.least[own], self.highest_sure[own]) > (self.most[other], self.highest_possible[other])
        };
        if let Some(winner) = Side::BOTH.into_iter().find(is_sure_to_win) {
            return Some(Outcome::Win(winner));
        }
        let is_fixed = self.least == self.most && self.highest_sure == self.highest_possible;
        let is_equal = self.least[0] == self.least[1] && self.highest_sure[0] == self.highest_sure[1];
        (is_fixed && is_equal).then_some(Outcome::Draw)
    }

    fn add_sure(&mut self, side: usize, value: u8, count: u8) {
        self.least[side] += u32::from(value) * u32::from(count);
        self.highest_sure[side] = self.highest_sure[side].max(value);
    }

    fn add_possible(&mut self, side: usize, value: u8, count: u8) {
        self.most[side] += u32::from(value) * u32::from(count);
        self.highest_possible[side] = self.highest_possible[side].max(value);
    }
}

impl<const N: usize> Sum15<N> {
    /// The result, if no action that is still to come can change it, as far as [`Bounds`] and, for the last card, a
    /// look at every cell can tell.
    pub(super) fn settled(&self) -> Option<Outcome> {
        if self.outcome.is_some() {
            return self.outcome;
        }
        if self.is_last_card() {
            let mut outcomes = self.last_outcomes().map(|(_, outcome)| outcome);
            let first = outcomes.next();
            return if outcomes.all(|outcome| Some(outcome) == first) { first } else { None };
        }
        // Neither side is ahead by more than the other has in hand, so nothing can be settled.
        let [first, second] = Side::BOTH.map(|side| self.points(side));
        let [first_hand, second_hand] = self.hands.map(|hand| points_of(&hand));
        if first < second + second_hand && second < first + first_hand { None } else { self.bounds().outcome() }
    }

    /// Whether the action to come ends the game.
    pub(super) fn is_last_card(&self) -> bool {
        self.hands.as_flattened().iter().sum::<u8>() == 1
    }

    /// Where the last card can go, and the results.
    pub(super) fn last_outcomes(&self) -> impl Iterator<Item = (Action, Outcome)> {
        let hand = &self.hands[self.side_to_move().index()];
        let card = hand.iter().position(|&count| count > 0).unwrap_or_default();
        let cells = self.cells.as_flattened().iter().enumerate().filter(|(_, content)| **content == Cell::Empty);
        cells.filter_map(move |(cell, _)| {
            let action = Action::from_index(card * N * N + cell);
            let mut end = *self;
            end.play(action);
            end.outcome.map(|outcome| (action, outcome))
        })
    }

    /// Bounds on how a running game ends.
    pub(super) fn bounds(&self) -> Bounds {
        let mut bounds = Bounds { least: [0; 2], most: [0; 2], highest_sure: [0; 2], highest_possible: [0; 2] };
        let highest = self.sums_of_highest_in_hand();
        let room = self.room();
        // The values of sure cards, where they lie, and the highest sum of an empty cell by the room around it.
        let mut sure = [[0; N]; N];
        let mut highest_sums = [None; NEIGHBOURHOOD];
        for row in 0..N {
            for column in 0..N {
                let (sum, room) = (self.sums[row][column], usize::from(room[row][column]));
                match self.cells[row][column] {
                    Cell::Dead => {}
                    Cell::Empty => highest_sums[room - 1] = highest_sums[room - 1].max(Some(sum)),
                    Cell::Card { owner, card } => {
                        let (side, value) = (owner.index(), VALUES[usize::from(card)]);
                        bounds.add_possible(side, value, 1);
                        if sum + highest[room] <= LIMIT {
                            bounds.add_sure(side, value, 1);
                            sure[row][column] = value;
                        }
                    }
                }
            }
        }
        let sure_sums = neighbourhood_sums(&sure);
        let cells = self.cells.as_flattened().iter().zip(sure_sums.as_flattened());
        let lowest_sum = cells.filter(|(cell, _)| **cell == Cell::Empty).map(|(_, &sum)| sum).min().unwrap_or(LIMIT);
        for (side, hand) in self.hands.iter().enumerate() {
            for (&count, value) in hand.iter().zip(VALUES).filter(|(count, _)| **count > 0) {
                // It stays on the cell with the lowest sure sum, or nowhere.
                if lowest_sum + value <= LIMIT {
                    bounds.add_possible(side, value, count);
                }
                // The highest cards around it, itself not among them: with it they are the highest of all if it is high.
                let stays = |(room, sum): (usize, &Option<u8>)| {
                    sum.is_none_or(|sum| sum + (highest[room] + value).min(highest[room + 1]) <= LIMIT)
                };
                if highest_sums.iter().enumerate().all(stays) {
                    bounds.add_sure(side, value, count);
                }
            }
        }
        bounds
    }

    /// `[count]`: the sum of that many of the highest cards in both hands, or of all of them.
    fn sums_of_highest_in_hand(&self) -> [u8; NEIGHBOURHOOD + 1] {
        let mut sums = [0; NEIGHBOURHOOD + 1];
        let mut taken = 0;
        for card in (0..VALUES.len()).rev() {
            let count = usize::from(self.hands[0][card] + self.hands[1][card]).min(NEIGHBOURHOOD - taken);
            for _ in 0..count {
                sums[taken + 1] = sums[taken] + VALUES[card];
                taken += 1;
            }
        }
        let all = sums[taken];
        sums[taken..].fill(all);
        sums
    }

    /// Empty cells on and around each cell.
    pub(super) fn room(&self) -> [[u8; N]; N] {
        neighbourhood_sums(&self.cells.map(|row| row.map(|cell| u8::from(cell == Cell::Empty))))
    }
}

/// The points of the cards in `hand`.
pub(super) fn points_of(hand: &[u8; VALUES.len()]) -> u32 {
    hand.iter().zip(VALUES).map(|(&count, value)| u32::from(count) * u32::from(value)).sum()
}

/// The sum of the numbers on and around each cell.
fn neighbourhood_sums<const N: usize>(numbers: &[[u8; N]; N]) -> [[u8; N]; N] {
    let along = |line: [u8; N], index: usize| {
        let before = if index > 0 { line[index - 1] } else { 0 };
        let after = if index + 1 < N { line[index + 1] } else { 0 };
        before + line[index] + after
    };
    let sums_in_rows: [[u8; N]; N] = numbers.map(|row| std::array::from_fn(|column| along(row, column)));
    std::array::from_fn(|row| {
        std::array::from_fn(|column| along(std::array::from_fn(|r: usize| sums_in_rows[r][column]), row))
    })
}
