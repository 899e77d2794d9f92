//! Made-up results, and how near numbers are, for the tests of this crate and of `selfplay-arena`.

use selfplay_ratings::PairCounts;

/// Pairs with these pentanomial counts; the odd half points and the only points are made as the first player.
pub fn pairs([none, half, one, one_and_half, two]: [u32; 5]) -> PairCounts {
    PairCounts([[none, 0, 0], [half, 0, 0], [one, one_and_half, two]])
}

pub fn close(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}
