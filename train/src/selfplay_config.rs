//! How games are generated: the `[selfplay]` section of a config.

use selfplay_mcts::{SearchConfig, TemperatureSchedule};
use serde::{Deserialize, Serialize};

use crate::error::TrainError;

/// The largest [`SelfPlayConfig::cache_mib`].
const MOST_CACHE_MIB: u32 = 65_536;
const MOST_SIMULATIONS: u32 = 1_000_000;

/// How games are generated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games played in each generation.
    pub games_per_generation: u32,
    /// Lanes the games are dealt out to. Threads share the lanes, so the number of threads changes nothing; use a
    /// multiple of the cores.
    pub lanes: u32,
    /// Games in flight in each lane: the size of the network's batches.
    pub games_per_lane_in_flight: u32,
    /// Simulations of a full search, which is learned from.
    pub simulations: u32,
    /// Simulations of the first generation; they grow to `simulations` over `growth_generations` ("progressive
    /// simulation budget allocation", Wu et al. 2023, "MiniZero"). 0: as many as later.
    pub first_simulations: u32,
    /// See `first_simulations`.
    pub growth_generations: u32,
    /// Share of the decisions that get a full search (playout cap randomisation, Wu 2019, section 3.1); the others get
    /// `fast_simulations` without noise, and nothing is learned from them but the game's result.
    pub full_search_share: f64,
    /// Simulations of a fast search.
    pub fast_simulations: u32,
    /// Decisions after which a game is stopped and counts as a draw.
    pub max_decisions: u32,
    /// Whether a game ends as soon as a search has proven its result.
    pub stop_proven: bool,
    /// Memory in MiB with which each lane remembers evaluations, so that a position its games reach again is not
    /// evaluated again; 0 for none. Changes no game where an evaluation depends on the position alone to the last bit.
    pub cache_mib: u32,
    /// Under which symmetry positions are evaluated.
    pub evaluation_symmetry: EvaluationSymmetry,
    /// How games begin.
    pub starts: StartConfig,
    /// When hopeless games are given up.
    pub resign: ResignConfig,
    /// How the decision is drawn from the visits.
    pub temperature: TemperatureSchedule,
    /// The search.
    pub search: SearchConfig,
}

/// Under which symmetry positions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationSymmetry {
    /// As they are.
    Identity,
    /// Each under one drawn by its hash and the generation (AlphaGo Zero, Silver et al. 2017, Methods).
    Random,
}

/// How games begin: from the initial position unless drawn otherwise.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StartConfig {
    /// Share of the games that begin with random decisions.
    pub random_share: f64,
    /// Most random decisions; their number is drawn from 1 to this.
    pub random_decisions: u32,
    /// Share of the games that begin at a position of a game of the generation before, drawn at random ("Go-Exploit",
    /// Trudeau and Bowling 2023).
    pub restart_share: f64,
}

/// When hopeless games are given up.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResignConfig {
    /// A side whose full searches say a value below this, in −1..=0, resigns; −1 for never.
    pub value: f64,
    /// Full searches of that side in a row that must say so.
    pub searches: u32,
    /// Share of the games that are played on all the same, to count the resignations that would have been wrong.
    pub play_on_share: f64,
}

impl Default for StartConfig {
    fn default() -> Self {
        StartConfig { random_share: 0.0, random_decisions: 4, restart_share: 0.0 }
    }
}

impl Default for ResignConfig {
    fn default() -> Self {
        ResignConfig { value: -1.0, searches: 2, play_on_share: 0.1 }
    }
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        SelfPlayConfig {
            games_per_generation: 256,
            lanes: 16,
            games_per_lane_in_flight: 16,
            simulations: 100,
            first_simulations: 0,
            growth_generations: 20,
            full_search_share: 1.0,
            fast_simulations: 20,
            max_decisions: 500,
            stop_proven: false,
            cache_mib: 64,
            evaluation_symmetry: EvaluationSymmetry::Identity,
            starts: StartConfig::default(),
            resign: ResignConfig::default(),
            temperature: TemperatureSchedule::default(),
            search: SearchConfig::default(),
        }
    }
}

