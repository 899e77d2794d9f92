//! What a search tells about its root.

use selfplay_env::{Action, Game, Wdl};

use super::Search;
use crate::report::{MoveReport, SearchReport, preferred, sort_moves};
use crate::tree::ROOT;

impl<G: Game> Search<G> {
    /// What is known about the root.
    pub fn report(&self) -> SearchReport {
        let root = self.tree.node(ROOT);
        let mut moves = if root.is_expanded() { self.moves_of(ROOT) } else { self.unsearched_moves() };
        sort_moves(&mut moves);
        SearchReport {
            simulations: self.simulations,
            wdl: root.wdl_for(root.side).unwrap_or(Wdl::UNIFORM),
            proven: root.proven,
            moves,
            principal_variation: self.principal_variation(),
        }
    }

    /// Every move of the expanded `node`, in the order of its edges.
    fn moves_of(&self, node: usize) -> Vec<MoveReport> {
        let children = self.tree.children(node);
        let side = self.tree.node(node).side;
        let node_value = self.tree.node(node).value_for(side).unwrap_or(0.0);
        let report = |(ordinal, (&action, &prior)): (usize, (&Action, &f32))| {
            let child = children.get(ordinal);
            // Without the solver a finished game is a sample like any other.
            let proven = child.and_then(|child| child.proven).filter(|_| self.config.solver);
            MoveReport {
                action,
                visits: child.map_or(0, |child| child.visits),
                q: child.and_then(|child| child.value_for(side)).unwrap_or(node_value),
                prior,
                proven: proven.map(|outcome| outcome.value_for(side)),
            }
        };
        self.tree.actions(node).iter().zip(self.tree.priors(node)).enumerate().map(report).collect()
    }

    /// Every move of the root before its evaluation: all alike.
    fn unsearched_moves(&self) -> Vec<MoveReport> {
        let mut actions = Vec::new();
        self.position.distinct_actions(&mut actions);
        let prior = 1.0 / actions.len() as f32;
        actions.iter().map(|&action| MoveReport { action, visits: 0, q: 0.0, prior, proven: None }).collect()
    }

    fn principal_variation(&self) -> Vec<Action> {
        let mut line = Vec::new();
        let mut node = ROOT;
        loop {
            let moves = self.moves_of(node);
            let Some(next) = preferred(&moves).filter(|next| next.visits > 0) else { return line };
            line.push(next.action);
            // Moves stand in the order of the edges, and a visited one has a child.
            let ordinal = moves.iter().take_while(|m| m.action != next.action).count();
            node = self.tree.child_index(node, ordinal);
        }
    }
}
