//! Ratings, intervals and sequential tests on made-up results, through the public interface.

mod match_strength;
mod numbers;
mod pair_counts;
mod ratings;
mod simulated_league;
mod sprt;

use numbers::{close, pairs};
