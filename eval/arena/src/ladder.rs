//! The ladder: fixed baselines that every candidate meets, so that progress is measured against something that does not
//! move.

use selfplay_ratings::pair_counts::PairCounts;
use selfplay_ratings::{PairMoments, ScoreEstimate};
use serde::{Deserialize, Serialize};

use crate::arena::MatchReport;

/// The result against one baseline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BaselineScore {
    /// Specification of the baseline.
    pub player: String,
    /// Game pairs against it, from the climber's view.
    pub pair_counts: PairCounts,
}

/// The results against all baselines of a ladder, in the ladder's order.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LadderRecord {
    /// One entry a baseline.
    pub baselines: Vec<BaselineScore>,
}

impl LadderRecord {
    /// The record of the player who was A in all of `reports`.
    pub fn from_reports(reports: &[MatchReport]) -> Self {
        let baseline =
            |report: &MatchReport| BaselineScore { player: report.b.clone(), pair_counts: report.pair_counts() };
        LadderRecord { baselines: reports.iter().map(baseline).collect() }
    }

    /// The mean of the scores against each baseline, all counting alike, with the 95 % interval that follows from their
    /// standard errors; `None` without baselines.
    pub fn score(&self) -> Option<ScoreEstimate> {
        if self.baselines.is_empty() {
            return None;
        }
        let count = self.baselines.len() as f64;
        let mean = self.baselines.iter().map(|baseline| baseline.pair_counts.score()).sum::<f64>() / count;
        let squared_error =
            |baseline: &BaselineScore| PairMoments::from_counts(&baseline.pair_counts).standard_error().powi(2);
        let variance: f64 = self.baselines.iter().map(squared_error).sum();
        Some(ScoreEstimate::from_standard_error(mean, variance.sqrt() / count))
    }

    /// Points against all baselines: 1 for a game won, ½ for a draw.
    pub fn points(&self) -> f64 {
        let points = |baseline: &BaselineScore| {
            f64::from(baseline.pair_counts.wins()) + 0.5 * f64::from(baseline.pair_counts.draws())
        };
        self.baselines.iter().map(points).sum()
    }

    /// The one of two records with more points; the `later` one if they are equal.
    #[must_use]
    pub fn or_better(self, later: &LadderRecord) -> Self {
        if self.points() > later.points() { self } else { later.clone() }
    }

    /// Games against all baselines.
    pub fn games(&self) -> f64 {
        self.baselines.iter().map(|baseline| f64::from(baseline.pair_counts.games())).sum()
    }

    /// The baselines' specifications.
    pub fn players(&self) -> Vec<String> {
        self.baselines.iter().map(|baseline| baseline.player.clone()).collect()
    }
}
