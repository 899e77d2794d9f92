//! Runs of five that are still open, counted by stones in them, and the middles of the quadrants.

use super::PentagoSwap;
use super::geometry::{QUADRANT_CENTRES, WINDOWS};
use crate::Heuristic;
use crate::heuristic::open_window_worth;

/// What a run of five cells without an opponent's stone is worth, by the number of own stones in it. Five happen only
/// in finished games.
const WINDOW_WORTH: [i32; 6] = [0, 1, 4, 16, 64, 256];
/// What a stone in the middle of a quadrant is worth: six runs cross it wherever the quadrant goes, which no other cell
/// can say.
const CENTRE_WORTH: i32 = 5;

impl Heuristic for PentagoSwap {
    /// For each run of five without an opponent's stone 1, 4, 16 or 64 by its own stones (one to four), and 5 for each
    /// own stone in the middle of a quadrant; the opponent's likewise against us.
    fn heuristic(&self) -> i32 {
        let (own, opponent) = self.own_and_opponent();
        let score = |mine: u64, theirs: u64| -> i32 {
            let windows = open_window_worth(mine, theirs, &WINDOWS, &WINDOW_WORTH);
            windows + CENTRE_WORTH * (mine & QUADRANT_CENTRES).count_ones() as i32
        };
        score(own, opponent) - score(opponent, own)
    }
}
