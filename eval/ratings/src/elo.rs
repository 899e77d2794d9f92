//! Elo's scale: what a rating difference means in points per game, and an estimate of one with its uncertainty.

use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval in standard errors.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Elo points in one unit of the logistic scale: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Mean score in 0..=1 of a player rated `elo` above the opponent: 1 / (1 + 10^(−elo/400)).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

/// The rating difference at which `score` is expected; infinite for 0 and 1.
pub fn elo_difference(score: f64) -> f64 {
    ELO_PER_LOGIT * (score / (1.0 - score)).ln()
}

/// A number in Elo points with its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct EloEstimate {
    /// The estimate in Elo points.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl EloEstimate {
    /// `elo` ± 1.96 `standard_error`.
    pub fn from_standard_error(elo: f64, standard_error: f64) -> Self {
        EloEstimate { elo, low: elo - Z_95 * standard_error, high: elo + Z_95 * standard_error }
    }
}

/// The estimate in whole points, then its 95 % interval in brackets.
impl std::fmt::Display for EloEstimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.0} [{:+.0}, {:+.0}]", self.elo, self.low, self.high)
    }
}
