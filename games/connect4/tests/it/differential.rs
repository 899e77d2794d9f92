//! Connect Four's rules a second time, slow and plain, and random games that both implementations play side by side.
//!
//! After every action they must agree on the legal actions, the side to move and the outcome, also in the mirror and
//! with the sides exchanged. `SELFPLAY_DIFFERENTIAL_GAMES=1000` compares more games than the few of every day.

use selfplay_connect4::Connect4;
use selfplay_registry::differential::{PlainRules, compare_games};
use selfplay_registry::{Outcome, Side, Symmetry};

const ROWS: usize = 6;
const COLUMNS: usize = 7;
const FOUR: &str = "four in a row";
const FULL: &str = "a full board";
const FOUR_AND_FULL: &str = "four in a row with the last disc";

#[test]
fn the_fast_rules_are_the_plain_ones() {
    let games = compare_games::<Connect4, _>(400, &[FOUR, FULL, FOUR_AND_FULL], PlainConnect4::begun_by)
        .unwrap_or_else(|fault| panic!("{fault}"));
    eprintln!("{games}");
}

/// Row 0 is the top row.
#[derive(Clone)]
struct PlainConnect4 {
    cells: Vec<Vec<Option<Side>>>,
    mover: Side,
}

impl PlainConnect4 {
    fn begun_by(beginner: Side) -> Self {
        PlainConnect4 { cells: vec![vec![None; COLUMNS]; ROWS], mover: beginner }
    }

    /// Whether four discs of `side` stand in a line that begins at a cell and continues in one of four directions.
    fn has_four(&self, side: Side) -> bool {
        let disc_at = |row: isize, column: isize| -> Option<Side> {
            let row = self.cells.get(usize::try_from(row).ok()?)?;
            *row.get(usize::try_from(column).ok()?)?
        };
        for row in 0..ROWS as isize {
            for column in 0..COLUMNS as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    if (0..4).all(|step| disc_at(row + step * down, column + step * right) == Some(side)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.cells.iter().flatten().all(Option::is_some)
    }
}

impl PlainRules for PlainConnect4 {
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::IDENTITY, Symmetry::FLIP_COLUMNS];

    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn end(&self) -> Option<(Outcome, &'static str)> {
        for side in Side::BOTH {
            if self.has_four(side) {
                return Some((Outcome::Win(side), if self.is_full() { FOUR_AND_FULL } else { FOUR }));
            }
        }
        self.is_full().then_some((Outcome::Draw, FULL))
    }

    fn legal(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let open = (0..COLUMNS).filter(|&column| self.cells[0][column].is_none());
        open.map(|column| (column + 1).to_string()).collect()
    }

    fn play(&mut self, action: &str) {
        let column = action.parse::<usize>().unwrap() - 1;
        let row = (0..ROWS).rev().find(|&row| self.cells[row][column].is_none()).unwrap();
        self.cells[row][column] = Some(self.mover);
        self.mover = self.mover.opponent();
    }

    fn image(&self, action: &str, symmetry: Symmetry) -> String {
        let column = action.parse::<usize>().unwrap();
        let image = if symmetry == Symmetry::FLIP_COLUMNS { COLUMNS + 1 - column } else { column };
        image.to_string()
    }
}
