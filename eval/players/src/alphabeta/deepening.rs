//! Iterative deepening of one thread: depth 1, 2 and so on, each ordering the moves at the root for the next.

use selfplay_env::tactics::HEURISTIC_LIMIT;
use selfplay_env::{Action, ImmediateWin, Tactics};

use super::budget::Stopped;
use super::config::Selectivity;
use super::ordering::{Candidate, MoveList};
use super::search::{NodeContext, Worker, is_final};
use crate::alphabeta_report::{AlphaBetaReport, ScoredLine};
use crate::score::{INFINITY, PROVEN_WIN, is_proven};

/// The first window reaches this far around the score of the depth before, and further if scores have moved more.
const WINDOW: i32 = 24;
/// A search goes at most this many threats beyond its depth, and one more for every two plies of depth.
const EXTENSIONS: u32 = 4;

/// Where one thread's deepening starts and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The last depth.
    pub depth: u32,
    /// Depths left out between two, by which threads go different ways; 0 for the first thread.
    pub skipped: u32,
    /// Hash of the positions of the game so far that stood before; see [`NodeContext::repeated`].
    pub repeated: u64,
    /// Positions from depth 2 on.
    pub nodes: Option<u64>,
    /// Moves to look at as closely as the best, that one included.
    pub lines: usize,
}

/// Searches `position`, whose game is running, and reports after every depth.
pub(super) fn deepen<G: Tactics>(
    worker: &mut Worker,
    position: &G,
    task: Task,
    mut on_depth: impl FnMut(&AlphaBetaReport),
) -> AlphaBetaReport {
    let mut list = MoveList::default();
    worker.order.list(position, &mut list, None, 0, 2);
    let mut moves = list.into_sorted();
    let first = moves[0].action;
    let mut report = AlphaBetaReport::unsearched(position.heuristic(), vec![first]);
    if worker.selectivity == Selectivity::Full
        && let ImmediateWin::By(action) = position.immediate_win()
    {
        let won = AlphaBetaReport::unsearched(PROVEN_WIN - 1, vec![action]);
        return AlphaBetaReport { depth: 1, seldepth: 1, nodes: worker.budget.nodes, is_final: true, ..won };
    }
    let mut movement = 0;
    let mut depth = 1;
    while depth <= task.depth {
        worker.budget.allow_nodes(task.nodes.filter(|_| depth > 1));
        let guesses_before = worker.guesses;
        let extensions = EXTENSIONS + depth / 2;
        let place = NodeContext { ply: 0, depth, extensions, repeated: task.repeated };
        let finding = match worker.selectivity {
            Selectivity::Full => widening(worker, position, &mut moves, place, report.score, movement),
            Selectivity::Exact => all_best(worker, position, &mut moves, place),
        };
        if let Some(score) = finding.score {
            movement = (movement + (score - report.score).abs()) / 2;
            report.score = score;
        }
        if !finding.best.is_empty() {
            report.best = finding.best;
            let length = (depth as usize).max(report.principal_variation.len());
            report.principal_variation = worker.principal_variation(position, report.best[0], task.repeated, length);
        }
        report.is_final = !finding.is_stopped && is_final(report.score, worker.guesses != guesses_before);
        let is_stopped = finding.is_stopped || look_at_others(worker, position, &mut moves, place, task, &mut report);
        report.nodes = worker.budget.nodes;
        report.seldepth = worker.seldepth;
        if finding.is_stopped {
            break;
        }
        report.depth = depth;
        on_depth(&report);
        if is_stopped {
            break;
        }
        if report.is_final || worker.budget.is_mostly_spent() {
            break;
        }
        depth += 1 + task.skipped;
    }
    report
}

/// What one depth has come to; if it was stopped, as far as that is better than what the depth before found.
struct Finding {
    best: Vec<Action>,
    score: Option<i32>,
    is_stopped: bool,
}

