//! Verification: who wins a position under perfect play, and what each move is worth.
//!
//! A value is found by questions with two answers, "at least a win?" and "at least a draw?", each searched depth first
//! with a large table (`prover`). Small trees are searched to the ends of all games at once; in others the depth grows
//! move by move, so that near results are found even where the game as a whole is out of reach. Games with a solver
//! of their own (`own`) are solved by that.

mod bounds;
mod endgame;
mod own;
mod prover;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, Game, Symmetric, Tactics};

pub use bounds::Bounds;
pub(crate) use endgame::Endgame;
use prover::{Prover, Reach, Shared};
use table::ProofTable;

use crate::error::EvalError;

/// A game tree whose leaves, with perfect ordering of moves, are about this many is searched to its ends at once:
/// e to this power.
const LN_LARGEST_TREE: f64 = 28.0;
/// Random games that the size of a tree is estimated from.
const ESTIMATES: u64 = 8;

/// How to solve.
#[derive(Clone, PartialEq, Debug)]
pub struct SolveConfig {
    /// Positions looked at before giving up; `None` for no limit.
    pub nodes: Option<u64>,
    /// Wall-clock milliseconds before giving up; `None` for no limit.
    pub time_ms: Option<u64>,
    /// Memory of the table of proven positions in MiB, at least 1.
    pub memory_mib: u32,
    /// Threads, at least 1. The values do not depend on it; nodes do, from two on. A game's own solver has one.
    pub threads: usize,
    /// What to prove.
    pub goal: SolveGoal,
}

/// What is to be proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveGoal {
    /// The value of the position.
    Position,
    /// The value of the position and of every distinct move in it.
    EveryAction,
}

impl Default for SolveConfig {
    /// No limits, 256 MiB, one thread, the position's value.
    fn default() -> Self {
        SolveConfig { nodes: None, time_ms: None, memory_mib: 256, threads: 1, goal: SolveGoal::Position }
    }
}

impl SolveConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check(self.nodes != Some(0), "nodes", 0.0, "at least 1")?;
        check(self.time_ms != Some(0), "time_ms", 0.0, "at least 1")?;
        check(self.memory_mib >= 1, "memory_mib", 0.0, "at least 1")?;
        check(self.threads >= 1, "threads", 0.0, "at least 1")
    }
}

/// How far a solve is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveProgress {
    /// Positions looked at.
    pub nodes: u64,
    /// Plies looked ahead; `None` where games are searched to their ends.
    pub depth: Option<u32>,
    /// What is proven of the position.
    pub bounds: Bounds,
    /// Moves whose value is proven.
    pub actions_proven: usize,
    /// Moves there are; 0 where they are not asked for.
    pub actions: usize,
}

/// What was proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolveReport {
    /// The value for the side to move.
    pub bounds: Bounds,
    /// Turns of both sides to the end if both play as well as they can; where a solver of the game's own tells.
    pub turns: Option<u32>,
    /// Each distinct move with its value for the side that makes it; empty unless asked for.
    pub actions: Vec<(Action, Bounds)>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Proves what it can within the limits of `config`. `plies_played` counts the moves of the game so far.
///
/// `progress` is called whenever something was proven, and after every depth.
///
/// # Errors
/// A wrong `config`, or one that asks for more memory than there is.
pub fn solve<G: Tactics + Symmetric>(
    position: &G,
    plies_played: usize,
    config: &SolveConfig,
    mut progress: impl FnMut(&SolveProgress),
) -> Result<SolveReport, EvalError> {
    config.validate()?;
    if let Some(outcome) = position.outcome() {
        let bounds = Bounds::exactly(outcome.value_for(position.side_to_move()));
        return Ok(SolveReport { bounds, turns: None, actions: Vec::new(), nodes: 1 });
    }
    if let Some(solver) = G::solver(config.memory_mib) {
        return Ok(own::solve_by(solver, position, config, &mut progress));
    }
    let shared = Shared::new(config)?;
    let mut solver = Solver::new(&shared, config.threads);
    let to_come = G::spec().max_plies.map(|most| most.saturating_sub(plies_played).max(1) as u32);
    let horizons: Box<dyn Iterator<Item = Horizon>> = match to_come {
        Some(to_come) if ln_tree_size(position) <= LN_LARGEST_TREE => Box::new([Horizon::Ends(to_come)].into_iter()),
        Some(to_come) => Box::new((1..to_come).map(Horizon::Depth).chain([Horizon::Ends(to_come)])),
        None => Box::new((1..).map(Horizon::Depth)),
    };

    let mut report = SolveReport::nothing_of(position, config.goal);
    for horizon in horizons {
        solver.look(position, horizon, &mut report, &mut progress);
        if report.is_complete() || shared.is_exhausted.load(Ordering::Relaxed) {
            break;
        }
    }
    report.nodes = shared.nodes.load(Ordering::Relaxed);
    Ok(report)
}

