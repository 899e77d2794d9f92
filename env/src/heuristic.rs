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
