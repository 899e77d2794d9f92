//! What a candidate plays and what it must reach.

use selfplay_mcts::Limits;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::alphabeta::{AlphaBetaConfig, AlphaBetaLimits};
use crate::arena::{MatchConfig, MatchSetting, Pacing, StopRule};
use crate::error::{EvalError, check};
use crate::pair_counts::PairCounts;
use crate::spec::PlayerSpec;
use crate::statistics::{SprtConfig, SprtDecision};

/// The configuration of the gate. Two choices are made by which key is set: `simulations` or `time_ms`, and `sprt` or
/// `min_score`; where neither is, the default of the first counts.
///
/// Under `time_ms`, and with baselines limited by time, verdicts depend on the machine and on what else it computes,
/// and so does which generation is called champion. The weights do not: the newest network plays itself, whatever the
/// gate says.
// What is derived here is only the inner part of the implementations below, which make the choices after reading.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(remote = "Self", default = "GateConfig::without_choices", deny_unknown_fields)]
pub struct GateConfig {
    /// Search simulations for each decision of candidate and champion, at least 1. Default 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<u32>,
    /// Milliseconds for each decision of candidate and champion, at least 1: what the network costs counts, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Game pairs against the champion, at most; 1 to 1,000,000. Default 50.
    pub pairs: usize,
    /// Points per game against the champion that suffice, in 0..=1; 0.5 means: not worse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// A sequential test between the candidate and the champion, on the rating of the candidate above the champion's:
    /// H1 promotes, H0 rejects. Default −50, 50, 0.05, 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtConfig>,
    /// What happens if `sprt` is undecided after `pairs`. Default `promote_if_better`.
    pub at_cap: AtCap,
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

/// What an undecided test against the champion leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtCap {
    /// The champion stays: only what the test has shown counts.
    KeepChampion,
    /// The candidate is promoted if it made more than half of the points. The error rates then are greater than those of
    /// the test: with the defaults, 4 to 7 % of candidates that are 50 points weaker pass, and just under half of those
    /// that are equal, which costs nothing.
    PromoteIfBetter,
}

/// The search limit where none is set.
const DEFAULT_SIMULATIONS: u32 = 100;

/// The test where none is set. With 50 pairs it mostly decides, in 30 to 40 pairs between equal players, 20 to 30 where
/// one of the hypotheses holds, and 10 to 20 beyond them. Around zero it is the question "not worse?", as
/// `min_score = 0.5` asks it, with an end as soon as the answer is clear.
const DEFAULT_SPRT: SprtConfig = SprtConfig { elo0: -50.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };

impl Default for GateConfig {
    fn default() -> Self {
        Self::without_choices().with_choices()
    }
}

impl<'de> Deserialize<'de> for GateConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        GateConfig::deserialize(deserializer).map(GateConfig::with_choices)
    }
}

impl Serialize for GateConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        GateConfig::serialize(self, serializer)
    }
}

impl GateConfig {
    /// All defaults but for the two choices, which are left open.
    fn without_choices() -> Self {
        let MatchConfig { opening_decisions, max_decisions, .. } = MatchConfig::default();
        GateConfig {
            simulations: None,
            time_ms: None,
            pairs: 50,
            min_score: None,
            sprt: None,
            at_cap: AtCap::PromoteIfBetter,
            ladder: vec![
                PlayerSpec::Random,
                PlayerSpec::AlphaBeta(AlphaBetaConfig::full(AlphaBetaLimits::depth(1))),
                PlayerSpec::AlphaBeta(AlphaBetaConfig::full(AlphaBetaLimits::depth(2))),
            ],
            ladder_pairs: 10,
            ladder_tolerance: 0.05,
            opening_decisions,
            max_decisions,
        }
    }

