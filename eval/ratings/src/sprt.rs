//! The sequential probability ratio test: play until it is clear which of two rating differences fits better.
//!
//! It is the generalised test (GSPRT) on pentanomial counts with the exact log-likelihood ratio. The hypotheses are about
//! logistic Elo or about normalized Elo; fishtest uses the latter, fastchess offers both.

use std::fmt;
use std::ops::Bound::{Excluded, Included};

use selfplay_config::{InvalidKey, check, config_choice, config_section};
use serde::{Deserialize, Serialize};

use crate::likelihood_ratio::{self, MAX_NORMALIZED_ELO};
use crate::pair_counts::PairCounts;

config_section! {
    #[derive(Copy)]
    /// Two hypotheses about the rating difference of two players, and how often the test may be wrong.
    pub struct SprtConfig, then check_hypotheses {
        /// The difference under H0, in Elo points of the model; below `elo1`.
        pub elo0: f64, in -1000.0..=1000.0;
        /// The difference under H1, in Elo points of the model.
        pub elo1: f64, in -1000.0..=1000.0;
        /// Share of tests that accept H1 where H0 holds.
        pub alpha: f64, in (Included(1e-9), Excluded(0.5));
        /// Share of tests that accept H0 where H1 holds.
        pub beta: f64, in (Included(1e-9), Excluded(0.5));
        #[serde(default)]
        /// What `elo0` and `elo1` mean.
        pub model: SprtModel;
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// The scale of the hypotheses of a sequential test.
    pub enum SprtModel, default Logistic {
        /// Elo points on the logistic curve: the hypotheses fix the mean score.
        Logistic = "logistic",
        /// Normalized Elo, at most 400 in size: the hypotheses fix (mean score − ½) / standard deviation. The number of
        /// pairs that a test needs then does not depend on openings and the share of draws. The default of fastchess.
        Normalized = "normalized",
    }
}

/// What a test comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtDecision {
    /// The log-likelihood ratio has reached the lower bound.
    AcceptH0,
    /// The log-likelihood ratio has reached the upper bound.
    AcceptH1,
    /// Neither: more pairs are needed.
    Continue,
}

/// Where a test stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SprtState {
    /// Log-likelihood ratio of H1 to H0, in nats.
    pub llr: f64,
    /// H0 is accepted at or below this: ln(beta / (1 − alpha)). Wald, "Sequential Analysis" (1947), (3.17).
    pub lower: f64,
    /// H1 is accepted at or above this: ln((1 − beta) / alpha).
    pub upper: f64,
    /// What follows.
    pub decision: SprtDecision,
}

impl SprtConfig {
    fn check_hypotheses(&self) -> Result<(), InvalidKey> {
        check(self.elo0 < self.elo1, "elo1", self.elo1, "more than `elo0`")?;
        let is_reached = |elo: f64| self.model == SprtModel::Logistic || elo.abs() <= MAX_NORMALIZED_ELO;
        check(is_reached(self.elo0), "elo0", self.elo0, "-400 to 400 in the normalized model")?;
        check(is_reached(self.elo1), "elo1", self.elo1, "-400 to 400 in the normalized model")
    }

    /// The test after the pairs in `counts`, from the view of the player whom the hypotheses are about. It may be asked
    /// after every pair; a test that has decided is over.
    pub fn state(&self, counts: &PairCounts) -> SprtState {
        let log_likelihood_ratio = match self.model {
            SprtModel::Logistic => likelihood_ratio::logistic,
            SprtModel::Normalized => likelihood_ratio::normalized,
        };
        let llr = log_likelihood_ratio(counts.pentanomial(), self.elo0, self.elo1);
        let (lower, upper) = ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln());
        let decision = match llr {
            llr if llr <= lower => SprtDecision::AcceptH0,
            llr if llr >= upper => SprtDecision::AcceptH1,
            _ => SprtDecision::Continue,
        };
        SprtState { llr, lower, upper, decision }
    }
}

/// As in `llr 1.07 between -2.94 and 2.94`, or with the bound that is reached.
impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decision {
            SprtDecision::AcceptH0 => write!(f, "llr {:.2} ≤ {:.2}", self.llr, self.lower),
            SprtDecision::AcceptH1 => write!(f, "llr {:.2} ≥ {:.2}", self.llr, self.upper),
            SprtDecision::Continue => write!(f, "llr {:.2} between {:.2} and {:.2}", self.llr, self.lower, self.upper),
        }
    }
}
