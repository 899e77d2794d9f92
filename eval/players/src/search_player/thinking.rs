//! One move by tree search and alpha-beta together.
//!
//! Alpha-beta sees every move up to its horizon and so never misses a short forced win; the tree search judges better
//! and looks further along what matters. So alpha-beta looks first whether the position is won by force, then the tree
//! search chooses, and alpha-beta verifies the choice. A move that loses by force is marked in the tree, which chooses
//! again. A solver of the game's own is asked before both, where there is one. Elsewhere, where little of the game is
//! left, one that plays all games to their ends checks the choice: the first move of the tree that keeps the position's
//! value is played.

use selfplay_env::{Action, Outcome, Symmetric, Tactics, Wdl};
use selfplay_mcts::{CachedEvaluator, Deadline, Evaluator, MoveReport, Search, SearchReport, run_until};

use super::prover::{Budget, Effort, Opinion, Prover};
use super::solved::{Solved, Verdict};
use crate::alphabeta_report::Proof;

/// Share of the planned time for a proof before the tree search, and for each check after it.
const FIRST_SHARE: f64 = 0.1;
const CHECK_SHARE: f64 = 0.15;
/// Share of the planned time for a solver, and positions for each simulation: under a limit of simulations most of the time goes
/// to it where it needs them, since what it finds cannot be bettered.
const SOLVER_SHARE: f64 = 0.4;
const SOLVER_NODES: u64 = 1000;
/// Share of time and simulations after which the tree search's choice is checked for the first time.
const FIRST_CHECK: f64 = 0.8;
/// Under a limit of simulations, positions for alpha-beta for each of these: in all, in the proof before the search, and
/// at most in each check.
const NODES: u64 = 50;
const FIRST_NODES: u64 = 20;
const CHECK_NODES: u64 = 10;
/// Under a limit of simulations, positions for the search of the shortest win or the longest resistance, at least and at
/// most.
const MIN_DISTANCE_NODES: u64 = 2_000;
const MAX_DISTANCE_NODES: u64 = 20_000;

/// What is to be decided, and with what.
pub(super) struct Thinking<'a, G> {
    pub search: &'a mut Search<G>,
    /// Those that have led to the position.
    pub plies_played: usize,
    pub evaluator: &'a mut CachedEvaluator<G, Box<dyn Evaluator<G> + Send>>,
    pub leaves_per_gather: usize,
    pub prover: &'a mut Prover,
    pub solved: &'a mut Solved<G>,
    pub deadline: &'a mut Deadline,
}

/// A move and its reasons.
pub(super) struct SearchedMove {
    pub action: Action,
    pub report: SearchReport,
    /// The result after the move, where alpha-beta has proven it.
    pub proof: Option<Proof>,
}

