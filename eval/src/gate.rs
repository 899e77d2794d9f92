//! The gate: whether a candidate becomes the champion, decided from the results alone.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::alphabeta::AlphaBetaLimits;
use crate::arena::MatchConfig;
use crate::error::{EvalError, check};
use crate::ladder::LadderRecord;
use crate::pair_counts::{PairCounts, ScoreEstimate};
use crate::spec::PlayerSpec;

/// What rounding may take from a score that just suffices.
const ROUNDING: f64 = 1e-9;

/// What a candidate plays and what it must reach.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// Search simulations for each decision of candidate and champion, at least 1. Default 100.
    pub simulations: u32,
    /// Game pairs against the champion, at least 1. Default 50.
    pub pairs: usize,
    /// Points per game against the champion that suffice, in 0..=1. Default 0.5: not worse.
    pub min_score: f64,
    /// The baselines that every candidate meets; may be empty. Default random and alpha-beta of depth 1 and 2.
    pub ladder: Vec<PlayerSpec>,
    /// Game pairs against each baseline, at least 1. Default 10.
    pub ladder_pairs: usize,
    /// How far the candidate's mean score against the ladder may lie below the champion's, in 0..=1. Default 0.05.
    pub ladder_tolerance: f64,
    /// Random decisions at the start of every game. Default 4.
    pub opening_decisions: usize,
    /// Decisions after which a game counts as a draw. Default 1000.
    pub max_decisions: usize,
}

impl Default for GateConfig {
    fn default() -> Self {
        let MatchConfig { opening_decisions, max_decisions, .. } = MatchConfig::default();
        GateConfig {
            simulations: 100,
            pairs: 50,
            min_score: 0.5,
            ladder: vec![
                PlayerSpec::Random,
                PlayerSpec::AlphaBeta(AlphaBetaLimits::depth(1)),
                PlayerSpec::AlphaBeta(AlphaBetaLimits::depth(2)),
            ],
            ladder_pairs: 10,
            ladder_tolerance: 0.05,
            opening_decisions,
            max_decisions,
        }
    }
}

impl GateConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`EvalError::OutOfRange`] with the first number that is wrong, [`EvalError::BadLadder`].
    pub fn validate(&self) -> Result<(), EvalError> {
        check(self.simulations >= 1, "simulations", f64::from(self.simulations), "at least 1")?;
        check((0.0..=1.0).contains(&self.min_score), "min_score", self.min_score, "a score in 0..=1")?;
        let is_number = (1..=1_000_000).contains(&self.ladder_pairs);
        check(is_number, "ladder_pairs", self.ladder_pairs as f64, "1 to 1,000,000")?;
        let is_tolerance = (0.0..=1.0).contains(&self.ladder_tolerance);
        check(is_tolerance, "ladder_tolerance", self.ladder_tolerance, "a difference of scores in 0..=1")?;
        for (index, rung) in self.ladder.iter().enumerate() {
            let ladder = |expected| EvalError::BadLadder { rung: rung.to_string(), expected };
            if self.ladder[..index].contains(rung) {
                return Err(ladder("each baseline once"));
            }
            if rung.depends_on_time() {
                return Err(ladder(
                    "baselines limited by depth, nodes or simulations: verdicts must not depend on the machine",
                ));
            }
        }
        self.champion_match(0).validate()
    }

    /// The match against the champion. A new seed for every candidate keeps the champion from being replaced by the
    /// candidate that happens to like some openings.
    pub fn champion_match(&self, seed: u64) -> MatchConfig {
        self.match_config(self.pairs, seed)
    }

    /// The match against each baseline. The seed must be the same for all candidates of a run: their records are
    /// compared with each other.
    pub fn ladder_match(&self, seed: u64) -> MatchConfig {
        self.match_config(self.ladder_pairs, seed)
    }

    fn match_config(&self, pairs: usize, seed: u64) -> MatchConfig {
        let (opening_decisions, max_decisions) = (self.opening_decisions, self.max_decisions);
        MatchConfig { pairs, opening_decisions, seed, max_decisions, ..MatchConfig::default() }
    }

    /// Decides from what was played.
    ///
    /// A candidate is promoted if its score against the champion is at least `min_score` and its mean score against the
    /// ladder is at least the champion's minus `ladder_tolerance`. Both are compared as they are, not by the ends of
    /// their intervals, which the verdict shows: a gate that demands significance turns most real progress down. Without
    /// a champion the candidate becomes it.
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
        let mut reasons = vec![GateReason::Champion {
            pairs: champion.pair_counts.pairs(),
            score: champion.pair_counts.estimate(),
            needed: self.min_score,
        }];
        if let (Some(score), Some(champion)) = (candidate.score(), champion.ladder.score()) {
            reasons.push(GateReason::Ladder { score, champion, tolerance: self.ladder_tolerance });
        }
        Ok(Verdict::new(reasons))
    }
}

/// What is known about the present champion.
#[derive(Clone, Copy, Debug)]
pub struct Champion<'a> {
    /// The match between candidate and champion, from the candidate's view.
    pub pair_counts: &'a PairCounts,
    /// The champion's own record against the ladder.
    pub ladder: &'a LadderRecord,
}

/// What happens to a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// It becomes the champion.
    Promote,
    /// The champion stays.
    Reject,
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
    /// The match against the champion.
    Champion {
        /// Game pairs played.
        pairs: u32,
        /// The candidate's points per game.
        score: ScoreEstimate,
        /// What suffices.
        needed: f64,
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
    /// Whether this condition lets the candidate pass.
    pub fn is_met(&self) -> bool {
        match self {
            GateReason::FirstCandidate { .. } => true,
            GateReason::Champion { score, needed, .. } => score.score + ROUNDING >= *needed,
            GateReason::Ladder { score, champion, tolerance } => score.score + ROUNDING >= champion.score - tolerance,
        }
    }
}

/// The gate's decision with all its reasons; prints as one line: each score with its 95 % interval, and what it had to
/// reach.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// What happens.
    pub decision: GateDecision,
    /// All conditions, met or not.
    pub reasons: Vec<GateReason>,
}

impl Verdict {
    fn new(reasons: Vec<GateReason>) -> Self {
        let is_promoted = reasons.iter().all(GateReason::is_met);
        let decision = if is_promoted { GateDecision::Promote } else { GateDecision::Reject };
        Verdict { decision, reasons }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.decision {
            GateDecision::Promote => "promoted: ",
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
        let sign = if self.is_met() { '≥' } else { '<' };
        match self {
            GateReason::FirstCandidate { ladder: None } => write!(f, "there is no champion yet"),
            GateReason::FirstCandidate { ladder: Some(score) } => {
                write!(f, "there is no champion yet; ladder {score}")
            }
            GateReason::Champion { pairs, score, needed } => {
                write!(f, "champion {score} {sign} {needed:.3} in {pairs} game pairs")
            }
            GateReason::Ladder { score, champion, tolerance } => {
                write!(f, "ladder {score} {sign} champion's {champion} − {tolerance:.3}")
            }
        }
    }
}