    /// The same with every choice made.
    fn with_choices(mut self) -> Self {
        if self.simulations.is_none() && self.time_ms.is_none() {
            self.simulations = Some(DEFAULT_SIMULATIONS);
        }
        if self.sprt.is_none() && self.min_score.is_none() {
            self.sprt = Some(DEFAULT_SPRT);
        }
        self
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`EvalError::OutOfRange`] with the first number that is wrong, [`EvalError::NotOneOf`], [`EvalError::BadLadder`].
    pub fn validate(&self) -> Result<(), EvalError> {
        let is_one = self.simulations.is_some() != self.time_ms.is_some();
        check_choice(is_one, "time_ms", "simulations")?;
        check(self.simulations != Some(0), "simulations", 0.0, "at least 1")?;
        check(self.time_ms != Some(0), "time_ms", 0.0, "at least 1")?;
        check_choice(self.sprt.is_some() != self.min_score.is_some(), "sprt", "min_score")?;
        if let Some(min_score) = self.min_score {
            check((0.0..=1.0).contains(&min_score), "min_score", min_score, "a score in 0..=1")?;
        }
        if let Some(sprt) = &self.sprt {
            sprt.validate()?;
        }
        let is_number = (1..=1_000_000).contains(&self.ladder_pairs);
        check(is_number, "ladder_pairs", self.ladder_pairs as f64, "1 to 1,000,000")?;
        let is_tolerance = (0.0..=1.0).contains(&self.ladder_tolerance);
        check(is_tolerance, "ladder_tolerance", self.ladder_tolerance, "a difference of scores in 0..=1")?;
        for (index, rung) in self.ladder.iter().enumerate() {
            if self.ladder[..index].contains(rung) {
                return Err(EvalError::BadLadder { rung: rung.to_string(), expected: "each baseline once" });
            }
        }
        self.champion_match(0).validate()
    }

    /// What ends a search of candidate and champion: the same for both.
    pub fn limits(&self) -> Limits {
        Limits { simulations: self.simulations, time_ms: self.time_ms, cpu_time_ms: None }
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

    /// How both kinds of match are played: one game after the other if candidate and champion look at the clock.
    pub fn setting(&self) -> MatchSetting<'static> {
        let pacing = if self.time_ms.is_some() { Pacing::OneByOne } else { Pacing::Lockstep };
        MatchSetting { pacing, ..MatchSetting::default() }
    }

    /// [`should_stop`](Self::should_stop) as the match against the champion asks it.
    pub fn stop_rule(&self) -> StopRule<'_> {
        StopRule { name: "gate".into(), is_decided: Box::new(|counts| self.should_stop(counts)) }
    }

    fn match_config(&self, pairs: usize, seed: u64) -> MatchConfig {
        let (opening_decisions, max_decisions) = (self.opening_decisions, self.max_decisions);
        MatchConfig { pairs, opening_decisions, seed, max_decisions, ..MatchConfig::default() }
    }

    /// Whether the match against the champion can end after the pairs in `counts`, seen from the candidate: its test has
    /// decided, or no result of the pairs that are left could change whether `min_score` is reached.
    ///
    /// To be asked after every pair in the order of the pairs, so that the answer, and with it the result, does not
    /// depend on which pair is finished first.
    pub fn should_stop(&self, counts: &PairCounts) -> bool {
        if let Some(sprt) = &self.sprt {
            return sprt.state(counts).decision != SprtDecision::Continue;
        }
        let needed = self.min_score.unwrap_or_default();
        let left = self.pairs.saturating_sub(counts.pairs() as usize) as f64;
        let pairs = f64::from(counts.pairs()) + left;
        let made = counts.score() * f64::from(counts.pairs());
        is_enough(made / pairs, needed) || !is_enough((made + left) / pairs, needed)
    }
}

/// Whether a score reaches what is needed, up to what rounding may take from it.
pub(crate) fn is_enough(score: f64, needed: f64) -> bool {
    score + 1e-9 >= needed
}

fn check_choice(is_one: bool, key: &'static str, alternative: &'static str) -> Result<(), EvalError> {
    if is_one { Ok(()) } else { Err(EvalError::NotOneOf { key, alternative }) }
}
