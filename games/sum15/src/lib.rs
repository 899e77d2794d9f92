//! Sum15: number cards on 4×4 and 6×6; cards whose neighbourhood sums to more than 15 leave the board.

#![forbid(unsafe_code)]

mod auxiliary;
mod bounds;
mod encoding;
mod heuristic;
mod notation;
mod rules;
mod symmetries;
#[cfg(test)]
mod tests;
mod view;

use selfplay_registry::{GameRef, Outcome, Side, game};

/// The game for programs on its board of this size.
pub static SUM15_4: GameRef = game::<Sum15<4>>();
/// The game for programs on its board of this size.
pub static SUM15_6: GameRef = game::<Sum15<6>>();

/// The values of cards, ascending. A card is its index in this list.
const VALUES: [u8; 5] = [2, 3, 5, 8, 13];
/// A card stays while its value and its neighbours' do not exceed this in sum.
const LIMIT: u8 = 15;

/// A Sum15 position on `N` × `N` cells; `N` is 4 or 6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum15<const N: usize> {
    /// What lies on each cell, `[row][column]` from the top left.
    cells: [[Cell; N]; N],
    /// Sum of the values on each cell and its up to eight neighbours. Follows from `cells`.
    sums: [[u8; N]; N],
    /// Cards in hand of each side by index in [`VALUES`], first player's first.
    hands: [[u8; VALUES.len()]; 2],
    /// Actions made. Follows from `hands`.
    ply: u8,
    to_move: Side,
    outcome: Option<Outcome>,
    hash: u64,
}

/// What lies on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    /// No card so far.
    Empty,
    /// Its card was removed; it takes no other.
    Dead,
    /// A card.
    Card {
        /// Whose it is.
        owner: Side,
        /// Index in [`VALUES`].
        card: u8,
    },
}
