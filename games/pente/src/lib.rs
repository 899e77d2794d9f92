//! Pente: five in a row or five captured pairs, with the opening rule of tournaments, on 19×19, 13×13 and 9×9.

#![forbid(unsafe_code)]

mod lines;
mod notation;
mod symmetries;

mod patterns;
mod setup;

mod around;
mod rules;
mod threats;

mod chain;

mod encoding;
mod forced;
mod heuristic;

mod auxiliary;
mod view;

#[cfg(test)]
mod tests;

pub use setup::SetupError;

use selfplay_registry::{GameRef, Outcome, Side, game};

/// The game for programs on its board of this size.
pub static PENTE: GameRef = game::<Pente<19>>();
/// The game for programs on its board of this size.
pub static PENTE_13: GameRef = game::<Pente<13>>();
/// The game for programs on its board of this size.
pub static PENTE_9: GameRef = game::<Pente<9>>();

/// Captured pairs that win.
const PAIRS_TO_WIN: u8 = 5;
/// The second stone of who began (White) stands at least this far from the centre, counted in the larger of rows and columns.
const SECOND_STONE_DISTANCE: usize = 3;

/// A Pente position on `N` × `N` intersections; `N` is 9, 13 or 19.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pente<const N: usize> {
    /// Stones of each side, first player's first: a word a row, row 0 at the top; bit 0 is the leftmost column.
    stones: [[u32; N]; 2],
    /// Pairs that each side has captured, first player's first.
    pairs: [u8; 2],
    /// Actions made. Always the stones on the board plus two for each captured pair, so it adds nothing to what
    /// equality and hash see in the other fields.
    ply: u16,
    /// Who made the first action: the second player in games with the sides exchanged.
    starter: Side,
    outcome: Option<Outcome>,
    hash: u64,
}