/// Looks at the next best of `moves`, which stand behind the best, as closely as at the best; whether there is no more time.
fn look_at_others<G: Tactics>(
    worker: &mut Worker,
    position: &G,
    moves: &mut [Candidate],
    place: NodeContext,
    task: Task,
    report: &mut AlphaBetaReport,
) -> bool {
    let is_over = is_proven(report.score) && report.score > 0;
    if worker.selectivity == Selectivity::Exact || is_over {
        return false;
    }
    for line in 1..task.lines.min(moves.len()) {
        let known = report.others.get(line - 1).map_or(report.score, |other| other.score);
        let finding = widening(worker, position, &mut moves[line..], place, known, 0);
        let (Some(score), Some(&first)) = (finding.score, finding.best.first()) else { return finding.is_stopped };
        let actions = worker.principal_variation(position, first, task.repeated, place.depth as usize);
        report.others.truncate(line - 1);
        report.others.push(ScoredLine { score, actions });
        if finding.is_stopped {
            return true;
        }
    }
    false
}

/// The best move at one depth, by windows around `expected` that are widened until the score lies inside.
fn widening<G: Tactics>(
    worker: &mut Worker,
    position: &G,
    moves: &mut [Candidate],
    place: NodeContext,
    expected: i32,
    movement: i32,
) -> Finding {
    let mut delta = WINDOW + movement;
    let (mut low, mut high) = match place.depth {
        1 => (-INFINITY, INFINITY),
        _ => ((expected - delta).max(-INFINITY), (expected + delta).min(INFINITY)),
    };
    let mut best = Vec::new();
    loop {
        let (mut alpha, mut score) = (low, -INFINITY);
        for index in 0..moves.len() {
            if moves[index].is_remote && score > -HEURISTIC_LIMIT {
                worker.guesses += 1;
                continue;
            }
            let Ok(found) = worker.try_move(position, moves[index], index, place, alpha, high) else {
                let score = (!best.is_empty()).then_some(alpha).filter(|&alpha| alpha > low);
                return Finding { best, score, is_stopped: true };
            };
            score = score.max(found);
            if found > alpha {
                alpha = found;
                best = vec![moves[index].action];
                // The best so far comes first from now on, the others stay in their order.
                moves[..=index].rotate_right(1);
                if found >= high {
                    break;
                }
            }
        }
        delta *= 3;
        if score <= low && low > -INFINITY {
            low = (score.min(expected) - delta).max(-INFINITY);
        } else if score >= high && high < INFINITY {
            high = (score.max(expected) + delta).min(INFINITY);
        } else {
            return Finding { best, score: Some(score), is_stopped: false };
        }
        // Far from what was expected lies a proven result: no window helps there.
        if delta > 40 * WINDOW + 4 * movement {
            (low, high) = (-INFINITY, INFINITY);
        }
    }
}

/// All best moves at one depth.
fn all_best<G: Tactics>(worker: &mut Worker, position: &G, moves: &mut Vec<Candidate>, place: NodeContext) -> Finding {
    let mut best = -INFINITY;
    let mut scored: Vec<(i32, Candidate)> = Vec::with_capacity(moves.len());
    for &candidate in moves.iter() {
        // The window opens one below the best score, so that an equal one is exact, too.
        let alpha = (best - 1).max(-INFINITY);
        match worker.try_move(position, candidate, 0, place, alpha, INFINITY) {
            Ok(score) => {
                best = best.max(score);
                scored.push((score, candidate));
            }
            Err(Stopped) => return Finding { best: Vec::new(), score: None, is_stopped: true },
        }
    }
    scored.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    moves.clear();
    moves.extend(scored.iter().map(|&(_, candidate)| candidate));
    let equals = scored.iter().take_while(|&&(score, _)| score == best);
    let mut actions: Vec<Action> = equals.map(|(_, candidate)| candidate.action).collect();
    actions.sort_unstable();
    Finding { best: actions, score: Some(best), is_stopped: false }
}
