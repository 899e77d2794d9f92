//! Verification by the solver that a game brings along.

use std::cell::Cell;
use std::time::{Duration, Instant};

use selfplay_env::{Game, OwnSolver};

use super::{Bounds, SolveConfig, SolveProgress, SolveReport};

/// What `solver` proves of `position`, a running game, within the limits of `config`.
pub fn solve_by<G: Game>(
    mut solver: Box<dyn OwnSolver<G>>,
    position: &G,
    config: &SolveConfig,
    progress: &mut impl FnMut(&SolveProgress),
) -> SolveReport {
    let mut report = SolveReport::nothing_of(position, config.goal);
    let deadline = config.time_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
    // The solver counts, and progress is told the count meanwhile.
    let nodes = Cell::new(0);
    let mut may_go_on = |more: u64| {
        nodes.set(nodes.get() + more);
        config.nodes.is_none_or(|most| nodes.get() < most) && deadline.is_none_or(|deadline| Instant::now() < deadline)
    };
    // The value first: it is found sooner, and what it takes is of use for the rest.
    let side = position.side_to_move();
    if let Some(outcome) = solver.outcome(position, &mut may_go_on) {
        report.bounds = Bounds::exactly(outcome.value_for(side));
        report.turns = solver.ending(position, &mut may_go_on).map(|ending| ending.turns);
    }
    progress(&report.progress(nodes.get(), None));
    for index in 0..report.actions.len() {
        let mut after = position.clone();
        after.play(report.actions[index].0);
        let outcome = after.outcome().or_else(|| solver.outcome(&after, &mut may_go_on));
        let Some(outcome) = outcome else { break };
        report.actions[index].1 = Bounds::exactly(outcome.value_for(side));
        progress(&report.progress(nodes.get(), None));
    }
    report.nodes = nodes.get();
    report
}
