//! Connect Four: discs fall in a 7×6 grid, four in a row wins. The benchmark game for training: small, solved (first
//! player wins), and known to everyone.
//!
//! Seven bits a column, six for the cells from the bottom up and one that stays empty, so that a shift never carries a
//! line over an edge (John Tromp's layout).

#![forbid(unsafe_code)]

mod threats;

mod follow_up;
mod proven;

mod forced;
mod solver;

mod encoding;
mod heuristic;

mod auxiliary;
mod view;

#[cfg(test)]
mod tests;

use selfplay_registry::rng::splitmix64;
use selfplay_registry::{
    Action, Exchangeable, Game, GameRef, GameSpec, NotationError, Outcome, Side, Symmetric, Symmetry, game,
};

/// The game for programs.
pub static CONNECT4: GameRef = game::<Connect4>();

const COLUMNS: usize = 7;
const ROWS: usize = 6;
const CELLS: usize = COLUMNS * ROWS;
/// Distance between the bits of two neighbours in a row.
const COLUMN_BITS: usize = ROWS + 1;
/// The six cells of the leftmost column.
const COLUMN: u64 = (1 << ROWS) - 1;
/// The bottom cell of every column.
const BOTTOM_ROW: u64 = 0x0000_0408_1020_4081;
/// The rows on which the cells that are left over go to the side that began, first, third and fifth, and to the other.
const ODD_ROWS: u64 = BOTTOM_ROW * 0b01_0101;
const EVEN_ROWS: u64 = BOTTOM_ROW * 0b10_1010;
/// All cells.
const BOARD: u64 = BOTTOM_ROW * COLUMN;
/// Bit distances of neighbours: upwards, along the row, and along the falling and the rising diagonal.
const DIRECTIONS: [usize; 4] = [1, COLUMN_BITS, COLUMN_BITS - 1, COLUMN_BITS + 1];

/// The bit of the cell `row` rows above the bottom in `column`.
const fn bit(row: usize, column: usize) -> u64 {
    1 << (column * COLUMN_BITS + row)
}

/// A number that no other position has (John Tromp's), of the discs of the side to move and of both.
const fn key(own: u64, occupied: u64) -> u64 {
    own + occupied + BOTTOM_ROW
}

/// The image of `discs` with left and right exchanged.
fn mirrored(discs: u64) -> u64 {
    (0..COLUMNS).fold(0, |image, column| {
        image | (discs >> (column * COLUMN_BITS) & COLUMN) << ((COLUMNS - 1 - column) * COLUMN_BITS)
    })
}

/// A Connect Four position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connect4 {
    /// Discs of the side to move.
    own: u64,
    /// Discs of both sides.
    occupied: u64,
    /// Number of discs.
    plies: u8,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl Connect4 {
    /// Masks of the side to move's discs and of the opponent's.
    fn own_and_opponent(&self) -> (u64, u64) {
        (self.own, self.occupied ^ self.own)
    }

    fn has_four(discs: u64) -> bool {
        // All directions without an early exit: four predictable steps beat a branch for each.
        let fours = DIRECTIONS.iter().fold(0, |fours, &step| {
            let pairs = discs & discs >> step;
            fours | pairs & pairs >> (2 * step)
        });
        fours != 0
    }
}

impl Game for Connect4 {
    fn spec() -> GameSpec {
        GameSpec::new("connect4", "Connect Four, 7×6", COLUMNS)
            .side_names(["Red", "Yellow"])
            .max_plies(CELLS)
            .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        Connect4 { own: 0, occupied: 0, plies: 0, to_move: Side::First, outcome: None }
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        // One extension with a list on the stack: growth is checked once, not once a column.
        let mut open = [Action(0); COLUMNS];
        let mut count = 0;
        for column in 0..COLUMNS {
            open[count] = Action(column as u16);
            count += usize::from(self.occupied & bit(ROWS - 1, column) == 0);
        }
        actions.extend_from_slice(&open[..count]);
    }

    fn is_legal(&self, action: Action) -> bool {
        action.index() < COLUMNS && self.occupied & bit(ROWS - 1, action.index()) == 0 && self.outcome.is_none()
    }

    fn illegal_reason(&self, _action: Action) -> String {
        "the column is full".into()
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let column_start = action.index() % COLUMNS * COLUMN_BITS;
        // Adding the bottom bit carries past the discs to the lowest empty cell.
        let disc = (self.occupied + (1 << column_start)) & (COLUMN << column_start);
        let mover = self.to_move;
        let discs = self.own | disc;
        self.own ^= self.occupied;
        self.occupied |= disc;
        self.plies += 1;
        self.to_move = mover.opponent();
        if Self::has_four(discs) {
            self.outcome = Some(Outcome::Win(mover));
        } else if usize::from(self.plies) == CELLS {
            self.outcome = Some(Outcome::Draw);
        }
    }

    fn position_hash(&self) -> u64 {
        // The mix is a bijection.
        splitmix64(key(self.own, self.occupied))
    }

    fn action_name(action: Action) -> String {
        (action.0 + 1).to_string()
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        match text.as_bytes() {
            &[column @ b'1'..=b'7'] => Ok(Action(u16::from(column - b'1'))),
            _ => Err(NotationError {
                text: text.into(),
                game: Self::spec().id,
                expected: "a column 1-7, such as `4`".into(),
            }),
        }
    }

    fn board(&self) -> String {
        let own_is_first = self.side_to_move() == Side::First;
        let mut text = String::from("1 2 3 4 5 6 7\n");
        for row in (0..ROWS).rev() {
            for column in 0..COLUMNS {
                let cell = bit(row, column);
                text.push_str(if column == 0 { "" } else { " " });
                text.push(match (self.occupied & cell != 0, (self.own & cell != 0) == own_is_first) {
                    (false, _) => '.',
                    (true, true) => 'R',
                    (true, false) => 'Y',
                });
            }
            text.push('\n');
        }
        text
    }
}

impl Symmetric for Connect4 {
    fn symmetries() -> &'static [Symmetry] {
        &[Symmetry::IDENTITY, Symmetry::FLIP_COLUMNS]
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let image = |discs| if symmetry == Symmetry::FLIP_COLUMNS { mirrored(discs) } else { discs };
        Connect4 { own: image(self.own), occupied: image(self.occupied), ..*self }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action::from_index(symmetry.map(0, action.index(), ROWS, COLUMNS).1)
    }
}

impl Exchangeable for Connect4 {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        // Discs are kept by who is to move, so they stay where they are.
        Connect4 { to_move: self.to_move.opponent(), outcome: self.outcome.map(Outcome::exchanged), ..*self }
    }
}
