//! Pente's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every action they must agree on the legal actions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_DIFFERENTIAL_GAMES=1000` compares more games than the few of every day.

use selfplay_pente::Pente;
use selfplay_registry::differential::{PlainRules, compare_games};
use selfplay_registry::{Outcome, Side, Symmetry};

/// The letters of the columns; there is no `I`.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRST";
const FIVE: &str = "five in a row";
const MORE_THAN_FIVE: &str = "more than five in a row";
const PAIRS: &str = "five pairs";
const FULL: &str = "a full board";
/// White's cells alternate, beginning with the first or, in rows with a 1 here, with the second. If both sides keep to
/// their own cells, no capture occurs and no row is longer than four.
const SHIFTED_ROWS: &str = "100001011110";

#[test]
fn the_fast_rules_are_the_plain_ones_on_19() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    let games = compare_games::<Pente<19>, _>(5, &ends, |beginner| PlainPente::begun_by(19, beginner))
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_13() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    let games = compare_games::<Pente<13>, _>(10, &ends, |beginner| PlainPente::begun_by(13, beginner))
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

#[test]
fn the_fast_rules_are_the_plain_ones_on_9() {
    let ends = [FIVE, MORE_THAN_FIVE, PAIRS, FULL];
    let games = compare_games::<Pente<9>, _>(30, &ends, |beginner| PlainPente::begun_by(9, beginner))
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

/// Row 0 is at the top, the one with the highest number.
#[derive(Clone)]
struct PlainPente {
    stones: Vec<Vec<Option<Side>>>,
    mover: Side,
    /// Actions made by both sides together.
    made: usize,
    /// Pairs that the first and the second side captured.
    pairs: [usize; 2],
}

impl PlainPente {
    fn begun_by(size: usize, beginner: Side) -> Self {
        PlainPente { stones: vec![vec![None; size]; size], mover: beginner, made: 0, pairs: [0, 0] }
    }

    fn size(&self) -> usize {
        self.stones.len()
    }

    /// `None` outside the board as well.
    fn stone_at(&self, row: isize, column: isize) -> Option<Side> {
        let row = self.stones.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    /// The longest straight row of stones of `side`.
    fn longest_row(&self, side: Side) -> isize {
        let mut longest = 0;
        for row in 0..self.size() as isize {
            for column in 0..self.size() as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let is_own = |step: &isize| self.stone_at(row + step * down, column + step * right) == Some(side);
                    longest = longest.max((0..).take_while(is_own).count() as isize);
                }
            }
        }
        longest
    }

    /// Whether the beginner's first two stones may stand here; all others may stand anywhere.
    fn opening_allows(&self, row: usize, column: usize) -> bool {
        let centre = self.size() / 2;
        let distance = row.abs_diff(centre).max(column.abs_diff(centre));
        match self.made {
            0 => distance == 0,
            2 => distance >= 3,
            _ => true,
        }
    }

    fn name(&self, row: usize, column: usize) -> String {
        format!("{}{}", self.size() - row, &LETTERS[column..=column])
    }

    fn read(&self, action: &str) -> (usize, usize) {
        let (number, letter) = action.split_at(action.len() - 1);
        (self.size() - number.parse::<usize>().unwrap(), LETTERS.find(letter).unwrap())
    }
}

impl PlainRules for PlainPente {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        let moved = self.mover.opponent();
        let longest = self.longest_row(moved);
        if longest >= 5 {
            return Some((Outcome::Win(moved), if longest > 5 { MORE_THAN_FIVE } else { FIVE }));
        }
        if self.pairs[moved.index()] >= 5 {
            return Some((Outcome::Win(moved), PAIRS));
        }
        self.stones.iter().flatten().all(Option::is_some).then_some((Outcome::Draw, FULL))
    }

    fn legal(&self) -> Vec<String> {
        let mut legal = Vec::new();
        if self.end().is_some() {
            return legal;
        }
        for row in 0..self.size() {
            for column in 0..self.size() {
                if self.stones[row][column].is_none() && self.opening_allows(row, column) {
                    legal.push(self.name(row, column));
                }
            }
        }
        legal
    }

    fn play(&mut self, action: &str) {
        let (row, column) = self.read(action);
        self.stones[row][column] = Some(self.mover);
        let (row, column) = (row as isize, column as isize);
        for down in -1..=1 {
            for right in -1..=1 {
                let at = |step: isize| self.stone_at(row + step * down, column + step * right);
                let enemy = Some(self.mover.opponent());
                if at(1) == enemy && at(2) == enemy && at(3) == Some(self.mover) {
                    for step in [1, 2] {
                        self.stones[(row + step * down) as usize][(column + step * right) as usize] = None;
                    }
                    self.pairs[self.mover.index()] += 1;
                }
            }
        }
        self.made += 1;
        self.mover = self.mover.opponent();
    }

    fn image(&self, action: &str, symmetry: Symmetry) -> String {
        let (row, column) = self.read(action);
        let (row, column) = symmetry.map(row, column, self.size(), self.size());
        self.name(row, column)
    }

    fn leads_to(&self, action: &str, aim: &str) -> bool {
        let (row, column) = self.read(action);
        let is_shifted = SHIFTED_ROWS.as_bytes()[row % SHIFTED_ROWS.len()] == b'1';
        let owner = if (column + usize::from(is_shifted)).is_multiple_of(2) { Side::First } else { Side::Second };
        aim != FULL || owner == self.mover
    }
}
