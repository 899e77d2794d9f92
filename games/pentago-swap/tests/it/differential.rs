//! Pentago-Swap's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every action they must agree on the legal actions, the side to move and the outcome, also under every
//! symmetry and with the sides exchanged. `SELFPLAY_DIFFERENTIAL_GAMES=1000` compares more games than the few of every day.

use selfplay_pentago_swap::PentagoSwap;
use selfplay_registry::differential::{PlainRules, compare_games};
use selfplay_registry::{Outcome, Side, Symmetry};

const SIZE: usize = 6;
const PAIRS: [&str; 6] = ["AB", "AC", "AD", "BC", "BD", "CD"];
const OWN_FIVE: &str = "five of who moved";
const OTHER_FIVE: &str = "five of who did not move";
const BOTH_FIVE: &str = "five of both";
const FULL: &str = "a full board";

#[test]
fn the_fast_rules_are_the_plain_ones() {
    let ends = [OWN_FIVE, OTHER_FIVE, BOTH_FIVE, FULL];
    let games = compare_games::<PentagoSwap, _>(25, &ends, PlainPentagoSwap::begun_by)
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

/// Row 0 is row `1`, at the top.
#[derive(Clone)]
struct PlainPentagoSwap {
    cells: Vec<Vec<Option<Side>>>,
    mover: Side,
}

impl PlainPentagoSwap {
    fn begun_by(beginner: Side) -> Self {
        PlainPentagoSwap { cells: vec![vec![None; SIZE]; SIZE], mover: beginner }
    }

    /// Whether five stones of `side` stand in a line that begins at a cell and continues in one of four directions.
    fn has_five(&self, side: Side) -> bool {
        let stone_at = |row: isize, column: isize| -> Option<Side> {
            let row = self.cells.get(usize::try_from(row).ok()?)?;
            *row.get(usize::try_from(column).ok()?)?
        };
        for row in 0..SIZE as isize {
            for column in 0..SIZE as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    if (0..5).all(|step| stone_at(row + step * down, column + step * right) == Some(side)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Row and column of the quadrant among the four.
fn quadrant_place(letter: char) -> (usize, usize) {
    match letter {
        'A' => (0, 0),
        'B' => (0, 1),
        'C' => (1, 0),
        _ => (1, 1),
    }
}

/// Row and column of the cell, and the letters of the two quadrants.
fn read(action: &str) -> (usize, usize, [char; 2]) {
    let letters: Vec<char> = action.chars().collect();
    let column = "abcdef".find(letters[0]).unwrap();
    let row = "123456".find(letters[1]).unwrap();
    (row, column, [letters[3], letters[4]])
}

fn cell_name(row: usize, column: usize) -> String {
    format!("{}{}", &"abcdef"[column..=column], row + 1)
}

impl PlainRules for PlainPentagoSwap {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        let moved = self.mover.opponent();
        match (self.has_five(moved), self.has_five(self.mover)) {
            (true, true) => Some((Outcome::Draw, BOTH_FIVE)),
            (true, false) => Some((Outcome::Win(moved), OWN_FIVE)),
            (false, true) => Some((Outcome::Win(self.mover), OTHER_FIVE)),
            (false, false) => self.cells.iter().flatten().all(Option::is_some).then_some((Outcome::Draw, FULL)),
        }
    }

    fn legal(&self) -> Vec<String> {
        let mut legal = Vec::new();
        if self.end().is_some() {
            return legal;
        }
        for row in 0..SIZE {
            for column in 0..SIZE {
                if self.cells[row][column].is_none() {
                    legal.extend(PAIRS.iter().map(|pair| format!("{}:{pair}", cell_name(row, column))));
                }
            }
        }
        legal
    }

    fn play(&mut self, action: &str) {
        let (row, column, quadrants) = read(action);
        self.cells[row][column] = Some(self.mover);
        let [(row_1, column_1), (row_2, column_2)] = quadrants.map(quadrant_place);
        let before = self.cells.clone();
        for row in 0..3 {
            for column in 0..3 {
                self.cells[3 * row_1 + row][3 * column_1 + column] = before[3 * row_2 + row][3 * column_2 + column];
                self.cells[3 * row_2 + row][3 * column_2 + column] = before[3 * row_1 + row][3 * column_1 + column];
            }
        }
        self.mover = self.mover.opponent();
    }

    fn image(&self, action: &str, symmetry: Symmetry) -> String {
        let (row, column, quadrants) = read(action);
        let (row, column) = symmetry.map(row, column, SIZE, SIZE);
        let mut quadrants = quadrants.map(|letter| {
            let (row, column) = quadrant_place(letter);
            let image = symmetry.map(row, column, 2, 2);
            ['A', 'B', 'C', 'D'].into_iter().find(|&letter| quadrant_place(letter) == image).unwrap()
        });
        quadrants.sort();
        format!("{}:{}{}", cell_name(row, column), quadrants[0], quadrants[1])
    }
}
