//! The classical baseline: depth-limited minimax over a game's heuristic, pruned by alpha-beta.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use selfplay_env::heuristic::HEURISTIC_LIMIT;
use selfplay_env::rng::RngExt;
use selfplay_env::{Action, Game, Heuristic, Outcome, Side};

use crate::error::{EvalError, check};
use crate::player::{Choice, Player, Seat, TableSeeds, check_running};

/// The deepest search there is, in decisions.
pub const MAX_DEPTH: u32 = 200;

/// Score of a position won at once. A win `n` decisions away is worth `PROVEN_WIN − n`, a loss `n − PROVEN_WIN`, so
/// that near wins and far losses are preferred; all of them lie beyond [`HEURISTIC_LIMIT`].
pub const PROVEN_WIN: i32 = 2 * HEURISTIC_LIMIT;

/// Greater than every score, and safe to negate.
const INFINITY: i32 = PROVEN_WIN + 1;

/// How often a running clock is read, in positions.
const NODES_PER_CLOCK_CHECK: u64 = 256;

/// What ends an alpha-beta search; whichever limit is reached first counts. Depth 1 is always finished.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AlphaBetaLimits {
    /// Decisions looked ahead, `1..=MAX_DEPTH`.
    pub depth: Option<u32>,
    /// Positions reached, over all depths.
    pub nodes: Option<u64>,
    /// Wall-clock time in milliseconds. The one limit that makes the result depend on the machine.
    pub time_ms: Option<u64>,
}

impl AlphaBetaLimits {
    /// Exactly this many decisions ahead.
    pub fn depth(depth: u32) -> Self {
        AlphaBetaLimits { depth: Some(depth), ..Self::default() }
    }

    /// Checks that every limit that is set can be kept. Without any the depth is [`MAX_DEPTH`].
    ///
    /// # Errors
    /// [`EvalError::OutOfRange`] with the limit.
    pub fn validate(&self) -> Result<(), EvalError> {
        let depth = self.depth.unwrap_or(1);
        check((1..=MAX_DEPTH).contains(&depth), "depth", f64::from(depth), "1 to 200 decisions")?;
        check(self.nodes != Some(0), "nodes", 0.0, "at least 1")?;
        check(self.time_ms != Some(0), "time_ms", 0.0, "at least 1")
    }
}

/// What an alpha-beta search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlphaBetaReport {
    /// All distinct actions with the best score, ascending. Empty if the game is over.
    pub best: Vec<Action>,
    /// The position's minimax score at `depth`, for the side to move.
    pub score: i32,
    /// The last depth that was finished; less than the limit where more could change nothing.
    pub depth: u32,
    /// Positions reached, over all depths.
    pub nodes: u64,
}

/// Searches `position` by iterative deepening: depth 1, 2 and so on, each ordering the root for the next.
///
/// Equal to plain minimax over the distinct actions (Knuth and Moore, "An analysis of alpha-beta pruning", 1975). Depth
/// counts decisions; scores change sign where the side to move changes, which after some decisions it does not.
pub fn alpha_beta<G: Heuristic>(position: &G, limits: &AlphaBetaLimits) -> AlphaBetaReport {
    let mut search = AlphaBeta {
        nodes: 1,
        node_limit: limits.nodes.unwrap_or(u64::MAX),
        deadline: limits.time_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms))),
        is_interruptible: false,
        has_guessed: false,
    };
    if let Some(outcome) = position.outcome() {
        let score = outcome_score(outcome, position.side_to_move(), 0);
        return AlphaBetaReport { best: Vec::new(), score, depth: 0, nodes: search.nodes };
    }
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    order(position, &mut actions);
    let mut report = AlphaBetaReport { best: Vec::new(), score: 0, depth: 0, nodes: 0 };
    for depth in 1..=limits.depth.unwrap_or(MAX_DEPTH) {
        search.is_interruptible = depth > 1;
        search.has_guessed = false;
        let Some(scores) = search.root_scores(position, &actions, depth) else { break };
        let score = scores.iter().copied().max().expect("a running game has an action");
        let is_best = |&(_, &other): &(&Action, &i32)| other == score;
        report.best = actions.iter().zip(&scores).filter(is_best).map(|(&action, _)| action).collect();
        report.best.sort_unstable();
        report.score = score;
        report.depth = depth;
        // A proven result, or a tree seen to its ends, stays as it is at any greater depth.
        if score.abs() >= HEURISTIC_LIMIT || !search.has_guessed {
            break;
        }
        let mut scored: Vec<(i32, Action)> = scores.into_iter().zip(actions).collect();
        scored.sort_by_key(|&(score, _)| Reverse(score));
        actions = scored.into_iter().map(|(_, action)| action).collect();
    }
    report.nodes = search.nodes;
    report
}

