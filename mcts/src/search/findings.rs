//! What a search tells about its root.

use selfplay_env::{Action, Outcome, Tactics, Wdl};

use super::Search;
use crate::forced::prune_forced;
use crate::report::{MoveReport, SearchReport, preferred, sort_moves};
use crate::solver::plies_to_end;
use crate::tree::ROOT;

impl<G: Tactics> Search<G> {
    /// What is known about the root.
    pub fn report(&self) -> SearchReport {
        let root = self.tree.node(ROOT);
        let mut moves = if root.is_expanded() { self.moves_of(ROOT) } else { self.unsearched_moves() };
        let choice = self.weigh_moves(&mut moves);
        sort_moves(&mut moves);
        SearchReport {
            simulations: self.simulations,
            wdl: root.wdl_for(root.side).unwrap_or(Wdl::UNIFORM),
            proven: root.proven,
            moves,
            choice,
            principal_variation: self.principal_variation(choice),
        }
    }

    /// The line that begins with the move `first` of the root: after it the preferred moves of both sides, as far as they are
    /// visited. Only `first` if it is not.
    pub fn line_of(&self, first: Action) -> Vec<Action> {
        let line = self.principal_variation(Some(first));
        if line.first() == Some(&first) { line } else { vec![first] }
    }

    /// Gives `moves`, in the order of the root's edges, what only the root of this move knows: the evaluator's own
    /// priors and the weights of the policy target. Returns the choice of a Gumbel search.
    fn weigh_moves(&self, moves: &mut [MoveReport]) -> Option<Action> {
        for m in moves.iter_mut() {
            if let Ok(index) = self.root_without_noise.binary_search_by_key(&m.action, |edge| edge.action) {
                m.evaluator_prior = self.root_without_noise[index].prior;
            }
        }
        let root = self.tree.node(ROOT);
        match &self.gumbel {
            Some(gumbel) if root.is_expanded() => return gumbel.judge(&self.tree, moves),
            None if self.is_forcing() && root.proven.is_none() => prune_forced(&self.config, root.visits, moves),
            _ => {}
        }
        None
    }

    /// Every move of the expanded `node`, in the order of its edges.
    fn moves_of(&self, node: usize) -> Vec<MoveReport> {
        let children = self.tree.children(node);
        let side = self.tree.node(node).side;
        let node_value = self.tree.node(node).value_for(side).unwrap_or(0.0);
        let report = |(ordinal, (&action, &prior)): (usize, (&Action, &f32))| {
            let child = children.get(ordinal);
            // Without the solver a finished game is a sample like any other.
            let proven = child.and_then(|child| child.proven).filter(|_| self.config.mcts_solver);
            let visits = child.map_or(0, |child| child.visits);
            let is_decided = proven.is_some_and(|outcome| outcome != Outcome::Draw);
            let plies = if is_decided { self.plies_after(node, ordinal, action) } else { None };
            MoveReport {
                action,
                visits,
                q: child.and_then(|child| child.value_for(side)).unwrap_or(node_value),
                prior,
                evaluator_prior: prior,
                target_weight: visits as f32,
                proven: proven.map(|outcome| outcome.value_for(side)),
                plies,
                turns: None,
            }
        };
        self.tree.actions(node).iter().zip(self.tree.priors(node)).enumerate().map(report).collect()
    }

    /// Plies to the end of the game after the move `ordinal` of `node`, itself included, along what is proven.
    fn plies_after(&self, node: usize, ordinal: usize, action: Action) -> Option<u32> {
        match self.told_plies.iter().find(|&&(told, _)| node == ROOT && told == action) {
            Some(&(_, plies)) => plies,
            None => plies_to_end(&self.tree, self.tree.child_index(node, ordinal)).map(|plies| plies + 1),
        }
    }

    /// Every move of the root before its evaluation: all alike.
    fn unsearched_moves(&self) -> Vec<MoveReport> {
        let mut actions = Vec::new();
        self.config.list_actions(&self.position, &mut actions);
        let prior = 1.0 / actions.len() as f32;
        let unsearched = |&action: &Action| MoveReport {
            action,
            visits: 0,
            q: 0.0,
            prior,
            evaluator_prior: prior,
            target_weight: 0.0,
            proven: None,
            plies: None,
            turns: None,
        };
        actions.iter().map(unsearched).collect()
    }

    /// Follows the preferred moves from the root, where that is `choice` if there is one.
    fn principal_variation(&self, choice: Option<Action>) -> Vec<Action> {
        let mut line = Vec::new();
        let mut node = ROOT;
        loop {
            let moves = self.moves_of(node);
            let chosen = choice.filter(|_| node == ROOT).and_then(|choice| moves.iter().find(|m| m.action == choice));
            let Some(next) = chosen.or_else(|| preferred(&moves)).filter(|next| next.visits > 0) else { return line };
            line.push(next.action);
            // Moves stand in the order of the edges, and a visited one has a child.
            let ordinal = moves.iter().take_while(|m| m.action != next.action).count();
            node = self.tree.child_index(node, ordinal);
        }
    }
}
