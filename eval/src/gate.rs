//! The gate: whether a candidate becomes the champion, decided from the results alone.

use crate::error::EvalError;
use crate::gate_config::GateConfig;
use crate::ladder::LadderRecord;
use crate::pair_counts::PairCounts;
use crate::statistics::{MatchStrength, ScoreEstimate};
use crate::summary::SprtSummary;
use crate::verdict::{GateReason, Verdict};

/// What is known about the present champion.
#[derive(Clone, Copy, Debug)]
pub struct Champion<'a> {
    /// The match between candidate and champion, from the candidate's view.
    pub pair_counts: &'a PairCounts,
    /// The champion's own record against the ladder.
    pub ladder: &'a LadderRecord,
}

impl GateConfig {
    /// Decides from what was played.
    ///
    /// A candidate is promoted if it passes the match against the champion, by the sequential test or by `min_score`,
    /// and its mean score against the ladder is at least the champion's minus `ladder_tolerance`. Scores are compared as
    /// they are, not by the ends of their intervals, which the verdict shows: a gate that demands significance of every
    /// condition turns most real progress down. Without a champion the candidate becomes it.
    ///
    /// # Errors
    /// [`EvalError::LadderChanged`] if the records are of different baselines.
    pub fn decide(&self, candidate: &LadderRecord, champion: Option<Champion>) -> Result<Verdict, EvalError> {
        let Some(champion) = champion else {
            return Ok(Verdict::new(vec![GateReason::FirstCandidate { ladder: candidate.score() }]));
        };
        if candidate.players() != champion.ladder.players() {
            let (candidate, champion) = (candidate.players(), champion.ladder.players());
            return Err(EvalError::LadderChanged { candidate, champion });
        }
        let counts = champion.pair_counts;
        let (pairs, score) = (counts.pairs(), ScoreEstimate::of(counts));
        let mut reasons = Vec::new();
        if let Some(sprt) = self.sprt {
            let (elo, sprt) = (MatchStrength::of(counts).elo, SprtSummary::of(sprt, counts));
            reasons.push(GateReason::Sprt { pairs, score, elo, sprt, at_cap: self.at_cap });
        }
        if let Some(needed) = self.min_score {
            reasons.push(GateReason::MinScore { pairs, score, needed });
        }
        if let (Some(score), Some(champion)) = (candidate.score(), champion.ladder.score()) {
            reasons.push(GateReason::Ladder { score, champion, tolerance: self.ladder_tolerance });
        }
        Ok(Verdict::new(reasons))
    }
}
