//! Ratings, intervals and sequential tests on made-up results, through the public interface.

mod match_strength;
mod pair_counts;
mod ratings;
mod simulated_league;
mod sprt;

use selfplay_ratings::PairCounts;

/// Pairs with these pentanomial counts; the odd half points and the only points are made as the first player.
fn pairs([none, half, one, one_and_half, two]: [u32; 5]) -> PairCounts {
    PairCounts([[none, 0, 0], [half, 0, 0], [one, one_and_half, two]])
}

fn close(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}
