//! Tic-tac-toe: three in a row on 3×3. The smallest benchmark game: its value (a draw) is known everywhere.

#![forbid(unsafe_code)]

mod auxiliary;
mod encoding;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod faulty;
mod heuristic;
mod view;

use selfplay_registry::position_index::PositionIndex;
use selfplay_registry::zobrist;
use selfplay_registry::{
    Action, Exchangeable, Game, GameRef, GameSpec, NotationError, NumberedByRules, Outcome, Side, Symmetric, Symmetry,
    game,
};

/// The game for programs.
pub static TIC_TAC_TOE: GameRef = game::<TicTacToe>();

const CELLS: usize = 9;
/// Three states of every cell.
const NUMBERS: u64 = 3u64.pow(CELLS as u32);
const FULL: u16 = (1 << CELLS) - 1;
/// The eight lines; bit `row · 3 + column` is a cell.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
static KEYS: [u64; 2 * CELLS] = zobrist::keys(0x7469_6374_6163);

/// A tic-tac-toe position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TicTacToe {
    /// Marks of each side as masks over the cells, first player's first.
    marks: [u16; 2],
    to_move: Side,
    hash: u64,
}

impl TicTacToe {
    fn from_marks(marks: [u16; 2], to_move: Side) -> Self {
        let mut position = TicTacToe { marks, to_move, hash: 0 };
        for side in Side::BOTH {
            for cell in (0..CELLS).filter(|cell| marks[side.index()] >> cell & 1 == 1) {
                position.hash ^= KEYS[side.index() * CELLS + cell];
            }
        }
        position
    }

    fn occupied(&self) -> u16 {
        self.marks[0] | self.marks[1]
    }

    fn has_line(marks: u16) -> bool {
        LINES.iter().any(|&line| line & !marks == 0)
    }
}

impl Game for TicTacToe {
    fn spec() -> GameSpec {
        GameSpec::new("tictactoe", "Tic-tac-toe, 3×3", CELLS)
            .side_names(["X", "O"])
            .max_plies(CELLS)
            .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        Self::from_marks([0; 2], Side::First)
    }

    fn side_to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        for side in Side::BOTH {
            if Self::has_line(self.marks[side.index()]) {
                return Some(Outcome::Win(side));
            }
        }
        (self.occupied() == FULL).then_some(Outcome::Draw)
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome().is_none() {
            let empty = FULL & !self.occupied();
            actions.extend((0..CELLS).filter(|cell| empty >> cell & 1 == 1).map(Action::from_index));
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        action.index() < CELLS && self.occupied() >> action.0 & 1 == 0 && self.outcome().is_none()
    }

    fn illegal_reason(&self, _action: Action) -> String {
        "the cell is taken".into()
    }

    fn play(&mut self, action: Action) {
        let side = self.to_move;
        self.marks[side.index()] |= 1 << action.0;
        self.to_move = side.opponent();
        self.hash ^= KEYS[side.index() * CELLS + action.index()];
    }

    fn position_hash(&self) -> u64 {
        self.hash
    }

    fn position_index() -> Option<&'static dyn PositionIndex> {
        Some(&NumberedByRules::<Self, NUMBERS>::IT)
    }

    /// The least of the eight images, read as a number in base 3: empty, X, O.
    fn number(&self) -> Option<u64> {
        let digits = |position: Self| {
            let digit = |cell: usize| u64::from(position.marks[0] >> cell & 1 | (position.marks[1] >> cell & 1) << 1);
            (0..CELLS).fold(0, |number, cell| 3 * number + digit(cell))
        };
        Symmetry::ALL.iter().map(|&symmetry| digits(self.transform(symmetry))).min()
    }

    fn at_number(number: u64) -> Option<Self> {
        let mut marks = [0u16; 2];
        let mut left = number;
        for cell in (0..CELLS).rev() {
            match left % 3 {
                1 => marks[0] |= 1 << cell,
                2 => marks[1] |= 1 << cell,
                _ => {}
            }
            left /= 3;
        }
        let ahead = marks[0].count_ones().checked_sub(marks[1].count_ones())?;
        let position = Self::from_marks(marks, if ahead == 0 { Side::First } else { Side::Second });
        (ahead <= 1 && position.outcome().is_none() && position.number() == Some(number)).then_some(position)
    }

    fn action_name(action: Action) -> String {
        let column = char::from(b'a' + (action.0 % 3) as u8);
        format!("{column}{}", action.0 / 3 + 1)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        match text.as_bytes() {
            &[column @ b'a'..=b'c', row @ b'1'..=b'3'] => Ok(Action(u16::from((row - b'1') * 3 + (column - b'a')))),
            _ => Err(NotationError {
                text: text.into(),
                game: Self::spec().id,
                expected: "a column a-c and a row 1-3 from the top, such as `b2`".into(),
            }),
        }
    }

    fn board(&self) -> String {
        let mut text = String::from("  a b c\n");
        for row in 0..3 {
            text.push_str(&(row + 1).to_string());
            for column in 0..3 {
                let bit = 1 << (row * 3 + column);
                text.push_str(match (self.marks[0] & bit != 0, self.marks[1] & bit != 0) {
                    (true, _) => " X",
                    (_, true) => " O",
                    _ => " .",
                });
            }
            text.push('\n');
        }
        text
    }
}

impl Symmetric for TicTacToe {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let image = |marks: u16| {
            let cells = (0..CELLS).filter(|cell| marks >> cell & 1 == 1);
            cells.fold(0, |image, cell| image | 1 << symmetry.map_cell(cell, 3))
        };
        Self::from_marks(self.marks.map(image), self.to_move)
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action::from_index(symmetry.map_cell(action.index(), 3))
    }
}

impl Exchangeable for TicTacToe {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        let [first, second] = self.marks;
        Self::from_marks([second, first], self.to_move.opponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::perft::perft;

    #[test]
    fn the_whole_tree_has_the_known_counts() {
        // 255,168 games: 131,184 won by X, 77,904 by O, 46,080 drawn (a classical count).
        let count = perft(&TicTacToe::initial(), 9);
        assert_eq!((count.first, count.second, count.draw), (131_184, 77_904, 46_080));
    }
}
