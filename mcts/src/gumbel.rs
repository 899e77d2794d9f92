//! The root of a Gumbel search: perturbed moves, sequential halving, the move chosen and the improved policy (Danihelka
//! et al. 2022, "Policy improvement by planning with Gumbel", sections 2 to 4).
//!
//! On a tree kept from earlier moves the schedule counts the visits of this move alone, while values rest on all visits.

use selfplay_env::Action;
use selfplay_env::rng::GameRng;

use crate::config::GumbelConfig;
use crate::improved_policy::{CompletedValues, logit};
use crate::noise::gumbels;
use crate::report::{MoveReport, soundness};
use crate::tree::{ROOT, Tree};

/// The state of a move's Gumbel search at the root, in addition to the tree.
#[derive(Clone, Debug)]
pub(crate) struct GumbelRoot {
    config: GumbelConfig,
    /// Simulations that share the schedule: those announced, without one that evaluates the root.
    simulations: u32,
    /// Moves that the schedule begins with.
    considered: u32,
    /// `g + ln P` of each of the root's moves, in the order of its edges; `g` alone until the root is evaluated.
    perturbed: Vec<f32>,
    /// Visits of each child that the root had when the move began.
    visits_before: Vec<u32>,
    /// Visits of the root before the first that follows the schedule.
    root_visits_before: u32,
}

impl GumbelRoot {
    /// Draws for `move_count` moves and a move of `simulations` in all.
    pub fn new(config: GumbelConfig, simulations: u32, move_count: usize, rng: &mut GameRng) -> Self {
        GumbelRoot {
            config,
            simulations,
            considered: 0,
            perturbed: gumbels(move_count, rng),
            visits_before: Vec::new(),
            root_visits_before: 0,
        }
    }

    /// Learns the priors of the root, which has just been evaluated or was before the move began, and plans the rest of
    /// the move, of which `simulations_done` are over. Called once.
    pub fn plan(&mut self, tree: &Tree, simulations_done: u32) {
        for (perturbed, &prior) in self.perturbed.iter_mut().zip(tree.priors(ROOT)) {
            *perturbed += logit(prior);
        }
        self.visits_before.extend(tree.children(ROOT).iter().map(|child| child.visits));
        self.root_visits_before = tree.node(ROOT).visits;
        self.simulations = self.simulations.saturating_sub(simulations_done);
        let lost = tree.child_terms(ROOT).iter().filter(|terms| terms.is_left_alone()).count();
        self.considered = self.config.max_num_considered_actions.min((self.perturbed.len() - lost) as u32);
    }

    /// How moves are selected below the root.
    pub fn config(&self) -> &GumbelConfig {
        &self.config
    }

    /// Number of the edge that the next simulation follows from the unproven root.
    ///
    /// The schedule says how many visits of this move the edge has. Among the moves not proven to lose that have so
    /// many, it is the one with the greatest `g + ln P + σ(q)`, or `g + ln P` for the first visit. Where none has so
    /// many, because one considered has turned out lost, the moves with the nearest number below take its place.
    pub fn select(&self, tree: &Tree) -> usize {
        let root = tree.node(ROOT);
        let index = root.visits + u32::from(root.in_flight) - self.root_visits_before;
        let due = visits_due(self.considered, self.simulations, index);
        let completed = CompletedValues::for_node(&self.config, tree, ROOT);
        let (child_count, move_count) = (tree.child_count(ROOT), self.perturbed.len());
        let is_candidate = |&ordinal: &usize| tree.child_terms(ROOT).get(ordinal).is_none_or(|t| !t.is_left_alone());
        let rated = |ordinal: usize| {
            let fresh = self.fresh_visits(tree, ordinal);
            let nearness = if fresh <= due { i64::from(fresh) } else { -i64::from(fresh) };
            let sigma = if fresh > 0 { completed.sigma(value_of(tree, ordinal)) } else { 0.0 };
            (nearness, self.perturbed[ordinal] + sigma, ordinal)
        };
        let better = |a: &(i64, f32, usize), b: &(i64, f32, usize)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let best_child = (0..child_count).filter(is_candidate).map(rated).max_by(better);
        match best_child {
            // The moves without a child, whose nearness is 0, need no look.
            Some((1.., _, ordinal)) => ordinal,
            _ => {
                (child_count..move_count).map(rated).chain(best_child).max_by(better).map_or(0, |(.., ordinal)| ordinal)
            }
        }
    }

