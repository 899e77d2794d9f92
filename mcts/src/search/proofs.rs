//! Results known for certain: those the tree finds, and those it receives.

use selfplay_env::{Action, Outcome, Tactics};

use super::Search;
use crate::select::terms_of;
use crate::solver::{proven_by_children, shown_by_children};
use crate::stages::{Stage, in_stage};
use crate::tree::{KnownResult, ROOT};

impl<G: Tactics> Search<G> {
    /// Records that the position after the distinct `action` ends in `outcome` under perfect play, as proven outside
    /// this search. `plies` is the number of plies to the end of the game, the action included, if known. From now on
    /// the result counts like a proof of the solver: simulations avoid a loss, and the root is proven by a win, or once
    /// all its moves are proven.
    ///
    /// Returns whether it is noted: not without the [solver](crate::SearchConfig::mcts_solver), before the root is evaluated,
    /// for an action that the search does not look at here, or where the result of the action is known already. A distance
    /// is noted then all the same.
    pub fn prove_move(&mut self, action: Action, outcome: Outcome, plies: Option<u32>) -> bool {
        self.give_up_flights();
        if !self.config.mcts_solver {
            return false;
        }
        let Some(ordinal) = self.tree.actions(ROOT).iter().position(|&other| other == action) else { return false };
        if let Some(proven) = self.tree.children(ROOT).get(ordinal).and_then(|child| child.proven) {
            if plies.is_some() && proven == outcome {
                self.note_distance(action, plies);
            }
            return false;
        }
        let ordinal = self.give_child(ordinal, action);
        let child = self.tree.child_index(ROOT, ordinal);
        // The rules know best where the game is over.
        let result = *self.tree.node_mut(child).proven.get_or_insert(outcome);
        if result == outcome {
            self.note_distance(action, plies);
        }
        let (side, edge_count) = (self.tree.node(ROOT).side, self.tree.actions(ROOT).len());
        let terms = terms_of(&self.config, self.tree.node(child), side, self.tree.priors(ROOT)[ordinal]);
        self.tree.set_terms(child, terms);
        if self.proven().is_none() {
            self.tree.node_mut(ROOT).proven = proven_by_children(side, edge_count, self.tree.children(ROOT), result);
        }
        true
    }

    /// Records the distance to the end after `action`, whose result [`Self::prove_move`] received.
    fn note_distance(&mut self, action: Action, plies: Option<u32>) {
        self.told_plies.retain(|&(told, _)| told != action);
        self.told_plies.push((action, plies));
    }

    /// The position's result as far as the search takes it for known without searching. [`advance`](Search::advance)
    /// forgets it, because a move has to be found that keeps it; a game may be ended with it all the same.
    pub fn foreseen(&self) -> Option<Outcome> {
        self.known_outcome(&self.position)
    }

    /// The result of `position` as far as the search takes it for known without searching.
    fn known_outcome(&self, position: &G) -> Option<Outcome> {
        in_stage(Stage::Rules, || self.config.known_outcome(position))
    }

    /// [`known_outcome`](Self::known_outcome) with the distance of the end.
    pub(super) fn known_result(&self, position: &G) -> Option<KnownResult> {
        in_stage(Stage::Rules, || self.config.known_result(position))
    }

    /// Marks the moves of the evaluated root whose results are certain without a search: those that win at once, those
    /// that let the opponent win at once, and what tactics tell. Every move is looked at, so that of several wins the
    /// shortest is played, and of losses the longest.
    pub(super) fn look_ahead_at_root(&mut self) {
        if !self.config.mcts_solver {
            return;
        }
        for action in self.tree.actions(ROOT).to_vec() {
            let mut successor = self.position.clone();
            successor.play(action);
            let known = in_stage(Stage::Rules, || self.config.known_at_root(&successor));
            let Some(KnownResult { outcome, plies }) = known else { continue };
            self.prove_move(action, outcome, plies.map(|plies| plies + 1));
        }
    }

    /// Sees to it that the root's edge `ordinal` has a child; where the edge stands now.
    fn give_child(&mut self, ordinal: usize, action: Action) -> usize {
        let child_count = self.tree.child_count(ROOT);
        if ordinal < child_count {
            return ordinal;
        }
        self.tree.bring_forward(ROOT, ordinal);
        if let Some(gumbel) = &mut self.gumbel {
            gumbel.swap(child_count, ordinal);
        }
        self.cursor.clone_from(&self.position);
        self.cursor.play(action);
        self.tree.add_child(ROOT, self.cursor.side_to_move(), self.known_result(&self.cursor));
        child_count
    }

    /// Discards the tree if its root has a result that its moves do not show. Such a result was supplied through
    /// [`Self::prove_move`], and the tree has no move that is known to preserve it.
    pub(super) fn forget_foreign_proof(&mut self) {
        let root = self.tree.node(ROOT);
        let (side, edge_count) = (root.side, self.tree.actions(ROOT).len());
        let is_open = root.proven.is_some() && self.position.outcome().is_none();
        if is_open && (edge_count == 0 || shown_by_children(side, edge_count, self.tree.children(ROOT)).is_none()) {
            self.tree.reset(side, None);
        }
    }

    /// Carries the known `outcome` at the end of the current path upwards as far as it proves anything.
    pub(super) fn prove_path(&mut self, outcome: Outcome) {
        if !self.config.mcts_solver {
            return;
        }
        let mut news = outcome;
        for &node in self.path.iter().rev().skip(1) {
            let (side, edge_count) = (self.tree.node(node).side, self.tree.actions(node).len());
            let Some(proven) = proven_by_children(side, edge_count, self.tree.children(node), news) else { break };
            self.tree.node_mut(node).proven = Some(proven);
            news = proven;
        }
    }
}
