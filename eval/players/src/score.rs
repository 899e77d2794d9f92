//! Scores: guesses of the heuristic, and proven results beyond them that tell how far away they are.

use selfplay_env::tactics::HEURISTIC_LIMIT;
use selfplay_env::{Outcome, Side};

/// Score of a position won at once. A win `n` plies away is worth `PROVEN_WIN − n`, a loss `n − PROVEN_WIN`, so
/// that near wins and far losses are preferred; all of them lie beyond [`HEURISTIC_LIMIT`].
pub const PROVEN_WIN: i32 = 2 * HEURISTIC_LIMIT;

/// A result that is settled counts as this many plies away, more than any that was found by playing on: the length of
/// the rest is unknown.
pub const SETTLED_DISTANCE: i32 = 2000;

/// Greater than every score, and safe to negate.
pub(crate) const INFINITY: i32 = PROVEN_WIN + 1;

/// Whether `score` is a proven win or loss, not a guess and not a draw.
pub fn is_proven(score: i32) -> bool {
    score.abs() >= HEURISTIC_LIMIT
}

/// Score of a finished game `ply` plies below the root, for `side`.
pub(crate) fn outcome_score(outcome: Outcome, side: Side, ply: u32) -> i32 {
    i32::from(outcome.value_for(side)) * (PROVEN_WIN - ply as i32)
}

/// Score of a running game `ply` plies below the root that must end in `outcome`, for `side`.
pub(crate) fn settled_score(outcome: Outcome, side: Side, ply: u32) -> i32 {
    i32::from(outcome.value_for(side)) * (PROVEN_WIN - SETTLED_DISTANCE - ply as i32)
}

/// `score`, counted from the root, as counted from a position `ply` moves below it.
pub(crate) fn from_root(score: i32, ply: u32) -> i32 {
    if is_proven(score) { score + score.signum() * ply as i32 } else { score }
}

/// `score`, counted from a position `ply` plies below the root, as counted from the root.
pub(crate) fn to_root(score: i32, ply: u32) -> i32 {
    if is_proven(score) { score - score.signum() * ply as i32 } else { score }
}
