//! What the gate says about a candidate, with all the numbers it rests on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::gate_config::{AtCap, is_enough};
use crate::statistics::{EloEstimate, ScoreEstimate, SprtDecision};
use crate::summary::SprtSummary;

/// What happens to a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// It becomes the champion.
    Promote,
    /// Its test was not decided within the pairs allowed; the champion stays.
    Undecided,
    /// It fails; the champion stays.
    Reject,
}

impl GateDecision {
    /// As tables name it: `promote`, `undecided` or `reject`.
    pub fn name(self) -> &'static str {
        match self {
            GateDecision::Promote => "promote",
            GateDecision::Undecided => "undecided",
            GateDecision::Reject => "reject",
        }
    }
}

/// One condition of the gate with its numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateReason {
    /// There is no champion.
    FirstCandidate {
        /// The candidate's mean score against the ladder, if there is one.
        ladder: Option<ScoreEstimate>,
    },
    /// The score in the match against the champion.
    MinScore {
        /// Game pairs played.
        pairs: u32,
        /// The candidate's points per game.
        score: ScoreEstimate,
        /// What suffices.
        needed: f64,
    },
    /// The sequential test in the match against the champion.
    Sprt {
        /// Game pairs played.
        pairs: u32,
        /// The candidate's points per game.
        score: ScoreEstimate,
        /// Its rating above the champion's, from this match alone.
        elo: EloEstimate,
        /// The test and where it stands.
        sprt: SprtSummary,
        /// What an undecided test leads to.
        at_cap: AtCap,
    },
    /// The records against the ladder.
    Ladder {
        /// The candidate's mean score.
        score: ScoreEstimate,
        /// The champion's mean score.
        champion: ScoreEstimate,
        /// How far below the champion's suffices.
        tolerance: f64,
    },
}

impl GateReason {
    /// What this condition by itself leads to.
    pub fn decision(&self) -> GateDecision {
        let met = |is_met| if is_met { GateDecision::Promote } else { GateDecision::Reject };
        match self {
            GateReason::FirstCandidate { .. } => GateDecision::Promote,
            GateReason::MinScore { score, needed, .. } => met(is_enough(score.score, *needed)),
            GateReason::Ladder { score, champion, tolerance } => {
                met(is_enough(score.score, champion.score - tolerance))
            }
            GateReason::Sprt { score, sprt, at_cap, .. } => match (sprt.state.decision, at_cap) {
                (SprtDecision::AcceptH1, _) => GateDecision::Promote,
                (SprtDecision::AcceptH0, _) => GateDecision::Reject,
                (SprtDecision::Continue, AtCap::PromoteIfBetter) if score.score > 0.5 => GateDecision::Promote,
                (SprtDecision::Continue, AtCap::PromoteUnlessWorse) if is_enough(score.score, 0.5) => {
                    GateDecision::Promote
                }
                (SprtDecision::Continue, _) => GateDecision::Undecided,
            },
        }
    }
}

/// The gate's decision with all its reasons; prints as one line with every number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// What happens.
    pub decision: GateDecision,
    /// All conditions, met or not.
    pub reasons: Vec<GateReason>,
}

impl Verdict {
    /// The verdict that `reasons` lead to: the least favourable of their decisions, and promotion without reasons.
    pub fn new(reasons: Vec<GateReason>) -> Self {
        let decision = reasons.iter().map(GateReason::decision).max().unwrap_or(GateDecision::Promote);
        Verdict { decision, reasons }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.decision {
            GateDecision::Promote => "promoted: ",
            GateDecision::Undecided => "undecided, the champion stays: ",
            GateDecision::Reject => "rejected: ",
        })?;
        for (index, reason) in self.reasons.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for GateReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.decision() == GateDecision::Promote { '≥' } else { '<' };
        match self {
            GateReason::FirstCandidate { ladder: None } => write!(f, "there is no champion yet"),
            GateReason::FirstCandidate { ladder: Some(score) } => {
                write!(f, "there is no champion yet; ladder {score}")
            }
            GateReason::MinScore { pairs, score, needed } => {
                write!(f, "against the champion {score} {sign} {needed:.3} in {pairs} game pairs")
            }
            GateReason::Sprt { pairs, score, elo, sprt, at_cap } => {
                write!(f, "against the champion {score}, Elo {elo} in {pairs} game pairs, {sprt}")?;
                match (sprt.state.decision, at_cap) {
                    (SprtDecision::Continue, AtCap::PromoteIfBetter) => {
                        write!(f, ", so the score decides: {} 0.500", if score.score > 0.5 { '>' } else { '≤' })
                    }
                    (SprtDecision::Continue, AtCap::PromoteUnlessWorse) => {
                        write!(f, ", so the score decides: {sign} 0.500")
                    }
                    _ => Ok(()),
                }
            }
            GateReason::Ladder { score, champion, tolerance } => {
                write!(f, "ladder {score} {sign} champion's {champion} − {tolerance:.3}")
            }
        }
    }
}
