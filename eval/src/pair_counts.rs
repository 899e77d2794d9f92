//! Results of game pairs: the same opening twice, colours swapped. The pair, not the game, is the unit of all errors.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval in standard errors.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Weights, by score, of the one virtual pair that is added to every match: what two equal players who never draw are
/// expected to score in two games. It keeps every estimate and every error finite and above zero.
pub const VIRTUAL_PAIR: [f64; 5] = [0.25, 0.0, 0.5, 0.0, 0.25];

/// How many game pairs gave a player 0, ½, 1, 1½ and 2 points ("pentanomial" counts).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PairCounts(pub [u32; 5]);

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

impl PairCounts {
    /// Counts one more pair in which the player got `half_points` (0 to 4) half points.
    ///
    /// # Panics
    /// If `half_points` is above 4.
    pub fn add_pair(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Points per game in 0..=1; ½ without games.
    pub fn score(&self) -> f64 {
        let pairs = self.pairs();
        if pairs == 0 { 0.5 } else { half_points(&self.0.map(f64::from)) / (4.0 * f64::from(pairs)) }
    }

    /// The same pairs seen by the opponent.
    pub fn reversed(&self) -> PairCounts {
        let mut counts = self.0;
        counts.reverse();
        PairCounts(counts)
    }

    /// [`score`](Self::score) with a 95 % interval: ± 1.96 [standard errors](Self::standard_error), cut at 0 and 1.
    pub fn estimate(&self) -> ScoreEstimate {
        ScoreEstimate::from_standard_error(self.score(), self.standard_error())
    }

    /// Mean score per game with [`VIRTUAL_PAIR`] added; strictly inside 0..1.
    pub fn smoothed_score(&self) -> f64 {
        half_points(&self.smoothed()) / (4.0 * (f64::from(self.pairs()) + 1.0))
    }

    /// Standard error of the score, √(variance of pair scores / pairs), with [`VIRTUAL_PAIR`] added; never 0.
    ///
    /// The variance is that of the observed pair scores, so it knows that draws and even pairs vary less than coin
    /// tosses, and that the two games of one opening are not independent.
    pub fn standard_error(&self) -> f64 {
        let pairs = f64::from(self.pairs()) + 1.0;
        let mean = self.smoothed_score();
        let squares: f64 =
            self.smoothed().iter().enumerate().map(|(half, weight)| weight * (half as f64 / 4.0 - mean).powi(2)).sum();
        (squares / pairs).sqrt() / pairs.sqrt()
    }

    fn smoothed(&self) -> [f64; 5] {
        std::array::from_fn(|half| f64::from(self.0[half]) + VIRTUAL_PAIR[half])
    }
}

fn half_points(weights: &[f64; 5]) -> f64 {
    weights.iter().enumerate().map(|(half, weight)| half as f64 * weight).sum()
}

impl ScoreEstimate {
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

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

impl Add for PairCounts {
    type Output = PairCounts;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for PairCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(PairCounts::default(), Add::add)
    }
}