/// The state of one search.
struct AlphaBeta {
    nodes: u64,
    node_limit: u64,
    deadline: Option<Instant>,
    /// Whether limits other than depth hold; not at depth 1, so that there is always a result.
    is_interruptible: bool,
    /// Whether the current depth has rested on a heuristic value anywhere.
    has_guessed: bool,
}

impl AlphaBeta {
    /// The scores of `actions`: exact for the best ones, at most the best score minus 1 for all others; `None` if
    /// interrupted.
    fn root_scores<G: Heuristic>(&mut self, position: &G, actions: &[Action], depth: u32) -> Option<Vec<i32>> {
        let mut best = -INFINITY;
        let mut scores = Vec::with_capacity(actions.len());
        for &action in actions {
            // The window opens one below the best score, so that an equal one is exact, too.
            let alpha = (best - 1).max(-INFINITY);
            let score = self.child_score(position, action, depth - 1, 1, alpha, INFINITY)?;
            best = best.max(score);
            scores.push(score);
        }
        Some(scores)
    }

    /// The minimax score of a position `ply` decisions below the root, looking `depth` further, for its side to move.
    /// Exact strictly between `alpha` and `beta`, otherwise a bound (fail-soft). `None` if interrupted.
    fn score<G: Heuristic>(&mut self, position: &G, depth: u32, ply: u32, alpha: i32, beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.is_interruptible && self.is_out_of_budget() {
            return None;
        }
        if let Some(outcome) = position.outcome() {
            return Some(outcome_score(outcome, position.side_to_move(), ply));
        }
        if depth == 0 {
            self.has_guessed = true;
            return Some(position.heuristic());
        }
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        if depth > 1 {
            order(position, &mut actions);
        }
        let mut best = -INFINITY;
        for action in actions {
            let score = self.child_score(position, action, depth - 1, ply + 1, alpha.max(best), beta)?;
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        Some(best)
    }

    /// [`score`](Self::score) after `action`, for the side to move before it.
    fn child_score<G: Heuristic>(
        &mut self,
        position: &G,
        action: Action,
        depth: u32,
        ply: u32,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let child = successor(position, action);
        if child.side_to_move() == position.side_to_move() {
            self.score(&child, depth, ply, alpha, beta)
        } else {
            self.score(&child, depth, ply, -beta, -alpha).map(|score| -score)
        }
    }

    fn is_out_of_budget(&self) -> bool {
        self.nodes > self.node_limit
            || self.nodes.is_multiple_of(NODES_PER_CLOCK_CHECK)
                && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

fn successor<G: Game>(position: &G, action: Action) -> G {
    let mut child = position.clone();
    child.play(action);
    child
}

/// Score of a finished game `ply` decisions below the root, for `side`.
fn outcome_score(outcome: Outcome, side: Side, ply: u32) -> i32 {
    i32::from(outcome.value_for(side)) * (PROVEN_WIN - ply as i32)
}

/// Puts the actions that look best without search first, to raise the bounds early.
fn order<G: Heuristic>(position: &G, actions: &mut [Action]) {
    let mover = position.side_to_move();
    actions.sort_by_cached_key(|&action| {
        let child = successor(position, action);
        let guess = match child.outcome() {
            Some(outcome) => outcome_score(outcome, mover, 1),
            None if child.side_to_move() == mover => child.heuristic(),
            None => -child.heuristic(),
        };
        Reverse(guess)
    });
}

/// Plays a best action of [`alpha_beta`], chosen by the table's seed among equally good ones.
#[derive(Clone, Debug)]
pub struct AlphaBetaPlayer {
    name: String,
    limits: AlphaBetaLimits,
    seeds: TableSeeds,
}

impl AlphaBetaPlayer {
    /// A player called `name` that searches every decision within `limits`.
    ///
    /// # Errors
    /// What [`AlphaBetaLimits::validate`] finds.
    pub fn new(name: String, limits: AlphaBetaLimits) -> Result<Self, EvalError> {
        limits.validate()?;
        Ok(AlphaBetaPlayer { name, limits, seeds: TableSeeds::default() })
    }
}

impl<G: Heuristic> Player<G> for AlphaBetaPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, seat: &Seat<G>) -> Result<Choice, EvalError> {
        check_running(seat, || self.name.clone())?;
        let best = alpha_beta(seat.position, &self.limits).best;
        let action = best[self.seeds.rng(seat).random_range(0..best.len())];
        Ok(Choice { action, report: None, cpu_time_ms: None })
    }
}
