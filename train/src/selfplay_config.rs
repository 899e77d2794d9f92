//! How games are generated: the `[selfplay]` section of a config.

use selfplay_config::{InvalidKey, check, config_choice, config_section};
use selfplay_mcts::{SearchConfig, TemperatureSchedule};

config_section! {
    /// How games are generated.
    pub struct SelfPlayConfig, then check_together {
        /// Games per generation.
        pub games_per_generation: u32 = 256, in 1..=1_000_000;
        /// Concurrent games per actor thread (on a GPU, of its one actor): the size of the network's batches. Does not change the games. 32
        /// are enough for a CPU; a device needs hundreds.
        pub concurrent_games: u32 = 32, in 1..=10_000;
        /// Simulations of a full search, whose result is a training target.
        pub num_simulations: u32 = 100, in 1..=1_000_000;
        /// Simulations in the first generation, growing to `num_simulations` over `growth_generations` ("progressive
        /// simulation budget allocation", Wu et al. 2023, MiniZero). 0: constant.
        pub initial_num_simulations: u32 = 0, in 0..=1_000_000;
        /// Generations over which `initial_num_simulations` grows to `num_simulations`.
        pub growth_generations: u32 = 20, in 1..=1_000_000;
        /// Probability that an action gets a full search (playout cap randomization, Wu 2019, section 3.1). The others get
        /// `playout_cap_fast_visits` without noise, and are no training targets.
        pub playout_cap_full_prob: f64 = 1.0, in 0.001..=1.0;
        /// Simulations of a fast search.
        pub playout_cap_fast_visits: u32 = 20, in 1..=1_000_000;
        /// Maximum length of a game in plies; a longer game is truncated and counts as a draw.
        pub max_plies: u32 = 500, in 1..=100_000;
        /// A game ends as soon as the search or tactics prove its result (MCTS-Solver, Winands et al. 2008).
        pub stop_proven: bool = false;
        /// Memory in MiB of the evaluation cache of a process; 0 disables it. Does not change the games as long as an
        /// evaluation depends bit for bit on the position alone.
        pub cache_mib: u32 = 64, in 0..=65_536;
        /// Generations by which the self-play network lags behind. 0: self-play uses the newest network. 1: it uses the one
        /// before, so that other machines can play while the learner trains (docs/cluster.md).
        pub policy_lag: u32 = 0, in 0..=1;
        /// Accept workers whose arithmetic differs from the learner's, for example CPUs with other vector instructions. The run
        /// is then not reproducible (docs/cluster.md).
        pub mixed_machines: bool = false;
        /// The symmetry under which positions are evaluated.
        pub evaluation_symmetry: EvaluationSymmetry = EvaluationSymmetry::Canonical;
        /// Starting positions: the initial position, except for these shares of the games. (KataGo starts games with moves
        /// drawn from the policy, Wu 2019.)
        pub starts: StartConfig = StartConfig::default();
        /// Resignation, as in AlphaGo Zero (Silver et al. 2017), which played a tenth of the games to the end to keep false
        /// resignations below 5 %.
        pub resign: ResignConfig = ResignConfig::default();
        /// Actions are sampled in proportion to p^(1 / temperature), where p are the visits, without forced playouts and
        /// proven losses. Gumbel search ignores temperatures. Schedule and defaults are KataGo's.
        pub temperature: TemperatureSchedule = TemperatureSchedule::default();
        /// The search: PUCT or Gumbel at the root, PUCT or the improved policy below, and a solver.
        pub search: SearchConfig = SearchConfig::default();
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// The symmetry under which positions are evaluated.
    pub enum EvaluationSymmetry {
        /// The canonical image of each position, so that symmetric positions get the same evaluation.
        Canonical = "canonical",
        /// A random symmetry, drawn from the position's hash and the generation (AlphaGo Zero, Silver et al. 2017, Methods).
        Random = "random",
    }
}

config_section! {
    #[derive(Copy)]
    /// How games begin: from the initial position unless drawn otherwise.
    pub struct StartConfig, then check_shares {
        /// Probability that a game starts with random actions.
        pub random_opening_prob: f64 = 0.0, in 0.0..=1.0;
        /// Maximum of random actions; their number is drawn uniformly from 1 to this.
        pub random_opening_plies: u32 = 4, in 1..=1000;
        /// Probability that a game starts from a random position of a game of the previous generation ("Go-Exploit", Trudeau
        /// and Bowling 2023).
        pub go_exploit_prob: f64 = 0.0, in 0.0..=1.0;
    }
}

config_section! {
    #[derive(Copy)]
    /// When a player resigns.
    pub struct ResignConfig {
        /// A player resigns when its full searches return a value below this; -1 disables resignation.
        pub threshold: f64 = -1.0, in -1.0..=0.0;
        /// Consecutive full searches of that player below the threshold.
        pub consecutive_searches: u32 = 2, in 1..=1000;
        /// Probability that a game is played to the end without resignation, to measure false resignations.
        pub playthrough_prob: f64 = 0.1, in 0.0..=1.0;
    }
}

impl StartConfig {
    fn check_shares(&self) -> Result<(), InvalidKey> {
        let is_share = self.go_exploit_prob <= 1.0 - self.random_opening_prob;
        check(is_share, "go_exploit_prob", self.go_exploit_prob, "at most 1 with `random_opening_prob`")
    }
}

impl SelfPlayConfig {
    fn check_together(&self) -> Result<(), InvalidKey> {
        let is_growth = self.initial_num_simulations <= self.num_simulations;
        check(is_growth, "initial_num_simulations", self.initial_num_simulations, "at most `num_simulations`")
    }

    /// Simulations of a full search in `generation`, which counts from 1.
    pub fn simulations_in(&self, generation: u32) -> u32 {
        if self.initial_num_simulations == 0 || generation > self.growth_generations {
            return self.num_simulations;
        }
        let done = f64::from(generation.saturating_sub(1)) / f64::from(self.growth_generations);
        self.initial_num_simulations
            + (f64::from(self.num_simulations - self.initial_num_simulations) * done).round() as u32
    }

    /// The generation whose network plays the games of `generation`, which counts from 1.
    pub fn network_of(&self, generation: u32) -> u32 {
        generation.saturating_sub(1 + self.policy_lag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_grow_to_their_last_number() {
        let config = SelfPlayConfig {
            num_simulations: 100,
            initial_num_simulations: 20,
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
            SelfPlayConfig { playout_cap_full_prob: 0.0, ..SelfPlayConfig::default() },
            SelfPlayConfig {
                starts: StartConfig { random_opening_prob: 0.5, go_exploit_prob: 0.6, ..StartConfig::default() },
                ..SelfPlayConfig::default()
            },
            SelfPlayConfig {
                resign: ResignConfig { threshold: 0.5, ..ResignConfig::default() },
                ..SelfPlayConfig::default()
            },
        ];
        assert!(wrong.iter().all(|config| config.validate().is_err()));
    }
}
