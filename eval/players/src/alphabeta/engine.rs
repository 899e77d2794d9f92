//! The engine: a table that outlives searches, and the threads of each search.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selfplay_env::Tactics;
use selfplay_mcts::CancelToken;

use super::budget::{Allowance, Budget};
use super::config::{AlphaBetaConfig, AlphaBetaLimits, MAX_DEPTH, Selectivity};
use super::deepening::{Task, deepen};
use super::search::Worker;
use super::table::{Memory, TranspositionTable};
use crate::alphabeta_report::AlphaBetaReport;
use crate::error::EvalError;
use crate::score::outcome_score;

/// What one search may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    /// The last depth, in plies.
    pub depth: u32,
    /// Positions of all threads.
    pub nodes: Option<u64>,
    /// Wall-clock time from `started`.
    pub wall_time: Option<Duration>,
    /// Computing time of all threads.
    pub cpu_time: Option<Duration>,
    /// When the move began.
    pub started: Instant,
    /// Whether earlier searches may be remembered.
    pub memory: Memory,
    /// Hash of the positions of the game so far that stood before.
    pub repeated: u64,
}

impl Assignment {
    /// Within `limits` from now on, without memory of earlier searches.
    pub fn new(limits: &AlphaBetaLimits) -> Self {
        Assignment {
            depth: limits.depth.unwrap_or(MAX_DEPTH),
            nodes: limits.nodes,
            wall_time: limits.time_ms.map(Duration::from_millis),
            cpu_time: limits.cpu_time_ms.map(Duration::from_millis),
            started: Instant::now(),
            memory: Memory::Forget,
            repeated: 0,
        }
    }
}

/// An alpha-beta engine for any game.
///
/// Iterative deepening with aspiration windows; principal variation search (Marsland and Campbell, "Parallel search of
/// strongly ordered game trees", 1982) over a transposition table that all threads share.
#[derive(Debug)]
pub struct AlphaBeta {
    config: AlphaBetaConfig,
    table: TranspositionTable,
    /// Id of the game that the table's entries belong to.
    game: &'static str,
    cancel: Option<CancelToken>,
}

impl AlphaBeta {
    /// An engine that remembers nothing yet.
    ///
    /// # Errors
    /// What [`AlphaBetaConfig::validate`] finds, and more memory than there is.
    pub fn new(config: AlphaBetaConfig) -> Result<Self, EvalError> {
        config.validate()?;
        Ok(AlphaBeta { config, table: TranspositionTable::new(config.memory_mib)?, game: "", cancel: None })
    }

    /// Searches `position` within the limits of the configuration and tells `on_depth` after every depth finished. What
    /// was searched before is forgotten.
    ///
    /// With one thread and no limit of time the report is a function of the position and the configuration.
    pub fn search<G: Tactics>(&mut self, position: &G, on_depth: impl FnMut(&AlphaBetaReport)) -> AlphaBetaReport {
        self.search_as(position, Assignment::new(&self.config.limits), on_depth)
    }

    /// Searches `position` within `limits`, which [`AlphaBetaLimits::validate`] accepts, in place of those of the
    /// configuration, and remembers the searches before unless asked to [`forget`](Self::forget). (In games that may
    /// repeat it remembers nothing, as the way to the positions is not known here.)
    pub fn search_within<G: Tactics>(
        &mut self,
        position: &G,
        limits: &AlphaBetaLimits,
        on_depth: impl FnMut(&AlphaBetaReport),
    ) -> AlphaBetaReport {
        let memory = if G::spec().max_plies.is_some() { Memory::Keep } else { Memory::Forget };
        self.search_as(position, Assignment { memory, ..Assignment::new(limits) }, on_depth)
    }

    /// Ends searches early once `token` is cancelled; they return what they have found.
    pub fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.cancel = token;
    }

    /// Forgets all searches, in no time: the next finds what it would with a new engine.
    pub fn forget(&mut self) {
        self.table.start_search(Memory::Forget);
    }

    /// Searches `position` as `assignment` says.
    pub(crate) fn search_as<G: Tactics>(
        &mut self,
        position: &G,
        assignment: Assignment,
        on_depth: impl FnMut(&AlphaBetaReport),
    ) -> AlphaBetaReport {
        if let Some(outcome) = position.outcome() {
            let score = outcome_score(outcome, position.side_to_move(), 0);
            return AlphaBetaReport { nodes: 1, is_final: true, ..AlphaBetaReport::unsearched(score, Vec::new()) };
        }
        let is_same_game = std::mem::replace(&mut self.game, G::spec().id) == G::spec().id;
        // Plain minimax may use only what was searched to the same depth, so earlier searches are of little use.
        let is_useful = is_same_game && self.config.selectivity == Selectivity::Full;
        self.table.start_search(if is_useful { assignment.memory } else { Memory::Forget });
        let threads = self.config.threads;
        let allowance = Allowance {
            nodes: None,
            deadline: assignment.wall_time.and_then(|time| assignment.started.checked_add(time)),
            cpu_time: assignment.cpu_time.map(|time| time / threads as u32),
        };
        let nodes = assignment.nodes.map(|nodes| nodes.div_ceil(threads as u64));
        let Assignment { depth, started, repeated, .. } = assignment;
        let (table, selectivity, stop) = (&self.table, self.config.selectivity, AtomicBool::new(false));
        let (lines, cancel) = (self.config.lines, self.cancel.as_ref());
        let work = |skipped: u32, lines: usize, on_depth: &mut dyn FnMut(&AlphaBetaReport)| {
            let budget = Budget::new(allowance, started, &stop, cancel);
            let mut worker = Worker::new(table, budget, selectivity, G::spec().action_count);
            deepen(&mut worker, position, Task { depth, skipped, repeated, nodes, lines }, on_depth)
        };
        std::thread::scope(|scope| {
            let work = &work;
            // Every other helper leaves out every other depth, so that some are ahead and fill the table for the rest.
            let helpers: Vec<_> =
                (1..threads).map(|helper| scope.spawn(move || work(helper as u32 % 2, 1, &mut |_| ()))).collect();
            let mut on_depth = on_depth;
            let mut report = work(0, lines, &mut on_depth);
            stop.store(true, Relaxed);
            for helper in helpers {
                let other = helper.join().expect("a search does not panic");
                let (nodes, seldepth) = (report.nodes + other.nodes, report.seldepth.max(other.seldepth));
                if (other.is_final, other.depth) > (report.is_final, report.depth) {
                    report = AlphaBetaReport { others: report.others, ..other };
                }
                (report.nodes, report.seldepth) = (nodes, seldepth);
            }
            report
        })
    }
}

/// Searches `position` once, with a table of its own.
///
/// # Errors
/// What [`AlphaBeta::new`] says.
pub fn alpha_beta<G: Tactics>(position: &G, config: &AlphaBetaConfig) -> Result<AlphaBetaReport, EvalError> {
    Ok(AlphaBeta::new(*config)?.search(position, |_| ()))
}
