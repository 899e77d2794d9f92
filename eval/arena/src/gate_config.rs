//! What a candidate plays and what it must reach.

use selfplay_config::{InvalidKey, check, check_choice, config_choice, config_section};
use selfplay_mcts::Limits;
use selfplay_players::alphabeta::{AlphaBetaConfig, AlphaBetaLimits};
use selfplay_players::spec::RandomSpec;
use selfplay_players::{EvalError, PlayerKinds, PlayerSpec};
use selfplay_ratings::pair_counts::PairCounts;
use selfplay_ratings::{SprtConfig, SprtDecision, SprtModel};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::arena::{MatchConfig, MatchSetting, Pacing, StopRule};

// What serde derives is only the inner part of the implementations below, which make the choices after reading.
config_section! {
    #[serde(remote = "Self")]
    /// The configuration of the gate. Two choices are made by which key is set: `num_simulations` or `time_ms`, and `sprt`
    /// or `min_score`; where neither is, the default of the first counts.
    ///
    /// Under `time_ms`, and with baselines limited by time, verdicts depend on the machine and on what else it
    /// computes, and so does which generation is called champion. The weights do not: the newest network plays itself,
    /// whatever the gate says (only a schedule of plateaus follows the ladder's scores).
    pub struct GateConfig, then check_together {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        /// Simulations per action of candidate and champion; alternative to `time_ms`.
        pub num_simulations: Option<u32> = Some(100), in 1..;
        #[serde(default, skip_serializing_if = "Option::is_none")]
        /// Milliseconds per action of candidate and champion, instead of `num_simulations`, so that the network's cost
        /// counts. Verdicts then depend on the machine; weights only with the `plateau` schedule.
        pub time_ms: Option<u64> = None, in 1..;
        /// Game pairs (same opening, sides exchanged) against the champion, at most.
        pub pairs: usize = 50, in 1..=1_000_000;
        #[serde(default, skip_serializing_if = "Option::is_none")]
        /// Score per game that the candidate needs against the champion, instead of `sprt`.
        pub min_score: Option<f64> = None, in 0.0..=1.0;
        #[serde(default, skip_serializing_if = "Option::is_none")]
        /// Sequential test of the candidate's rating above the champion's, unless `min_score` is given. H0 (`elo0` or
        /// less) rejects the candidate. H1 (`elo1` or more) ends the match; the other conditions still apply. The default is `{ elo0 = -50, elo1 = 50, alpha = 0.05, beta = 0.05 }`.
        /// It mostly decides within 50 pairs: in 30 to 40 between equal players, 20 to 30 where one of the hypotheses
        /// holds, and 10 to 20 beyond them.
        pub sprt: Option<SprtConfig> = Some(SprtConfig { elo0: -50.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: SprtModel::Logistic });
        /// Verdict if `sprt` is inconclusive after `pairs`.
        pub if_inconclusive: IfInconclusive = IfInconclusive::PromoteUnlessWorse;
        /// The ladder: baselines, as player specs, that every candidate plays. Must contain `random`, the zero of all ratings.
        /// A baseline with a time limit makes verdicts depend on the machine.
        pub eval_opponents: Vec<PlayerSpec> = vec![
            PlayerSpec::new(RandomSpec::default()),
            PlayerSpec::new(AlphaBetaConfig::full(AlphaBetaLimits::depth(1))),
            PlayerSpec::new(AlphaBetaConfig::full(AlphaBetaLimits::depth(2))),
        ];
        /// Game pairs against each baseline, with the same openings for every generation.
        pub eval_pairs: usize = 10, in 1..=1_000_000;
        /// How far the candidate's mean ladder score may lie below the best of any champion so far, whatever the match
        /// says.
        pub eval_tolerance: f64 = 0.02, in 0.0..=1.0;
        /// Random opening actions of each pair; a short alpha-beta search selects the most balanced of several.
        pub opening_plies: usize = 4, in 0..;
        /// Maximum length of a game in plies; a longer game counts as a draw.
        pub max_plies: usize = 1000, in 1..;
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// What an inconclusive test against the champion leads to.
    pub enum IfInconclusive {
        /// The champion stays: only a test that accepts H1 allows a promotion.
        KeepChampion = "keep_champion",
        /// The candidate is promoted if it leads in points over the match and the ladder.
        PromoteIfBetter = "promote_if_better",
        /// The same, and with equal points as well: where every pair is even, as in a game that both draw, the network
        /// that has learned more is the better guess.
        PromoteUnlessWorse = "promote_unless_worse",
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
    /// The same with every choice made.
    fn with_choices(mut self) -> Self {
        let default = GateConfig::default();
        if self.time_ms.is_none() {
            self.num_simulations = self.num_simulations.or(default.num_simulations);
        }
        if self.min_score.is_none() {
            self.sprt = self.sprt.or(default.sprt);
        }
        self
    }

    /// Gives the specifications of the ladder, which serde has read as texts, their meaning.
    ///
    /// # Errors
    /// The first specification that is wrong.
    pub fn resolve_players(&mut self, kinds: &PlayerKinds) -> Result<(), EvalError> {
        self.eval_opponents.iter_mut().try_for_each(|spec| {
            *spec = kinds.resolve(spec)?;
            Ok(())
        })
    }

    fn check_together(&self) -> Result<(), InvalidKey> {
        check_choice(self.time_ms.is_some(), "time_ms", self.num_simulations.is_some(), "num_simulations")?;
        check_choice(self.sprt.is_some(), "sprt", self.min_score.is_some(), "min_score")?;
        for (index, baseline) in self.eval_opponents.iter().enumerate() {
            check(
                !self.eval_opponents[..index].contains(baseline),
                "eval_opponents",
                format!("{baseline} twice"),
                "each baseline once",
            )?;
        }
        self.champion_match(0).validate()
    }

    /// What ends a search of candidate and champion: the same for both.
    pub fn limits(&self) -> Limits {
        Limits { simulations: self.num_simulations, time_ms: self.time_ms, ..Limits::default() }
    }

    /// The match against the champion. A new seed for every candidate keeps the champion from being replaced by the
    /// candidate that happens to like some openings.
    pub fn champion_match(&self, seed: u64) -> MatchConfig {
        self.match_config(self.pairs, seed)
    }

    /// The match against each baseline. The seed must be the same for all candidates of a run: their records are
    /// compared with each other.
    pub fn ladder_match(&self, seed: u64) -> MatchConfig {
        self.match_config(self.eval_pairs, seed)
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
        let (opening_plies, max_plies) = (self.opening_plies, self.max_plies);
        MatchConfig { pairs, opening_plies, seed, max_plies, ..MatchConfig::default() }
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
