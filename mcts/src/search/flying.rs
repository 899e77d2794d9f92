//! Leaves in flight: the paths to them are avoided until they are answered or given up.

use selfplay_env::Tactics;

use super::Search;
use crate::tree::{ROOT, Tree};

impl<G: Tactics> Search<G> {
    /// Makes selection avoid the current path until it is given up or answered.
    pub(super) fn avoid_path(&mut self) {
        for &node in &self.path {
            self.tree.node_mut(node).in_flight += 1;
        }
        self.refresh_path();
    }

    pub(super) fn leaves_in_flight(&self) -> usize {
        if self.is_path_in_flight { 1 } else { self.flights.len() }
    }

    /// Forgets the leaves in flight. Their nodes stay as unevaluated leaves.
    pub(super) fn give_up_flights(&mut self) {
        self.give_up_collisions();
        for flight in 0..self.flights.len() {
            retrace(&self.tree, self.flights.get(flight), &mut self.path, &mut self.path_ordinals);
            self.stop_avoiding_path();
        }
        self.flights.clear();
        if std::mem::take(&mut self.is_path_in_flight) {
            self.refresh_path();
        }
    }

    pub(super) fn give_up_collisions(&mut self) {
        for collision in 0..self.collisions.len() {
            retrace(&self.tree, self.collisions.get(collision), &mut self.path, &mut self.path_ordinals);
            self.stop_avoiding_path();
        }
        self.collisions.clear();
    }

    fn stop_avoiding_path(&mut self) {
        for &node in &self.path {
            self.tree.node_mut(node).in_flight -= 1;
        }
        self.refresh_path();
    }
}

/// Finds the nodes along the children with numbers `ordinals` and leaves both in `path` and `path_ordinals`.
pub(super) fn retrace(tree: &Tree, ordinals: &[u16], path: &mut Vec<usize>, path_ordinals: &mut Vec<u16>) {
    path_ordinals.clear();
    path_ordinals.extend_from_slice(ordinals);
    path.clear();
    path.push(ROOT);
    let mut node = ROOT;
    for &ordinal in ordinals {
        node = tree.child_index(node, usize::from(ordinal));
        path.push(node);
    }
}