impl<G: Tactics + Symmetric> Thinking<'_, G> {
    /// Searches the tree until the deadline and lets `pick` choose from its report.
    pub fn alone(mut self, pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        let report = self.run();
        self.decided(report, pick)
    }

    /// The choice from `report`. Where the result is proven, alpha-beta may know a shorter win or a longer resistance than
    /// the tree and the tactics that proved it: these stop at the first proof.
    fn decided(self, report: SearchReport, pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        let action = pick(&report);
        let plies = report.moves.iter().find(|m| m.action == action).and_then(|m| m.plies);
        let is_short = plies.is_some_and(|plies| plies <= 1);
        let (Some(outcome @ Outcome::Win(_)), false, 2..) = (report.proven, is_short, report.moves.len()) else {
            return SearchedMove { action, report, proof: None };
        };
        let nodes = self.deadline.simulations().map(|simulations| NODES * u64::from(simulations));
        let effort = Effort {
            time: self.deadline.allot(CHECK_SHARE),
            nodes: nodes.map(|nodes| nodes.clamp(MIN_DISTANCE_NODES, MAX_DISTANCE_NODES)),
        };
        let opinion = self.prover.look(&self.search.position().clone(), effort);
        let is_lost = outcome != self.won();
        match opinion.proof {
            Some(Proof { outcome: seen, distance: Some(_) }) if seen == outcome => self.settled(opinion),
            // What alpha-beta has not seen lose within its depth resists longer than what loses within it.
            None if is_lost && plies.is_some_and(|plies| plies <= opinion.depth) => {
                let mut report = report;
                let resisting = report.moves.iter_mut().find(|m| m.action == opinion.best);
                resisting.into_iter().for_each(|m| m.plies = None);
                SearchedMove { action: opinion.best, report, proof: None }
            }
            _ => SearchedMove { action, report, proof: None },
        }
    }

    /// The result that is a win for the side to move.
    fn won(&self) -> Outcome {
        Outcome::Win(self.search.position().side_to_move())
    }

    /// Chooses with the help of alpha-beta; `pick` chooses from the reports of the tree search. The position must have
    /// more than one distinct action.
    pub fn with_proofs(mut self, pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        let position = self.search.position().clone();
        let side = position.side_to_move();
        let (won, lost) = (Outcome::Win(side), Outcome::Win(side.opponent()));

        // Step 0. A solver that knows the game leaves nothing to prove; the tree chooses among what draws.
        match self.solved.verdict(&position, self.solver_effort(SOLVER_SHARE)) {
            Some(Verdict::Decided(opinion)) => return self.settled(opinion),
            Some(Verdict::Drawn(results)) => return self.drawn(&results, pick),
            Some(Verdict::Lost(distances)) => return self.lost(&distances, pick),
            None => {}
        }

        // Step 1. Before the tree search: is the position decided?
        let first = if self.search.is_decided() { None } else { self.look(&position, FIRST_SHARE, FIRST_NODES) };
        let outcome = first.as_ref().and_then(|opinion| opinion.proof).map(|proof| proof.outcome);
        if let Some(opinion) = first.clone().filter(|_| outcome == Some(won) || outcome == Some(lost)) {
            return self.settled(opinion);
        }

        // Step 2. Where little is left of the game, the tree chooses among the moves that keep its value.
        if let Some(thought) = self.keeping_the_value(&position, &pick) {
            return thought;
        }

        // Step 3. The tree search chooses, alpha-beta checks.
        self.deadline.pause_at(FIRST_CHECK);
        let mut checked: Vec<(Action, Option<Proof>)> = Vec::new();
        let (report, action) = loop {
            let report = self.run();
            self.deadline.pause_at(1.0);
            if report.proven == Some(lost) || report.proven == Some(won) {
                // Step 4. The shortest win, or where all moves lose, the longest resistance.
                return self.decided(report, pick);
            }
            let action = pick(&report);
            let is_known = report.moves.iter().any(|m| m.action == action && m.proven.is_some());
            if is_known || checked.iter().any(|&(other, _)| other == action) {
                break (report, action);
            }
            let Some(effort) = self.effort(CHECK_SHARE, CHECK_NODES) else { break (report, action) };
            let proof = self.prover.prove_after(&position, action, effort);
            checked.push((action, proof));
            if let Some(proof) = proof {
                self.search.prove_move(action, proof.outcome, proof.distance);
            }
        };
        let proof = checked.into_iter().find(|&(other, _)| other == action).and_then(|(_, proof)| proof);

        // Step 5. A draw in hand is worth more than a move of which nothing is known where there is no more to be had.
        let is_certain = proof.is_some() || report.proven.is_some();
        match first.filter(|_| outcome == Some(Outcome::Draw) && !is_certain) {
            Some(opinion) => SearchedMove { action: opinion.best, proof: opinion.proof, report },
            None => SearchedMove { action, proof, report },
        }
    }

    /// The tree's choice among the moves that keep the position's value; `None` where the solver for ends does not find them,
    /// and where all lose, since that solver does not know which resists longest.
    fn keeping_the_value(&mut self, position: &G, pick: impl Fn(&SearchReport) -> Action) -> Option<SearchedMove> {
        let effort = self.solver_effort(SOLVER_SHARE);
        if self.search.is_decided() || !self.solved.is_small(position, self.plies_played, effort) {
            return None;
        }
        let worth = self.solved.outcome(position, self.plies_played, &mut Budget::for_effort(effort))?;
        let side = position.side_to_move();
        if worth == Outcome::Win(side.opponent()) {
            return None;
        }
        let mut chosen = None;
        for share in [FIRST_CHECK, 1.0] {
            self.deadline.pause_at(share);
            let report = self.run();
            chosen = self.first_that_keeps(position, worth, pick(&report), &report).or(chosen);
        }
        let mut report = self.search.report();
        (report.proven, report.wdl) = (Some(worth), Wdl::certain(worth, side));
        let proof = Some(Proof { outcome: worth, distance: None });
        chosen.map(|action| SearchedMove { action, proof, report })
    }

    /// The first move after which `position` is still `worth` as much: `picked`, or another in the order of `report`. The tree
    /// receives the result of each. `None` if that takes too long.
    fn first_that_keeps(
        &mut self,
        position: &G,
        worth: Outcome,
        picked: Action,
        report: &SearchReport,
    ) -> Option<Action> {
        let mut others = Vec::new();
        position.distinct_actions(&mut others);
        others.retain(|&action| action != picked);
        // Those that the tree has not looked at come last.
        others.sort_by_key(|action| report.moves.iter().position(|m| m.action == *action).unwrap_or(usize::MAX));
        let mut budget = Budget::for_effort(self.solver_effort(CHECK_SHARE));
        for action in std::iter::once(picked).chain(others) {
            let mut after = position.clone();
            after.play(action);
            let outcome = self.solved.outcome(&after, self.plies_played + 1, &mut budget)?;
            self.search.prove_move(action, outcome, None);
            if outcome == worth {
                return Some(action);
            }
        }
        None
    }

    /// The choice where the game's own solver knows that all moves lose, and after which of them how soon. Those whose end
    /// it did not find in its time resist longer than the others; among these the tree chooses.
    fn lost(mut self, distances: &[(Action, Option<u32>)], pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        let side = self.search.position().side_to_move();
        self.run();
        for &(action, distance) in distances {
            self.search.prove_move(action, Outcome::Win(side.opponent()), distance);
        }
        let mut report = self.search.report();
        let is_open = |m: &MoveReport| distances.iter().any(|&(action, far)| action == m.action && far.is_none());
        let most_visited = report.moves.iter().find(|m| is_open(m)).map(|m| m.action);
        let action = most_visited.unwrap_or_else(|| pick(&report));
        let outcome = Outcome::Win(side.opponent());
        (report.proven, report.wdl) = (Some(outcome), Wdl::certain(outcome, side));
        SearchedMove { action, report, proof: Some(Proof { outcome, distance: None }) }
    }

    /// The tree's choice among the moves that keep a draw.
    fn drawn(mut self, results: &[(Action, Outcome)], pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        self.run();
        for &(action, outcome) in results {
            self.search.prove_move(action, outcome, None);
        }
        let report = self.search.report();
        let mut keeping = results.iter().filter(|(_, outcome)| *outcome == Outcome::Draw).map(|&(action, _)| action);
        let picked = pick(&report);
        // The tree takes no notice of proofs where it could not even begin.
        let action = keeping.clone().find(|&action| action == picked).or_else(|| keeping.next()).unwrap_or(picked);
        SearchedMove { action, proof: Some(Proof { outcome: Outcome::Draw, distance: None }), report }
    }

    /// A move without an evaluation, or next to none, because there is no time: what alpha-beta sees in `effort`,
    /// unless the tree knows the position from before and alpha-beta has no proof.
    pub fn hurried(self, effort: Effort, pick: impl Fn(&SearchReport) -> Action) -> SearchedMove {
        let opinion = self.prover.look(self.search.position(), effort);
        if opinion.proof.is_some() {
            return self.settled(opinion);
        }
        let report = self.search.report();
        let action = if self.search.root_summary().is_some() { pick(&report) } else { opinion.best };
        SearchedMove { action, report, proof: None }
    }

    /// What a solver may cost.
    fn solver_effort(&self, share: f64) -> Effort {
        let nodes = self.deadline.simulations().map(|simulations| SOLVER_NODES * u64::from(simulations));
        Effort { time: self.deadline.allot(share), nodes }
    }

    fn run(&mut self) -> SearchReport {
        run_until(self.search, self.evaluator, self.deadline, self.leaves_per_gather)
    }

    /// What alpha-beta may cost now: `share` of the planned time, and `nodes` positions for each simulation. `None` if
    /// there is nothing left of one of them.
    fn effort(&self, share: f64, nodes: u64) -> Option<Effort> {
        let time = self.deadline.allot(share);
        let nodes_of = |simulations: u32| {
            let left = (NODES * u64::from(simulations)).saturating_sub(self.prover.nodes());
            left.min(nodes * u64::from(simulations))
        };
        let nodes = self.deadline.simulations().map(nodes_of);
        let has_time = time.least().is_none_or(|time| !time.is_zero());
        (has_time && nodes != Some(0)).then_some(Effort { time, nodes })
    }

    fn look(&mut self, position: &G, share: f64, nodes: u64) -> Option<Opinion> {
        self.effort(share, nodes).map(|effort| self.prover.look(position, effort))
    }

    /// Plays what alpha-beta found best, and makes the tree's report say what it has proven.
    fn settled(self, opinion: Opinion) -> SearchedMove {
        let mut report = self.search.report();
        let side = self.search.position().side_to_move();
        if let Some(Proof { outcome, distance }) = opinion.proof {
            report.wdl = Wdl::certain(outcome, side);
            report.proven = Some(outcome);
            report.principal_variation = opinion.line;
            for m in &mut report.moves {
                if m.action == opinion.best || outcome == Outcome::Win(side.opponent()) {
                    m.proven = Some(outcome.value_for(side));
                    m.q = f32::from(outcome.value_for(side));
                }
                if m.action == opinion.best {
                    m.plies = distance;
                } else if outcome == Outcome::Win(side.opponent()) {
                    // Nothing resists longer than the best.
                    m.plies = distance.map(|most| m.plies.map_or(most, |plies| plies.min(most)));
                }
            }
        }
        SearchedMove { action: opinion.best, report, proof: opinion.proof }
    }
}
