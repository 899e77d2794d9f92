//! The gate: whether a candidate becomes the champion, decided from the results alone.

use crate::error::ArenaError;
use selfplay_ratings::ScoreEstimate;
use selfplay_ratings::pair_counts::PairCounts;

use crate::gate_config::GateConfig;
use crate::ladder::LadderRecord;
use crate::summary::SprtSummary;
use crate::verdict::{Comparison, MatchCondition, PointsLead, Verdict};

/// What a candidate is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Champion<'a> {
    /// The match between candidate and champion, from the candidate's view.
    pub pair_counts: &'a PairCounts,
    /// The best record against the ladder of all champions so far: a reference that never falls, so that many small
    /// losses cannot add up.
    pub best_ladder: &'a LadderRecord,
}

impl GateConfig {
    /// Decides from what was played.
    ///
    /// Three conditions hold for a promotion. The match against the champion does not show the candidate to be weaker, by
    /// the sequential test or by `min_score`. Its ladder score is at most `eval_tolerance` below the best. It does not
    /// trail in points, those of the match and those against the ladder together. Without a champion the candidate
    /// becomes it.
    ///
    /// The lead is compared with zero, not by the end of its interval: a gate that demands significance of every
    /// promotion rejects most real progress.
    ///
    /// # Errors
    /// [`ArenaError::LadderChanged`] if the records are of different baselines.
    pub fn decide(&self, candidate: &LadderRecord, champion: Option<Champion>) -> Result<Verdict, ArenaError> {
        let Some(Champion { pair_counts, best_ladder }) = champion else { return Ok(Verdict::FIRST) };
        if candidate.players() != best_ladder.players() {
            let (candidate, champion) = (candidate.players(), best_ladder.players());
            return Err(ArenaError::LadderChanged { candidate, champion });
        }
        let condition = match (self.sprt, self.min_score) {
            (Some(sprt), _) => MatchCondition::Sprt {
                sprt: SprtSummary::from_counts(sprt, pair_counts),
                if_inconclusive: self.if_inconclusive,
            },
            (None, needed) => MatchCondition::MinScore { needed: needed.unwrap_or_default() },
        };
        let lead = PointsLead {
            champion_match: f64::from(pair_counts.wins()) - f64::from(pair_counts.losses()),
            ladder: candidate.points() - best_ladder.points(),
        };
        let (pairs, score) = (pair_counts.pairs(), ScoreEstimate::from_counts(pair_counts));
        let ladder_points = self.eval_tolerance * best_ladder.games();
        Ok(Comparison { pairs, score, condition, lead, ladder_points }.into())
    }
}