impl SelfPlayConfig {
    /// Checks the ranges of the keys of this section and of its tables `starts` and `resign`.
    ///
    /// # Errors
    /// The first key out of range.
    pub fn validate(&self) -> Result<(), TrainError> {
        let counts = [
            ("games_per_generation", self.games_per_generation, 1, 1_000_000, "1 to 1,000,000"),
            ("lanes", self.lanes, 1, self.games_per_generation, "1 to games_per_generation"),
            ("games_per_lane_in_flight", self.games_per_lane_in_flight, 1, 10_000, "1 to 10,000"),
            ("simulations", self.simulations, 1, MOST_SIMULATIONS, "1 to 1,000,000"),
            ("first_simulations", self.first_simulations, 0, self.simulations, "0 to simulations"),
            ("growth_generations", self.growth_generations, 1, 1_000_000, "1 to 1,000,000"),
            ("fast_simulations", self.fast_simulations, 1, MOST_SIMULATIONS, "1 to 1,000,000"),
            ("max_decisions", self.max_decisions, 1, 100_000, "1 to 100,000"),
            ("cache_mib", self.cache_mib, 0, MOST_CACHE_MIB, "0 to 65,536"),
            ("starts.random_decisions", self.starts.random_decisions, 1, 1000, "1 to 1000"),
            ("resign.searches", self.resign.searches, 1, 1000, "1 to 1000"),
        ];
        for (key, value, least, most, expected) in counts {
            if !(least..=most).contains(&value) {
                return Err(TrainError::Config { key, value: value.to_string(), expected });
            }
        }
        let StartConfig { random_share, restart_share, .. } = self.starts;
        let shares = [
            ("full_search_share", self.full_search_share, 0.001, 1.0, "a share from 0.001 to 1"),
            ("starts.random_share", random_share, 0.0, 1.0, "a share from 0 to 1"),
            ("starts.restart_share", restart_share, 0.0, 1.0 - random_share, "a share, with random_share at most 1"),
            ("resign.value", self.resign.value, -1.0, 0.0, "a value from -1 to 0"),
            ("resign.play_on_share", self.resign.play_on_share, 0.0, 1.0, "a share from 0 to 1"),
        ];
        for (key, value, least, most, expected) in shares {
            if !(least..=most).contains(&value) {
                return Err(TrainError::Config { key, value: value.to_string(), expected });
            }
        }
        Ok(())
    }

    /// Simulations of a full search in `generation`, which counts from 1.
    pub fn simulations_in(&self, generation: u32) -> u32 {
        if self.first_simulations == 0 || generation > self.growth_generations {
            return self.simulations;
        }
        let done = f64::from(generation.saturating_sub(1)) / f64::from(self.growth_generations);
        self.first_simulations + (f64::from(self.simulations - self.first_simulations) * done).round() as u32
    }

    /// Numbers of the games that lane `lane` plays, in order.
    pub fn games_of_lane(&self, lane: u32) -> impl Iterator<Item = u32> + use<> {
        (lane..self.games_per_generation).step_by(self.lanes as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_grow_to_their_last_number() {
        let config = SelfPlayConfig {
            simulations: 100,
            first_simulations: 20,
            growth_generations: 4,
            ..SelfPlayConfig::default()
        };
        assert_eq!([1, 2, 3, 4, 5, 90].map(|generation| config.simulations_in(generation)), [20, 40, 60, 80, 100, 100]);
        assert_eq!(SelfPlayConfig::default().simulations_in(1), 100);
    }

    #[test]
    fn tables_are_checked_as_well() {
        assert!(SelfPlayConfig::default().validate().is_ok());
        let wrong = [
            SelfPlayConfig { full_search_share: 0.0, ..SelfPlayConfig::default() },
            SelfPlayConfig {
                starts: StartConfig { random_share: 0.5, restart_share: 0.6, ..StartConfig::default() },
                ..SelfPlayConfig::default()
            },
            SelfPlayConfig {
                resign: ResignConfig { value: 0.5, ..ResignConfig::default() },
                ..SelfPlayConfig::default()
            },
        ];
        assert!(wrong.iter().all(|config| config.validate().is_err()));
    }
}
