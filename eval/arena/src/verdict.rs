//! What the gate decides about a candidate, with the numbers behind it.

use std::fmt;

use selfplay_ratings::{ScoreEstimate, SprtDecision};
use serde::{Deserialize, Serialize};

use crate::gate_config::{IfInconclusive, is_enough};
use crate::summary::SprtSummary;

/// What happens to a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// It becomes the champion.
    Promote,
    /// The games show no difference, or too little by `if_inconclusive`; the champion stays.
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

/// How many points the candidate made more than the champions: 1 for a game won, ½ for a draw.
///
/// The sum of both parts is the score statistic of the Bradley–Terry model for the rating difference between two players
/// who met each other and played the same baselines equally often (Rao 1948), so every game counts alike.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PointsLead {
    /// The candidate's points less the champion's in the match between them.
    pub champion_match: f64,
    /// The candidate's points against the ladder less those of the best champion so far.
    pub ladder: f64,
}

impl PointsLead {
    /// Both parts together. Points are halves, so the sum is exact.
    pub fn total(self) -> f64 {
        self.champion_match + self.ladder
    }
}

/// The condition on the match against the champion by itself.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchCondition {
    /// The score that is needed.
    MinScore {
        /// Points a game.
        needed: f64,
    },
    /// The sequential test.
    Sprt {
        /// The test and its state.
        sprt: SprtSummary,
        /// What an inconclusive test leads to.
        if_inconclusive: IfInconclusive,
    },
}

/// A candidate compared with the champions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// Game pairs played against the champion.
    pub pairs: u32,
    /// The candidate's points per game in them.
    pub score: ScoreEstimate,
    /// The condition on the match.
    pub condition: MatchCondition,
    /// The candidate's lead over all games.
    pub lead: PointsLead,
    /// Points that it may lose on the ladder at most: `eval_tolerance` times the games against it.
    pub ladder_points: f64,
}

impl Comparison {
    /// What follows: a failed condition on match or ladder rejects; else the lead decides.
    pub fn decision(&self) -> GateDecision {
        let is_lead_needed = match self.condition {
            _ if self.fails_match() || self.fails_ladder() => return GateDecision::Reject,
            MatchCondition::Sprt { sprt, if_inconclusive } if sprt.state.decision == SprtDecision::Continue => {
                match if_inconclusive {
                    IfInconclusive::KeepChampion => return GateDecision::Undecided,
                    IfInconclusive::PromoteIfBetter => true,
                    IfInconclusive::PromoteUnlessWorse => false,
                }
            }
            MatchCondition::Sprt { .. } | MatchCondition::MinScore { .. } => false,
        };
        match self.lead.total() {
            total if total < 0.0 => GateDecision::Reject,
            0.0 if is_lead_needed => GateDecision::Undecided,
            _ => GateDecision::Promote,
        }
    }

    /// Whether the match alone shows that the candidate is weaker, or than `min_score` asks.
    fn fails_match(&self) -> bool {
        match self.condition {
            MatchCondition::MinScore { needed } => !is_enough(self.score.score, needed),
            MatchCondition::Sprt { sprt, .. } => sprt.state.decision == SprtDecision::AcceptH0,
        }
    }

    /// Whether the ladder is lost by more than the tolerance.
    fn fails_ladder(&self) -> bool {
        !is_enough(self.lead.ladder, -self.ladder_points)
    }
}

/// The gate's verdict; prints as half a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// What happens.
    pub decision: GateDecision,
    /// What it rests on. The first candidate has no comparison, and reports of earlier versions have no such entry.
    #[serde(default)]
    pub comparison: Option<Comparison>,
}

impl Verdict {
    /// The first candidate becomes the champion.
    pub const FIRST: Verdict = Verdict { decision: GateDecision::Promote, comparison: None };
}

impl From<Comparison> for Verdict {
    fn from(comparison: Comparison) -> Self {
        Verdict { decision: comparison.decision(), comparison: Some(comparison) }
    }
}

/// As in `promoted: +3.0 points (match +1.0, ladder +2.0)`: short enough for a line of 80 columns.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.decision {
            GateDecision::Promote => "promoted",
            GateDecision::Undecided => "undecided",
            GateDecision::Reject => "rejected",
        })?;
        let Some(comparison) = &self.comparison else { return write!(f, ": first candidate") };
        // A deficit in points explains itself.
        f.write_str(match comparison.condition {
            _ if comparison.lead.total() < 0.0 => "",
            MatchCondition::MinScore { .. } if comparison.fails_match() => " by min_score",
            MatchCondition::Sprt { .. } if comparison.fails_match() => " by SPRT",
            _ if comparison.fails_ladder() => " by ladder",
            _ => "",
        })?;
        let PointsLead { champion_match, ladder } = comparison.lead;
        // No zero has a minus sign: −0 is not among the sums of halves, and rounding changes no half.
        write!(f, ": {:+.1} points (match {champion_match:+.1}, ladder {ladder:+.1})", comparison.lead.total())
    }
}
