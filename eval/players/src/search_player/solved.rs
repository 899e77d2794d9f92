//! What solvers say of a move: the game's own, or the one for the ends of all games.

use selfplay_env::{Action, Game, Outcome, OwnSolver, Symmetric, Tactics};

use super::config::Verification;
use super::prover::{Budget, Effort, Opinion};
use crate::alphabeta::Memory;
use crate::alphabeta_report::Proof;
use crate::solver::Endgame;

/// Memory in MiB of the table of the game's own solver.
const MEMORY_MIB: u32 = 64;
/// Under a limit of time the solver for ends is taken to look at so many positions in a millisecond.
const NODES_PER_MS: u64 = 500;

/// A game's own solver, if it has one, and the one for ends if it has none; neither where no proofs are asked for.
pub(super) struct Solved<G> {
    solver: Option<Box<dyn OwnSolver<G>>>,
    endgame: Option<Endgame>,
}

/// What is known of a move's position.
pub(super) enum Verdict {
    /// Won or lost, with the move that wins soonest or resists longest.
    Decided(Opinion),
    /// Lost, with the plies to the end after each move, itself included; `None` where the effort did not suffice.
    Lost(Vec<(Action, Option<u32>)>),
    /// Drawn, with each move's result.
    Drawn(Vec<(Action, Outcome)>),
}

impl<G: Tactics + Symmetric> Solved<G> {
    /// Solvers that have proven nothing yet.
    pub fn new(verify: Verification) -> Self {
        let solver = if verify == Verification::On { G::solver(MEMORY_MIB) } else { None };
        let endgame = (verify == Verification::On && solver.is_none()).then(Endgame::default);
        Solved { solver, endgame }
    }

    /// Begins a move; what was found in earlier ones is used if `memory` says so.
    pub fn begin(&mut self, memory: Memory) {
        if memory == Memory::Keep {
            return;
        }
        if self.solver.is_some() {
            self.solver = G::solver(MEMORY_MIB);
        }
        if let Some(endgame) = &mut self.endgame {
            endgame.forget();
        }
    }

    /// Whether the solver for ends is likely to find the value of `position`, which `plies_played` have led to, within
    /// `effort`.
    pub fn is_small(&self, position: &G, plies_played: usize, effort: Effort) -> bool {
        let in_time = effort.time.least().map(|time| time.as_millis() as u64 * NODES_PER_MS);
        let nodes = in_time.into_iter().chain(effort.nodes).min().unwrap_or(u64::MAX);
        self.endgame.is_some() && Endgame::is_small(position, plies_played, nodes)
    }

    /// The result of `position`, which `plies_played` have led to, as the solver for ends finds it within `budget`.
    pub fn outcome(&mut self, position: &G, plies_played: usize, budget: &mut Budget) -> Option<Outcome> {
        self.endgame.as_mut()?.outcome(position, plies_played, &mut |more| budget.spend(more))
    }

    /// What the game's own solver says of `position`, a running game, within `effort`; `None` without one.
    pub fn verdict(&mut self, position: &G, effort: Effort) -> Option<Verdict> {
        let solver = self.solver.as_mut()?;
        let mut budget = Budget::for_effort(effort);
        let mut may_go_on = |more| budget.spend(more);
        let side = position.side_to_move();
        let outcome = solver.outcome(position, &mut may_go_on)?;
        let successors = successors(position);
        if outcome == Outcome::Draw {
            let results = successors.into_iter().map(|(action, after)| {
                Some((action, after.outcome().or_else(|| solver.outcome(&after, &mut may_go_on))?))
            });
            return results.collect::<Option<Vec<_>>>().map(Verdict::Drawn);
        }
        let is_won = outcome == Outcome::Win(side);
        // A win must be known to be one before it is chosen; where all loses, nothing is given away by what is not known.
        let mut candidates = Vec::new();
        for (action, after) in successors {
            let result = if is_won { after.outcome().or_else(|| solver.outcome(&after, &mut may_go_on)) } else { None };
            if !is_won || result == Some(outcome) {
                candidates.push((action, after));
            }
        }
        let distances = distances(solver.as_mut(), candidates, &mut budget);
        let known = distances.iter().filter_map(|&(action, distance)| Some((action, distance?)));
        let best = if is_won { known.min_by_key(|&(_, plies)| plies) } else { known.max_by_key(|&(_, plies)| plies) };
        if !is_won && distances.iter().any(|(_, distance)| distance.is_none()) {
            return Some(Verdict::Lost(distances));
        }
        let best = best.map(|(action, plies)| (action, Some(plies))).or_else(|| distances.first().copied());
        best.map(|(best, distance)| {
            let proof = Some(Proof { outcome, distance });
            Verdict::Decided(Opinion { best, proof, line: vec![best], depth: distance.unwrap_or(0) })
        })
    }
}

/// Plies to the end of the game from before each of the actions to `successors`; `None` where `budget` did not suffice.
///
/// What is left is shared out equally among those that are open, so that one that takes long leaves something for the
/// others; what these leave goes to it in the next round.
fn distances<G: Game>(
    solver: &mut dyn OwnSolver<G>,
    successors: Vec<(Action, G)>,
    budget: &mut Budget,
) -> Vec<(Action, Option<u32>)> {
    let over = |after: &G| after.outcome().map(|_| 1);
    let mut distances: Vec<Option<u32>> = successors.iter().map(|(_, after)| over(after)).collect();
    loop {
        let open: Vec<usize> = (0..successors.len()).filter(|&index| distances[index].is_none()).collect();
        for (number, &index) in open.iter().enumerate() {
            let mut part = Budget::for_effort(budget.part((open.len() - number) as u32));
            let ending = solver.ending(&successors[index].1, &mut |more| part.spend(more));
            budget.spend(part.positions());
            distances[index] = ending.map(|ending| ending.turns + 1);
        }
        let has_found = open.iter().any(|&index| distances[index].is_some());
        if !has_found || !budget.spend(0) {
            return successors.into_iter().map(|(action, _)| action).zip(distances).collect();
        }
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
