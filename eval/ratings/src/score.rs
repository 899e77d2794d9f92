//! The score of a match with its uncertainty, from the scores of its pairs.

use serde::{Deserialize, Serialize};

use crate::elo::Z_95;
use crate::pair_counts::PairCounts;

/// Weights, by score, of the one virtual pair that is added to every match: what two equal players who never draw are
/// expected to score in two games. It keeps every estimate and every error finite and above zero.
pub const VIRTUAL_PAIR: [f64; 5] = [0.25, 0.0, 0.5, 0.0, 0.25];

/// Mean and variance of the points per game in a pair, with [`VIRTUAL_PAIR`] added.
///
/// The variance is that of the observed pair scores, so it knows that draws and even pairs vary less than coin tosses,
/// and that the two games of one opening are not independent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairMoments {
    /// Number of pairs, the virtual one included.
    pub pairs: f64,
    /// Mean points per game, strictly inside 0..1.
    pub mean: f64,
    /// Variance of a pair's points per game, above 0.
    pub variance: f64,
}

impl PairMoments {
    /// The moments of what was played.
    pub fn from_counts(counts: &PairCounts) -> Self {
        let pentanomial = counts.pentanomial();
        let weights: [f64; 5] = std::array::from_fn(|half| f64::from(pentanomial[half]) + VIRTUAL_PAIR[half]);
        let pairs = f64::from(counts.pairs()) + 1.0;
        let mean_of = |value: &dyn Fn(f64) -> f64| -> f64 {
            weights.iter().enumerate().map(|(half, weight)| weight * value(half as f64 / 4.0)).sum::<f64>() / pairs
        };
        let mean = mean_of(&|score| score);
        PairMoments { pairs, mean, variance: mean_of(&|score| (score - mean).powi(2)) }
    }

    /// Standard error of the mean score: √(variance / pairs); never 0.
    pub fn standard_error(&self) -> f64 {
        (self.variance / self.pairs).sqrt()
    }
}

/// A mean score per game with its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScoreEstimate {
    /// Points per game, in 0..=1, as played.
    pub score: f64,
    /// Lower end of the 95 % interval, at least 0.
    pub low: f64,
    /// Upper end of the 95 % interval, at most 1.
    pub high: f64,
}

impl ScoreEstimate {
    /// The score as played ± 1.96 [standard errors](PairMoments::standard_error), cut at 0 and 1.
    pub fn from_counts(counts: &PairCounts) -> Self {
        Self::from_standard_error(counts.score(), PairMoments::from_counts(counts).standard_error())
    }

    /// `score` ± 1.96 `standard_error`, cut at 0 and 1.
    pub fn from_standard_error(score: f64, standard_error: f64) -> Self {
        let half_width = Z_95 * standard_error;
        ScoreEstimate { score, low: (score - half_width).max(0.0), high: (score + half_width).min(1.0) }
    }
}

/// The score, then its 95 % interval in brackets.
impl std::fmt::Display for ScoreEstimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.score, self.low, self.high)
    }
}