impl Shared {
    /// Nothing is proven yet, and the clock starts.
    ///
    /// # Errors
    /// If the system does not give the memory.
    fn new(config: &SolveConfig) -> Result<Self, EvalError> {
        Ok(Shared {
            table: ProofTable::new(config.memory_mib)?,
            nodes: AtomicU64::new(0),
            node_limit: config.nodes.unwrap_or(u64::MAX),
            deadline: config.time_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms))),
            is_exhausted: AtomicBool::new(false),
            is_answered: AtomicBool::new(false),
        })
    }
}

impl SolveReport {
    /// The questions that `goal` asks of `position`, none of them answered.
    fn nothing_of<G: Game>(position: &G, goal: SolveGoal) -> Self {
        let mut actions = Vec::new();
        if goal == SolveGoal::EveryAction {
            position.distinct_actions(&mut actions);
        }
        let actions = actions.into_iter().map(|action| (action, Bounds::UNKNOWN)).collect();
        SolveReport { bounds: Bounds::UNKNOWN, turns: None, actions, nodes: 0 }
    }

    fn is_complete(&self) -> bool {
        let values = self.actions.iter().map(|(_, bounds)| bounds);
        values.chain([&self.bounds]).all(|bounds| bounds.value().is_some())
    }

    /// How far it is, `depth` plies ahead, after so many positions.
    fn progress(&self, nodes: u64, depth: Option<u32>) -> SolveProgress {
        SolveProgress {
            nodes,
            depth,
            bounds: self.bounds,
            actions_proven: self.actions.iter().filter(|(_, bounds)| bounds.value().is_some()).count(),
            actions: self.actions.len(),
        }
    }

    /// The value that the moves' values leave open.
    fn bounds_of_actions(&self) -> Bounds {
        let greatest = |end: fn(&Bounds) -> i8| self.actions.iter().map(|(_, bounds)| end(bounds)).max().unwrap_or(-1);
        Bounds { lower: greatest(|bounds| bounds.lower), upper: greatest(|bounds| bounds.upper) }
    }
}

/// How far to look.
#[derive(Clone, Copy)]
enum Horizon {
    Depth(u32),
    /// To the ends of all games, at most so many plies away.
    Ends(u32),
}

/// The threads of a solve.
struct Solver<'a, G> {
    provers: Vec<Prover<'a, G, &'a Shared>>,
    shared: &'a Shared,
}

impl<'a, G: Tactics + Symmetric> Solver<'a, G> {
    fn new(shared: &'a Shared, threads: usize) -> Self {
        Solver { provers: (0..threads).map(|number| Prover::new(&shared.table, shared, number)).collect(), shared }
    }

    /// Asks all open questions once, as far as `horizon`.
    fn look(
        &mut self,
        position: &G,
        horizon: Horizon,
        report: &mut SolveReport,
        progress: &mut impl FnMut(&SolveProgress),
    ) {
        let depth = match horizon {
            Horizon::Depth(depth) => Some(depth),
            Horizon::Ends(_) => None,
        };
        let tell = |report: &SolveReport, progress: &mut dyn FnMut(&SolveProgress)| {
            progress(&report.progress(self.shared.nodes.load(Ordering::Relaxed), depth));
        };
        if report.actions.is_empty() {
            report.bounds = self.narrow(position, report.bounds, horizon);
            tell(report, progress);
            return;
        }
        let side = position.side_to_move();
        for index in 0..report.actions.len() {
            let (action, bounds) = report.actions[index];
            if bounds.value().is_some() {
                continue;
            }
            let mut child = position.clone();
            child.play(action);
            let turn = |bounds: Bounds| if child.side_to_move() == side { bounds } else { bounds.reversed() };
            report.actions[index].1 = turn(self.narrow(&child, turn(bounds), horizon.after_a_ply()));
            report.bounds = report.bounds_of_actions();
            tell(report, progress);
        }
    }