    /// Notes that two moves of the root, without children so far, have changed places.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.perturbed.swap(a, b);
    }

    /// Writes the improved policy into the target weights of `moves`, which stand in the order of the root's edges, and
    /// returns the action chosen. It is, of those that what is proven leaves worth playing, the greatest `g + ln P + σ(q)` among
    /// the most visited in this move.
    pub fn judge(&self, tree: &Tree, moves: &mut [MoveReport]) -> Option<Action> {
        let completed = CompletedValues::for_node(&self.config, tree, ROOT);
        let is_sound = soundness(moves);
        let sigma = |m: &MoveReport| completed.sigma((m.visits > 0).then_some(m.q));
        let improved = |m: &MoveReport| logit(m.prior) + sigma(m);
        let sound = moves.iter().enumerate().filter(|(_, m)| is_sound(m));
        let choice = sound.clone().max_by(|&(a, a_move), &(b, b_move)| {
            let score = |ordinal: usize, m: &MoveReport| self.perturbed[ordinal] + sigma(m);
            let visits = self.fresh_visits(tree, a).cmp(&self.fresh_visits(tree, b));
            visits.then(score(a, a_move).total_cmp(&score(b, b_move)))
        });
        let choice = choice.map(|(_, m)| m.action);
        let greatest = sound.map(|(_, m)| improved(m)).fold(f32::NEG_INFINITY, f32::max);
        for m in moves {
            m.target_weight = if is_sound(m) { (improved(m) - greatest).exp() } else { 0.0 };
        }
        choice
    }

    /// Visits of the move with number `ordinal` since the move began, leaves in flight included.
    fn fresh_visits(&self, tree: &Tree, ordinal: usize) -> u32 {
        let visits = tree.children(ROOT).get(ordinal).map_or(0, |child| child.visits + u32::from(child.in_flight));
        visits - self.visits_before.get(ordinal).copied().unwrap_or(0)
    }
}

/// Value of the root's move with number `ordinal` for the side that makes it, `None` without visits.
fn value_of(tree: &Tree, ordinal: usize) -> Option<f32> {
    tree.children(ROOT).get(ordinal)?.value_for(tree.node(ROOT).side)
}

/// How many visits a move has that gets simulation `index` (from 0) of `simulations`, under sequential halving of
/// `considered` moves.
///
/// Each of ⌈log₂ considered⌉ phases divides `simulations / ⌈log₂ considered⌉` equally among the remaining moves, at
/// least one for each. The better half advances to the next phase. The last two moves share the remaining simulations.
/// The numbers are those of the reference implementation (`mctx`, `seq_halving.py`).
fn visits_due(considered: u32, simulations: u32, index: u32) -> u32 {
    if considered <= 1 {
        return index;
    }
    let phases = considered.next_power_of_two().ilog2();
    let (mut left, mut visits, mut start) = (considered, 0, 0);
    loop {
        let extra_visits = (simulations / phases / left).max(1);
        let phase = extra_visits * left;
        if index - start < phase {
            return visits + (index - start) / left;
        }
        start += phase;
        visits += extra_visits;
        left = (left / 2).max(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(considered: u32, simulations: u32) -> Vec<u32> {
        (0..simulations).map(|index| visits_due(considered, simulations, index)).collect()
    }

    /// `blocks` of (number of moves, first visits, rounds), one after the other.
    fn rounds(blocks: &[(usize, u32, u32)]) -> Vec<u32> {
        let block =
            |&(moves, first, rounds): &(usize, u32, u32)| (first..first + rounds).flat_map(move |v| vec![v; moves]);
        blocks.iter().flat_map(block).collect()
    }

    #[test]
    fn the_schedule_halves_the_moves() {
        // Exactly n log₂ n simulations: 8 for each of three phases.
        assert_eq!(schedule(8, 24), rounds(&[(8, 0, 1), (4, 1, 2), (2, 3, 4)]));
        // The paper's 200 simulations for 16 moves: phases of at most 50, and what is left for the last two.
        assert_eq!(schedule(16, 200), rounds(&[(16, 0, 3), (8, 3, 6), (4, 9, 12), (2, 21, 28)]));
        // More than fit evenly.
        assert_eq!(schedule(8, 47)[..46], rounds(&[(8, 0, 1), (4, 1, 3), (2, 4, 13)]));
        assert_eq!(schedule(8, 47)[46], 17);
    }

    #[test]
    fn few_simulations_and_odd_numbers_of_moves() {
        assert_eq!(schedule(8, 13), rounds(&[(8, 0, 1), (4, 1, 1), (1, 2, 1)]));
        assert_eq!(schedule(16, 4), [0, 0, 0, 0], "the most promising moves, once each");
        assert_eq!(schedule(7, 24)[..23], rounds(&[(7, 0, 1), (3, 1, 2), (2, 3, 5)]));
        assert_eq!(schedule(5, 12)[..11], rounds(&[(5, 0, 1), (2, 1, 3)]));
        assert_eq!(schedule(2, 5), [0, 0, 1, 1, 2]);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
    }

    #[test]
    fn beyond_the_announced_simulations_the_last_two_go_on() {
        assert_eq!([16, 17, 18].map(|index| visits_due(4, 16, index)), [6, 6, 7]);
    }
}
