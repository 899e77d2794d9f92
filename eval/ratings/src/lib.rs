//! Strength from results, with its uncertainty: one match, a sequential test, and ratings of many players.
//!
//! [`PairCounts`] holds the results of colour-swapped game pairs between two players. [`MatchStrength`] estimates the Elo
//! difference of one match, [`SprtState`] decides a sequential probability ratio test, and [`RatingTable`] rates all players
//! that met. Nothing here plays.
//!
//! ```
//! use selfplay_ratings::{MatchStrength, PairCounts};
//!
//! // Of 20 pairs, A wins 12 with both sides and loses 3; 5 are even.
//! let mut counts = PairCounts::default();
//! for (as_first, as_second, pairs) in [(1, 1, 12), (-1, -1, 3), (1, -1, 5)] {
//!     (0..pairs).for_each(|_| counts.add_pair(as_first, as_second));
//! }
//! let elo = MatchStrength::from_counts(&counts).elo;
//! assert!(elo.low > 0.0 && elo.low < elo.elo && elo.elo < elo.high);
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod error;

pub mod pair_counts;

pub mod elo;

pub mod proportion;

pub mod score;

pub mod match_strength;

pub mod seed_variance;

mod likelihood_ratio;

pub mod sprt;

mod davidson;
mod league;
mod sparse;

mod likelihood;
mod prior;

mod posterior;

pub mod ratings;

pub use elo::EloEstimate;
pub use error::RatingError;
pub use league::Encounter;
pub use match_strength::MatchStrength;
pub use pair_counts::PairCounts;
pub use proportion::Proportion;
pub use ratings::{Anchor, Rating, RatingBasis, RatingConfig, RatingTable, Unrated};
pub use score::{PairMoments, ScoreEstimate};
pub use seed_variance::SeedVariance;
pub use sprt::{SprtConfig, SprtDecision, SprtModel, SprtState};
