//! The ladder: fixed baselines that every candidate meets, so that progress is measured against something that does not
//! move.

use selfplay_ratings::pair_counts::PairCounts;
use selfplay_ratings::{PairMoments, ScoreEstimate};
use serde::{Deserialize, Serialize};

use crate::arena::MatchReport;

/// The result against one baseline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RungScore {
    /// Specification of the baseline.
    pub player: String,
    /// Game pairs against it, from the climber's view.
    pub pair_counts: PairCounts,
}

/// The results against all baselines of a ladder, in the ladder's order.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LadderRecord {
    /// One entry a baseline.
    pub rungs: Vec<RungScore>,
}

impl LadderRecord {
    /// The record of the player who was A in all of `reports`.
    pub fn from_reports(reports: &[MatchReport]) -> Self {
        let rung = |report: &MatchReport| RungScore { player: report.b.clone(), pair_counts: report.pair_counts() };
        LadderRecord { rungs: reports.iter().map(rung).collect() }
    }

    /// The mean of the scores against each baseline, all counting alike, with the 95 % interval that follows from their
    /// standard errors; `None` without baselines.
    pub fn score(&self) -> Option<ScoreEstimate> {
        if self.rungs.is_empty() {
            return None;
        }
        let count = self.rungs.len() as f64;
        let mean = self.rungs.iter().map(|rung| rung.pair_counts.score()).sum::<f64>() / count;
        let squared_error = |rung: &RungScore| PairMoments::of(&rung.pair_counts).standard_error().powi(2);
        let variance: f64 = self.rungs.iter().map(squared_error).sum();
        Some(ScoreEstimate::from_standard_error(mean, variance.sqrt() / count))
    }

    /// Points against all baselines: 1 for a game won, ½ for a draw.
    pub fn points(&self) -> f64 {
        let points = |rung: &RungScore| f64::from(rung.pair_counts.wins()) + 0.5 * f64::from(rung.pair_counts.draws());
        self.rungs.iter().map(points).sum()
    }

    /// The one of two records with more points; the `later` one if they are equal.
    #[must_use]
    pub fn or_better(self, later: &LadderRecord) -> Self {
        if self.points() > later.points() { self } else { later.clone() }
    }

    /// Games against all baselines.
    pub fn games(&self) -> f64 {
        self.rungs.iter().map(|rung| f64::from(rung.pair_counts.games())).sum()
    }

    /// The baselines' specifications.
    pub fn players(&self) -> Vec<String> {
        self.rungs.iter().map(|rung| rung.player.clone()).collect()
    }
}
