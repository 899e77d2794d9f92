//! The sequential probability ratio test: play until it is clear which of two rating differences fits better.
//!
//! It is the generalised test (GSPRT) on pentanomial counts of Van den Bergh, "A practical introduction to the GSPRT"
//! and "Comments on normalized Elo" (2020), Proposition 1.1, with the exact log-likelihood ratio, as fishtest computes
//! it: both hypotheses fix the mean score of a pair and leave everything else of its distribution to the data.

use std::fmt;
use std::ops::Bound::{Excluded, Included};

use selfplay_env::config_key::{InvalidKey, check};
use selfplay_env::config_section;
use serde::{Deserialize, Serialize};

use crate::pair_counts::PairCounts;
use crate::statistics::elo::expected_score;

/// What stands for a count of zero, so that no result is impossible; fishtest's number.
const REGULARIZED_ZERO: f64 = 1e-3;

/// Bisection halves the range to the last digit of a float, should Newton's method not get there first.
const MOST_ROOT_STEPS: usize = 200;

config_section! {
    #[derive(Copy)]
    /// Two hypotheses about the rating difference of two players, and how often the test may be wrong.
    pub struct SprtConfig, then check_order {
        /// The difference under H0, in Elo points on the logistic curve; below `elo1`.
        pub elo0: f64, in -1000.0..=1000.0;
        /// The difference under H1, in Elo points on the logistic curve.
        pub elo1: f64, in -1000.0..=1000.0;
        /// Share of tests that accept H1 where H0 holds.
        pub alpha: f64, in (Included(1e-9), Excluded(0.5));
        /// Share of tests that accept H0 where H1 holds.
        pub beta: f64, in (Included(1e-9), Excluded(0.5));
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
    fn check_order(&self) -> Result<(), InvalidKey> {
        check(self.elo0 < self.elo1, "elo1", self.elo1, "more than `elo0`")
    }

    /// The test after the pairs in `counts`, from the view of the player whom the hypotheses are about. It may be asked
    /// after every pair; a test that has decided is over.
    pub fn state(&self, counts: &PairCounts) -> SprtState {
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

/// The generalised log-likelihood ratio of a difference of `elo1` to one of `elo0`, in nats: each hypothesis with the
/// distribution of pair scores that it allows and that makes the counts likeliest.
fn log_likelihood_ratio(pentanomial: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    let counts = pentanomial.map(|count| if count == 0 { REGULARIZED_ZERO } else { f64::from(count) });
    let [factors0, factors1] = [elo0, elo1].map(|elo| most_likely_factors(&counts, expected_score(elo)));
    // p1 / p0 = (n / factor1) / (n / factor0): the counts themselves cancel out.
    (0..5).map(|half| counts[half] * (factors0[half] / factors1[half]).ln()).sum()
}

/// What each observed frequency is divided by in the likeliest distribution with mean `score`: 1 + θ (a − score) for
/// pair score a, where θ solves Σ p (a − score) / (1 + θ (a − score)) = 0 (Proposition 1.1).
fn most_likely_factors(counts: &[f64; 5], score: f64) -> [f64; 5] {
    let deviations: [f64; 5] = std::array::from_fn(|half| half as f64 / 4.0 - score);
    // The sum falls from +∞ to −∞ between the poles, where the first and the last factor reach 0.
    let (mut low, mut high) = (-1.0 / deviations[4], -1.0 / deviations[0]);
    let mut theta = 0.0;
    for _ in 0..MOST_ROOT_STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (count, deviation) in counts.iter().zip(deviations) {
            let term = deviation / (1.0 + theta * deviation);
            value += count * term;
            slope -= count * term * term;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - value / slope;
        let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
        let has_converged = (next - theta).abs() <= 4.0 * f64::EPSILON * theta.abs().max(1.0);
        theta = next;
        if has_converged {
            break;
        }
    }
    deviations.map(|deviation| 1.0 + theta * deviation)
}
