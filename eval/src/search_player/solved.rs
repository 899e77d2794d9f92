//! What a game's own solver says of a decision.

use std::time::Instant;

use selfplay_env::{Action, Advice, Game, Outcome, OwnSolver};
use selfplay_mcts::cpu_time::ThreadTime;

use super::config::Proofs;
use super::prover::{Effort, Opinion};
use crate::alphabeta::Memory;
use crate::alphabeta_report::Proof;

/// Memory in MiB of the solver's table.
const MEMORY_MIB: u32 = 64;

/// A game's own solver, if it has one and proofs are asked for.
pub(super) struct Solved<G> {
    solver: Option<Box<dyn OwnSolver<G>>>,
}

/// What is known of a decision's position.
pub(super) enum Verdict {
    /// Won or lost, with the decision that wins soonest or resists longest, as far as the effort tells.
    Decided(Opinion),
    /// Drawn, with each decision's result.
    Drawn(Vec<(Action, Outcome)>),
}

impl<G: Advice> Solved<G> {
    /// A solver that has proven nothing yet.
    pub fn new(proofs: Proofs) -> Self {
        Solved { solver: if proofs == Proofs::On { G::solver(MEMORY_MIB) } else { None } }
    }

    /// Begins a decision; what was found in earlier ones is used if `memory` says so.
    pub fn begin(&mut self, memory: Memory) {
        if memory == Memory::Forget && self.solver.is_some() {
            self.solver = G::solver(MEMORY_MIB);
        }
    }

    /// What it says of `position`, a running game, within `effort`; `None` without a solver.
    pub fn verdict(&mut self, position: &G, effort: Effort) -> Option<Verdict> {
        let solver = self.solver.as_mut()?;
        let (start, cpu) = (Instant::now(), ThreadTime::now());
        let mut positions = 0;
        let mut may_go_on = |more| {
            positions += more;
            effort.nodes.is_none_or(|most| positions < most)
                && effort.time.wall.is_none_or(|most| start.elapsed() < most)
                && effort.time.cpu.is_none_or(|most| cpu.elapsed() < most)
        };
        let side = position.side_to_move();
        let outcome = solver.outcome(position, &mut may_go_on)?;
        let successors = successors(position);
        if outcome == Outcome::Draw {
            let results = successors.into_iter().map(|(action, after)| {
                Some((action, after.outcome().or_else(|| solver.outcome(&after, &mut may_go_on))?))
            });
            return results.collect::<Option<Vec<_>>>().map(Verdict::Drawn);
        }
        // A win must be known to be one before it is chosen; where all loses, nothing is given away by what is not known.
        let (mut best, mut best_distance) = (None, None);
        for (action, after) in successors {
            if outcome == Outcome::Win(side) {
                let result = after.outcome().or_else(|| solver.outcome(&after, &mut may_go_on));
                if result != Some(outcome) {
                    continue;
                }
            }
            let distance = match after.outcome() {
                Some(_) => Some(1),
                None => solver.ending(&after, &mut may_go_on).map(|ending| ending.turns + 1),
            };
            let is_better = match (distance, best_distance) {
                (Some(new), Some(old)) => (new < old) == (outcome == Outcome::Win(side)) && new != old,
                (Some(_), None) => true,
                (None, _) => best.is_none(),
            };
            if is_better {
                (best, best_distance) = (Some(action), distance);
            }
        }
        let proof = Some(Proof { outcome, distance: best_distance });
        best.map(|best| Verdict::Decided(Opinion { best, proof, line: vec![best] }))
    }
}

fn successors<G: Game>(position: &G) -> Vec<(Action, G)> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let after = |action| {
        let mut after = position.clone();
        after.play(action);
        (action, after)
    };
    actions.into_iter().map(after).collect()
}
