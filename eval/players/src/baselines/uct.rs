//! The usual student agent: [`UctTree`] within simulations, time and memory.

use std::marker::PhantomData;

use selfplay_env::tactics::without_oversight;
use selfplay_env::{Action, CompleteGame};
use selfplay_mcts::CancelToken;

use super::move_clock::MoveClock;
use super::uct_tree::{UctLimits, UctTree, WhenFull};
use crate::error::EvalError;
use crate::player::{Decision, DecisionAnalysis, MoveRequest, Player, TOLD_LINES, TableSeeds};
use crate::player_settings;
use crate::settings::domain::Time;

/// Simulations where neither the player nor the match sets a limit.
const DEFAULT_SIMULATIONS: u32 = 1000;
/// Memory of a tree in MiB, unless something else is said.
pub const DEFAULT_MEMORY_MIB: u32 = 256;
/// The most memory of a tree in MiB: node numbers have 32 bits.
pub const MAX_MEMORY_MIB: u32 = 1 << 14;
/// Sums of results have 31 bits and a sign.
const MAX_SIMULATIONS: u32 = 1_000_000_000;

player_settings! {
    #[derive(Copy)]
    /// How a [`UctPlayer`] searches. Own limits and the match's clock hold together; 1000 simulations if there is neither.
    pub struct UctConfig, kind "uct" {
        /// Simulations of each move.
        pub simulations("simulations"): Option<u32> = None, in 1..=MAX_SIMULATIONS;
        /// Wall-clock time of each move in milliseconds.
        pub time_ms("time"): Option<u64> = None, as Time;
        /// Weight of curiosity in UCB1.
        pub exploration("c"): f64 = std::f64::consts::SQRT_2, in 0.0..;
        /// Memory of the tree in MiB. The tree stops growing there, and the search continues with random games from
        /// its leaves.
        pub memory_mib("memory"): u32 = DEFAULT_MEMORY_MIB, in 1..=MAX_MEMORY_MIB;
    }
}

impl UctConfig {
    /// Exactly this many simulations a move.
    pub fn simulations(simulations: u32) -> Self {
        UctConfig { simulations: Some(simulations), ..Self::default() }
    }
}

/// Plays the move that most simulations went through, unless it overlooks a win with the next move of either side; each
/// move starts a new tree.
pub struct UctPlayer<G> {
    name: String,
    config: UctConfig,
    tree: UctTree,
    seeds: TableSeeds,
    cancel: Option<CancelToken>,
    game: PhantomData<fn() -> G>,
}

impl<G: CompleteGame> UctPlayer<G> {
    /// A player called `name`.
    ///
    /// # Errors
    /// What [`UctConfig::validate`] finds.
    pub fn new(name: String, config: UctConfig) -> Result<Self, EvalError> {
        config.validate()?;
        let (tree, seeds) = (UctTree::new(config.memory_mib), TableSeeds::default());
        Ok(UctPlayer { name, config, tree, seeds, cancel: None, game: PhantomData })
    }
}

impl<G: CompleteGame> Player for UctPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.cancel = token;
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let clock = MoveClock::start(self.config.time_ms, request).with_cancel_token(self.cancel.clone());
        let request = &request.typed::<G>(&self.name)?;
        let unlimited = if clock.has_limit() { MAX_SIMULATIONS } else { DEFAULT_SIMULATIONS };
        let limits = UctLimits {
            simulations: self.config.simulations.unwrap_or(unlimited),
            clock,
            when_full: WhenFull::GoOn,
            exploration: self.config.exploration,
        };
        let report = self.tree.search(request.position, &limits, &mut self.seeds.rng(request));
        let others = |first: Action| report.moves.iter().map(|m| m.action).filter(move |&action| action != first);
        let best = report.best();
        let preferred: Vec<Action> = [best].into_iter().chain(others(best)).collect();
        // Few random games may miss what one look shows.
        let action = without_oversight(request.position, &preferred).unwrap_or(best);
        let lines = [action].into_iter().chain(others(action)).take(TOLD_LINES);
        let lines = lines.map(|action| self.tree.line_of(action)).collect();
        Ok(Decision { action, analysis: DecisionAnalysis::Playouts { report, lines } })
    }
}
