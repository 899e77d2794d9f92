//! The alpha-beta player: an engine, and how much of the match's time it spends on a move.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use selfplay_env::rng::RngExt;
use selfplay_env::{Action, CompleteGame};
use selfplay_mcts::CancelToken;

use super::config::AlphaBetaConfig;
use super::engine::{AlphaBeta, Assignment};
use super::repetition::repeated_in;
use super::table::Memory;
use crate::error::EvalError;
use crate::player::{Decision, DecisionAnalysis, MoveRequest, Player, TableSeeds};
use crate::time_control::{ClockKind, moves_to_go};
use crate::turn_share;

/// Plies looked ahead when nothing else ends the search.
const DEFAULT_DEPTH: u32 = 2;

/// Plays a best action of an [`AlphaBeta`] engine, chosen by the table's seed among equally good ones.
#[derive(Debug)]
pub struct AlphaBetaPlayer<G> {
    name: String,
    config: AlphaBetaConfig,
    engine: AlphaBeta,
    seeds: TableSeeds,
    game: PhantomData<fn() -> G>,
}

impl<G: CompleteGame> AlphaBetaPlayer<G> {
    /// A player called `name` that searches every move within the limits of `config` and of the match's clock.
    ///
    /// # Errors
    /// What [`AlphaBetaConfig::validate`] finds, and more memory than there is.
    pub fn new(name: String, config: AlphaBetaConfig) -> Result<Self, EvalError> {
        let (engine, seeds) = (AlphaBeta::new(config)?, TableSeeds::default());
        Ok(AlphaBetaPlayer { name, config, engine, seeds, game: PhantomData })
    }

    /// What this move may use.
    fn assignment(&self, request: &MoveRequest<G>, started: Instant) -> Assignment {
        let mut assignment = Assignment { started, ..Assignment::new(&self.config.limits) };
        let any = request.untyped();
        for own in [&mut assignment.wall_time, &mut assignment.cpu_time].into_iter().flatten() {
            *own = turn_share::share_of_limit(&any, *own);
        }
        if let Some(clock) = turn_share::share_of_clock(&any) {
            let thinking = clock.thinking_time(moves_to_go(G::spec().max_plies, request.history.len()));
            let time = match clock.clock {
                ClockKind::Wall => &mut assignment.wall_time,
                ClockKind::Cpu => &mut assignment.cpu_time,
            };
            let least = |own: Duration| own.min(thinking);
            *time = Some(time.map_or(thinking, least));
        }
        let has_time = assignment.wall_time.is_some() || assignment.cpu_time.is_some();
        if !has_time && assignment.nodes.is_none() && self.config.limits.depth.is_none() {
            assignment.depth = DEFAULT_DEPTH;
        }
        if has_time && let Some(repeated) = repeated_in(request.history, request.position) {
            assignment.repeated = repeated;
            assignment.memory = Memory::Keep;
        }
        assignment
    }
}

impl<G: CompleteGame> Player for AlphaBetaPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn threads(&self) -> usize {
        self.config.threads
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.engine.set_cancel_token(token);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let started = Instant::now();
        let request = &request.typed::<G>(&self.name)?;
        let mut actions: Vec<Action> = Vec::new();
        request.position.distinct_actions(&mut actions);
        let mut found = None;
        // With a single move there is nothing to choose, but analyses want to know what it is worth.
        if actions.len() > 1 || self.config.lines > 1 {
            let assignment = self.assignment(request, started);
            let report = self.engine.search_as(request.position, assignment, |_| ());
            actions.clone_from(&report.best);
            found = Some(report);
        }
        let action = actions[self.seeds.rng(request).random_range(0..actions.len())];
        Ok(Decision { action, analysis: found.map_or(DecisionAnalysis::None, DecisionAnalysis::AlphaBeta) })
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::ConnectFour;

    use super::*;
    use crate::alphabeta::config::AlphaBetaLimits;
    use crate::time_control::{TimeControl, TimeSpan};

    fn assignment<G: CompleteGame>(limits: AlphaBetaLimits, time_left: Option<TimeControl>) -> Assignment {
        let player = AlphaBetaPlayer::<G>::new("ab".into(), AlphaBetaConfig::full(limits)).unwrap();
        player.assignment(&MoveRequest { table: 0, position: &G::initial(), history: &[], time_left }, Instant::now())
    }

    fn clock(ms: u64, span: TimeSpan, clock: ClockKind) -> Option<TimeControl> {
        Some(TimeControl { ms, span, clock })
    }

    #[test]
    fn own_limits_and_the_clock_hold_together() {
        let none = AlphaBetaLimits::default();
        let unlimited = assignment::<ConnectFour>(none, None);
        assert_eq!((unlimited.depth, unlimited.wall_time, unlimited.memory), (2, None, Memory::Forget));
        let action = clock(2000, TimeSpan::Turn, ClockKind::Wall);
        let timed = assignment::<ConnectFour>(none, action);
        assert!(timed.depth > 2 && timed.memory == Memory::Keep);
        assert_eq!(timed.wall_time, Some(action.unwrap().thinking_time(1)));
        let limits = AlphaBetaLimits { time_ms: Some(100), nodes: Some(7), ..none };
        let both = assignment::<ConnectFour>(limits, action);
        assert_eq!((both.wall_time, both.nodes), (Some(Duration::from_millis(100)), Some(7)));
        let cpu = assignment::<ConnectFour>(limits, clock(100_000, TimeSpan::Game, ClockKind::Cpu));
        assert_eq!(cpu.wall_time, Some(Duration::from_millis(100)));
        let share = Duration::from_millis(100_000) / 10;
        assert!(cpu.cpu_time.unwrap() <= share && cpu.cpu_time.unwrap() > share / 2);
    }

    #[test]
    fn the_plan_follows_the_longest_game() {
        assert_eq!(moves_to_go(Some(42), 40), 1);
        assert_eq!(moves_to_go(Some(42), 32), 5);
        assert_eq!(moves_to_go(Some(42), 99), 1);
        assert_eq!(moves_to_go(Some(377), 8), 6);
        assert_eq!(moves_to_go(None, 500), 5);
    }
}
