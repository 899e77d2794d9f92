//! How games are generated: the `[selfplay]` section of a config.

use selfplay_config::{InvalidKey, check, config_choice, config_section};
use selfplay_mcts::{SearchConfig, TemperatureSchedule};

config_section! {
    /// How games are generated.
    pub struct SelfPlayConfig, then check_together {
        /// Games played before the learner's turn.
        pub games_per_generation: u32 = 256, in 1..=1_000_000;
        /// Games that each thread, or the device, plays at once: the size of the network's batches. Changes no game. 32 are
        /// enough for a CPU; a device wants hundreds.
        pub concurrent_games: u32 = 32, in 1..=10_000;
        /// Simulations of a full search, which is learned from.
        pub simulations: u32 = 100, in 1..=1_000_000;
        /// Simulations of the first generation, which grow to `simulations` over `growth_generations` ("progressive
        /// simulation budget allocation", Wu et al. 2023, MiniZero). 0: as many from the start.
        pub first_simulations: u32 = 0, in 0..=1_000_000;
        /// See `first_simulations`.
        pub growth_generations: u32 = 20, in 1..=1_000_000;
        /// Share of the decisions that get a full search (playout cap randomisation, Wu 2019, section 3.1); the others
        /// get `fast_simulations` without noise, and nothing is learned from them but the game's result.
        pub full_search_share: f64 = 1.0, in 0.001..=1.0;
        /// Simulations of a fast search.
        pub fast_simulations: u32 = 20, in 1..=1_000_000;
        /// A longer game is stopped, counts as a draw and is reported as cut.
        pub max_decisions: u32 = 500, in 1..=100_000;
        /// A game ends as soon as the search has proven its result (MCTS-Solver, Winands et al. 2008) or foresees it.
        pub stop_proven: bool = false;
        /// Memory in MiB with which a process remembers evaluations, so that positions that its games reach again cost
        /// nothing; 0 for none. Changes no game where an evaluation depends on the position alone to the last bit.
        pub cache_mib: u32 = 64, in 0..=65_536;
        /// 1: a generation is played with the network before the newest, so that it can be played while the newest is
        /// learned, by other machines (docs/cluster.md); 0: with the newest.
        pub network_lag: u32 = 0, in 0..=1;
        /// Whether machines may play that compute otherwise than the one that learns, such as CPUs with other vectors: the
        /// run is then no function of its config (docs/cluster.md).
        pub mixed_machines: bool = false;
        /// Under which symmetry positions are evaluated.
        pub evaluation_symmetry: EvaluationSymmetry = EvaluationSymmetry::Canonical;
        /// Games begin at the initial position, but for these shares of them. (KataGo begins games with moves drawn from
        /// the policy, Wu 2019.)
        pub starts: StartConfig = StartConfig::default();
        /// When hopeless games are given up, as in AlphaGo Zero (Silver et al. 2017), which played a tenth of the games
        /// on to keep wrong resignations below 5 %.
        pub resign: ResignConfig = ResignConfig::default();
        /// A decision is drawn in proportion to p^(1 / temperature), where p are the visits, without those that
        /// `forced_simulations` forced and without moves known to lose. Gumbel search chooses by itself; temperatures
        /// do not count there. The falling temperature is KataGo's, as are the numbers.
        pub temperature: TemperatureSchedule = TemperatureSchedule::default();
        /// The search: PUCT or Gumbel at the root, PUCT or the improved policy below, and a solver.
        pub search: SearchConfig = SearchConfig::default();
    }
}

config_choice! {
    #[derive(Copy, Eq)]
    /// Under which symmetry positions are evaluated.
    pub enum EvaluationSymmetry {
        /// Each under the one that leads to the image that stands for all, so that images get the same evaluation.
        Canonical = "canonical",
        /// Each under one drawn by its hash and the generation (AlphaGo Zero, Silver et al. 2017, Methods).
        Random = "random",
    }
}

config_section! {
    #[derive(Copy)]
    /// How games begin: from the initial position unless drawn otherwise.
    pub struct StartConfig, then check_shares {
        /// Share of the games that begin with random decisions.
        pub random_share: f64 = 0.0, in 0.0..=1.0;
        /// Most random decisions; their number is drawn from 1 to this.
        pub random_decisions: u32 = 4, in 1..=1000;
        /// Share of the games that begin at a random position of a game of the generation before ("Go-Exploit", Trudeau
        /// and Bowling 2023).
        pub restart_share: f64 = 0.0, in 0.0..=1.0;
    }
}

config_section! {
    #[derive(Copy)]
    /// When hopeless games are given up.
    pub struct ResignConfig {
        /// A side whose full searches say a value below this resigns; -1 for never.
        pub value: f64 = -1.0, in -1.0..=0.0;
        /// Full searches of that side in a row that must say so.
        pub searches: u32 = 2, in 1..=1000;
        /// Share of the games that are played on all the same, to count the resignations that would have been wrong.
        pub play_on_share: f64 = 0.1, in 0.0..=1.0;
    }
}

impl StartConfig {
    fn check_shares(&self) -> Result<(), InvalidKey> {
        let is_share = self.restart_share <= 1.0 - self.random_share;
        check(is_share, "restart_share", self.restart_share, "at most 1 with `random_share`")
    }
}

impl SelfPlayConfig {
    fn check_together(&self) -> Result<(), InvalidKey> {
        let is_growth = self.first_simulations <= self.simulations;
        check(is_growth, "first_simulations", self.first_simulations, "at most `simulations`")
    }

    /// Simulations of a full search in `generation`, which counts from 1.
    pub fn simulations_in(&self, generation: u32) -> u32 {
        if self.first_simulations == 0 || generation > self.growth_generations {
            return self.simulations;
        }
        let done = f64::from(generation.saturating_sub(1)) / f64::from(self.growth_generations);
        self.first_simulations + (f64::from(self.simulations - self.first_simulations) * done).round() as u32
    }

    /// The generation whose network plays the games of `generation`, which counts from 1.
    pub fn network_of(&self, generation: u32) -> u32 {
        generation.saturating_sub(1 + self.network_lag)
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
