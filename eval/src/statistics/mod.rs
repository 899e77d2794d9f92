//! What results say about strength, and how surely: one match, a sequential test, and ratings of many players.
//!
//! Everything is computed from [`PairCounts`](crate::PairCounts); nothing here plays. The modules stand in dependency
//! order.

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
pub use league::Encounter;
pub use match_strength::MatchStrength;
pub use proportion::Proportion;
pub use ratings::{Anchor, Rating, RatingBasis, RatingConfig, RatingTable};
pub use score::{PairMoments, ScoreEstimate};
pub use seed_variance::SeedVariance;
pub use sprt::{SprtConfig, SprtDecision, SprtModel, SprtState};