    /// What is proven of `position` after asking what `bounds` leaves open.
    fn narrow(&mut self, position: &G, mut bounds: Bounds, horizon: Horizon) -> Bounds {
        if let Some(outcome) = position.settled_outcome() {
            return Bounds::exactly(outcome.value_for(position.side_to_move()));
        }
        let side = position.side_to_move();
        for goal in [1, 0] {
            let reaches: &[Reach] = match horizon {
                Horizon::Ends(_) => &[Reach::Ends],
                // First what this side can force, then what the other can.
                Horizon::Depth(_) => &[Reach::Against(side), Reach::Against(side.opponent())],
            };
            for &reach in reaches {
                if bounds.reaches(goal).is_some() {
                    break;
                }
                let (Horizon::Ends(depth) | Horizon::Depth(depth)) = horizon;
                let Some(reached) = self.ask(position, goal, depth, reach) else { return bounds };
                let is_fact = match reach {
                    Reach::Ends => true,
                    Reach::Against(prover) => (prover == side) == reached,
                };
                if is_fact {
                    bounds = bounds.with(goal, reached);
                }
            }
        }
        bounds
    }

    /// One question to all threads; the first answer counts.
    fn ask(&mut self, position: &G, goal: i8, depth: u32, reach: Reach) -> Option<bool> {
        let shared = self.shared;
        shared.is_answered.store(false, Ordering::Relaxed);
        let ask_one = |prover: &mut Prover<'_, G, &Shared>| {
            let answer = prover.reaches(position, goal, depth, reach);
            if answer.is_some() {
                shared.is_answered.store(true, Ordering::Relaxed);
            }
            answer
        };
        if let [only] = &mut self.provers[..] {
            return ask_one(only);
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = self.provers.iter_mut().map(|prover| scope.spawn(|| ask_one(prover))).collect();
            let answers: Vec<Option<bool>> =
                running.into_iter().map(|thread| thread.join().expect("a prover does not panic")).collect();
            answers.into_iter().flatten().next()
        })
    }
}

impl Horizon {
    fn after_a_ply(self) -> Horizon {
        match self {
            Horizon::Depth(depth) => Horizon::Depth(depth - 1),
            Horizon::Ends(depth) => Horizon::Ends(depth - 1),
        }
    }
}

/// Natural logarithm of the leaves of a minimal alpha-beta tree to the ends of all games. It is half the logarithm of the
/// number of games (Knuth and Moore, 1975), which random games estimate (Knuth, 1975: the product of the numbers of
/// moves on the way).
fn ln_tree_size<G: Game>(position: &G) -> f64 {
    let mut total = 0.0;
    let mut actions = Vec::new();
    for seed in 0..ESTIMATES {
        let mut rng = rng_for(&[seed]);
        let mut position = position.clone();
        while position.outcome().is_none() {
            position.distinct_actions(&mut actions);
            total += (actions.len() as f64).ln();
            position.play(actions[rng.random_range(0..actions.len())]);
        }
    }
    total / (2 * ESTIMATES) as f64
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::TicTacToe;
    use selfplay_env::random_play::play_random;

    use super::*;

    /// What growing depth proves of a position, up to `depth`.
    fn look_ahead(position: &TicTacToe, depth: u32, solver: &mut Solver<'_, TicTacToe>) -> Bounds {
        let mut report = SolveReport::nothing_of(position, SolveGoal::Position);
        for depth in 1..=depth {
            solver.look(position, Horizon::Depth(depth), &mut report, &mut |_| ());
        }
        report.bounds
    }

    #[test]
    fn growing_depth_proves_the_same_values_and_never_a_wrong_one() {
        for seed in 0..200 {
            let mut position = TicTacToe::initial();
            let made = play_random(&mut position, (seed % 8) as usize, &mut rng_for(&[seed])).len();
            if position.outcome().is_some() {
                continue;
            }
            let truth = solve(&position, made, &SolveConfig::default(), |_| ()).unwrap().bounds.value().unwrap();
            let shared = Shared::new(&SolveConfig { memory_mib: 1, ..SolveConfig::default() }).unwrap();
            let mut solver = Solver::new(&shared, 1);
            for depth in 1..=9 {
                let bounds = look_ahead(&position, depth, &mut solver);
                assert!((bounds.lower..=bounds.upper).contains(&truth), "depth {depth}\n{}", position.board());
                assert!(bounds.value().is_some() || depth < 9 - made as u32);
            }
        }
    }
}
