//! One match in the terms of engine testers: Elo, normalized Elo, likelihood of superiority, draw and pairs ratio.

use serde::{Deserialize, Serialize};

use crate::elo::{ELO_PER_LOGIT, EloEstimate, elo_difference};
use crate::pair_counts::PairCounts;
use crate::score::PairMoments;

/// Normalized Elo of one standard deviation of a game's score: 800 / ln 10.
const NORMALIZED_ELO_PER_DEVIATION: f64 = 2.0 * ELO_PER_LOGIT;

/// What a match says about the difference between its players, for the one whose results were counted.
///
/// All estimates are made with one virtual pair ([`VIRTUAL_PAIR`](crate::score::VIRTUAL_PAIR)) added, so
/// they are finite even if all games were won, and drawn towards equality by small matches. Openings that repeat make
/// every interval too narrow, and a match that was stopped by its own result is biased in the direction it was stopped in.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchStrength {
    /// Rating difference on Elo's curve. The interval is that of the score, from the variance of pair scores, carried
    /// over by the slope of the curve (delta method): rough near scores of 0 and 1.
    pub elo: EloEstimate,
    /// Normalized Elo: (score − ½) / σ · 800 / ln 10, where σ, the deviation of a game's score, is √2 times that of a
    /// pair's. It measures how few games show the difference, whatever the openings and the share of draws; the interval
    /// rests on its standard error 800 / ln 10 / √games, which is that at equality. Van den Bergh, "Normalized Elo" (2020), (2.2), (2.4) and §4.
    pub normalized_elo: EloEstimate,
    /// Likelihood of superiority in 0..=1: Φ((score − ½) / standard error), the confidence with which "not better" is
    /// rejected. Van den Bergh, "Normalized Elo", §2.
    pub los: f64,
    /// Share of games drawn, in 0..=1; 0 without games.
    pub draw_ratio: f64,
    /// Pairs in which more than a point was made for each in which less was; `None` if there is none of the latter.
    pub pairs_ratio: Option<f64>,
}

impl MatchStrength {
    /// The estimates for the player whose results `counts` holds.
    pub fn from_counts(counts: &PairCounts) -> Self {
        let moments = PairMoments::from_counts(counts);
        let (score, standard_error) = (moments.mean, moments.standard_error());
        let slope = ELO_PER_LOGIT / (score * (1.0 - score));
        let normalized = NORMALIZED_ELO_PER_DEVIATION * (score - 0.5) / (2.0 * moments.variance).sqrt();
        let normalized_error = NORMALIZED_ELO_PER_DEVIATION / (2.0 * moments.pairs).sqrt();
        let [lost_by_two, lost, _, won, won_by_two] = counts.pentanomial();
        let (pairs_won, pairs_lost) = (won + won_by_two, lost + lost_by_two);
        MatchStrength {
            elo: EloEstimate::from_standard_error(elo_difference(score), slope * standard_error),
            normalized_elo: EloEstimate::from_standard_error(normalized, normalized_error),
            los: normal_distribution((score - 0.5) / standard_error),
            draw_ratio: f64::from(counts.draws()) / f64::from(counts.games().max(1)),
            pairs_ratio: (pairs_lost > 0).then(|| f64::from(pairs_won) / f64::from(pairs_lost)),
        }
    }
}

/// Φ, the probability that a standard normal variable is below `x`.
fn normal_distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}
