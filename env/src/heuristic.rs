//! What a classical player needs beyond the rules: a guess at the value of a running game.
//!
//! It lives beside the rules, not beside alpha-beta, so that adding a game stays one folder and one line.

use crate::Game;

/// Scores at or beyond this are proven results, never guesses; alpha-beta keeps them apart by distance.
pub const HEURISTIC_LIMIT: i32 = 10_000;

/// A static evaluation for alpha-beta.
pub trait Heuristic: Game {
    /// Guess at the value of a running game for the side to move, strictly inside ±[`HEURISTIC_LIMIT`].
    ///
    /// Changes sign with the viewpoint: the same board with the sides exchanged gives the negative.
    fn heuristic(&self) -> i32;
}

/// The worth of one side's chances on lines: the sum of `worth[own stones in the window]` over the `windows` that hold
/// no opponent's stone. All masks have a bit a cell; `worth` has an entry for every number of stones in a window.
pub(crate) fn open_window_worth(own: u64, opponent: u64, windows: &[u64], worth: &[i32]) -> i32 {
    let open = windows.iter().filter(|&&window| opponent & window == 0);
    open.map(|&window| worth[(own & window).count_ones() as usize]).sum()
}
