//! Sum15's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every action they must agree on the legal actions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_DIFFERENTIAL_GAMES=1000` compares more games than the few of every day.

use selfplay_registry::differential::{PlainRules, compare_games};
use selfplay_registry::{Outcome, Side, Symmetry};
use selfplay_sum15::Sum15;

const POINTS: &str = "more points";
const HIGHER: &str = "the higher card";
const ALIKE: &str = "cards alike in points and height";
const NOTHING: &str = "no card left";

#[test]
fn the_fast_rules_are_the_plain_ones_on_4() {
    let initial = |beginner| PlainSum15::begun_by(4, &[2, 3, 5, 8, 13], beginner);
    let games = compare_games::<Sum15<4>, _>(200, &[POINTS, HIGHER, ALIKE, NOTHING], initial)
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_6() {
    let initial = |beginner| PlainSum15::begun_by(6, &[2, 2, 3, 3, 5, 5, 8, 8, 8, 13, 13], beginner);
    let games =
        compare_games::<Sum15<6>, _>(100, &[POINTS, HIGHER, ALIKE], initial).unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Fresh,
    Card(Side, u32),
    Dead,
}

#[derive(Clone)]
struct PlainSum15 {
    cells: Vec<Vec<Cell>>,
    /// The cards of the first and the second side that are not played yet.
    hands: [Vec<u32>; 2],
    mover: Side,
}

impl PlainSum15 {
    fn begun_by(size: usize, hand: &[u32], beginner: Side) -> Self {
        let hands = [hand.to_vec(), hand.to_vec()];
        PlainSum15 { cells: vec![vec![Cell::Fresh; size]; size], hands, mover: beginner }
    }

    fn size(&self) -> usize {
        self.cells.len()
    }

    /// The sum of the cards on a cell and on its up to eight neighbours, of both sides.
    fn sum_around(&self, row: usize, column: usize) -> u32 {
        let mut sum = 0;
        for (other_row, cells) in self.cells.iter().enumerate() {
            for (other_column, cell) in cells.iter().enumerate() {
                if let Cell::Card(_, value) = cell
                    && row.abs_diff(other_row) <= 1
                    && column.abs_diff(other_column) <= 1
                {
                    sum += value;
                }
            }
        }
        sum
    }

    /// The values of the cards of `side` that lie on the board.
    fn cards_of(&self, side: Side) -> Vec<u32> {
        let own = |cell: &Cell| match *cell {
            Cell::Card(owner, value) if owner == side => Some(value),
            _ => None,
        };
        self.cells.iter().flatten().filter_map(own).collect()
    }
}

fn read(action: &str) -> [usize; 3] {
    let numbers: Vec<usize> = action.split(',').map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

impl PlainRules for PlainSum15 {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        if !self.hands.iter().all(Vec::is_empty) {
            return None;
        }
        let [first, second] = Side::BOTH.map(|side| self.cards_of(side));
        let points = [&first, &second].map(|cards| cards.iter().sum::<u32>());
        let highest = [&first, &second].map(|cards| cards.iter().max().copied().unwrap_or(0));
        for ([of_first, of_second], end) in [(points, POINTS), (highest, HIGHER)] {
            if of_first != of_second {
                return Some((Outcome::Win(if of_first > of_second { Side::First } else { Side::Second }), end));
            }
        }
        Some((Outcome::Draw, if first.is_empty() { NOTHING } else { ALIKE }))
    }

    fn legal(&self) -> Vec<String> {
        let mut cards = self.hands[self.mover.index()].clone();
        cards.dedup();
        let mut legal = Vec::new();
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                if *cell == Cell::Fresh {
                    legal.extend(cards.iter().map(|card| format!("{row},{column},{card}")));
                }
            }
        }
        legal
    }

    fn play(&mut self, action: &str) {
        let [row, column, card] = read(action);
        let card = card as u32;
        let hand = &mut self.hands[self.mover.index()];
        hand.remove(hand.iter().position(|&held| held == card).unwrap());
        self.cells[row][column] = Cell::Card(self.mover, card);
        // All are looked at before the first one leaves.
        let mut marked = Vec::new();
        for row in 0..self.size() {
            for column in 0..self.size() {
                if matches!(self.cells[row][column], Cell::Card(..)) && self.sum_around(row, column) > 15 {
                    marked.push((row, column));
                }
            }
        }
        for (row, column) in marked {
            self.cells[row][column] = Cell::Dead;
        }
        self.mover = self.mover.opponent();
    }

    fn image(&self, action: &str, symmetry: Symmetry) -> String {
        let [row, column, card] = read(action);
        let (row, column) = symmetry.map(row, column, self.size(), self.size());
        format!("{row},{column},{card}")
    }
}
