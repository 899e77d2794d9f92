//! Which move a simulation follows: PUCT, FPU and virtual loss as functions of numbers.

use selfplay_env::Side;

use crate::config::{Fpu, SearchConfig};
use crate::tree::{Edge, Node};

/// `c(s) · √N(s)` of the PUCT rule in [`SearchConfig`], for a node with `visits` = N(s).
pub(crate) fn exploration(config: &SearchConfig, visits: f32) -> f32 {
    let growth = ((1.0 + visits) / config.c_puct_base).ln_1p();
    (config.c_puct + growth) * visits.sqrt()
}

/// Value of unvisited moves, see [`Fpu`]: `node_value` is the node's own value, `visited_prior` the sum of the priors
/// of the visited moves.
pub(crate) fn first_play_value(fpu: Fpu, node_value: f32, visited_prior: f32) -> f32 {
    match fpu {
        Fpu::Absolute(value) => value,
        Fpu::ReducedParent(reduction) => (node_value - reduction * visited_prior.max(0.0).sqrt()).max(-1.0),
    }
}

/// Value of a child for `side`, which moves above it, and its number of visits; leaves in flight count as lost visits.
fn value_and_visits(child: &Node, side: Side, virtual_loss: f32, first_play_value: f32) -> (f32, f32) {
    let real = child.visits as f32;
    let lost = virtual_loss * child.in_flight as f32;
    let visits = real + lost;
    match child.value_for(side) {
        Some(value) if lost > 0.0 => ((value * real - lost) / visits, visits),
        Some(value) => (value, visits),
        None if lost > 0.0 => (-1.0, visits),
        None => (first_play_value, 0.0),
    }
}

/// Number of the edge that the next simulation follows from the expanded, unproven `node`; the number of children, if
/// it is the first edge without one. Among equals the first.
pub(crate) fn select_edge(config: &SearchConfig, node: &Node, edges: &[Edge], children: &[Node]) -> usize {
    let visited_prior = || edges.iter().zip(children).filter(|(_, child)| child.visits > 0).map(|(edge, _)| edge.prior);
    let node_value = node.value_for(node.side).unwrap_or(0.0);
    let first_play_value = first_play_value(config.fpu, node_value, visited_prior().sum());
    let exploration = exploration(config, (node.visits + node.in_flight) as f32);

    let mut best: Option<(usize, f32)> = None;
    let mut offer = |ordinal: usize, score: f32| {
        if best.is_none_or(|(_, best_score)| score > best_score) {
            best = Some((ordinal, score));
        }
    };
    for (ordinal, (edge, child)) in edges.iter().zip(children).enumerate() {
        let is_lost = || child.proven.is_some_and(|outcome| outcome.value_for(node.side) == -1);
        if config.solver && is_lost() {
            continue;
        }
        let (value, visits) = value_and_visits(child, node.side, config.virtual_loss, first_play_value);
        offer(ordinal, value + exploration * edge.prior / (1.0 + visits));
    }
    if let Some(edge) = edges.get(children.len()) {
        offer(children.len(), first_play_value + exploration * edge.prior);
    }
    // Were all moves proven losses, the node would be proven and no simulation would select here.
    best.map_or(0, |(ordinal, _)| ordinal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_env::{Action, Outcome, Wdl};

    use crate::tree::{ROOT, Tree};

    fn config(fpu: Fpu) -> SearchConfig {
        SearchConfig { c_puct: 1.25, c_puct_base: 19_652.0, fpu, ..SearchConfig::default() }
    }

    /// A root with priors 0.6, 0.25 and 0.15 and one visit that found a draw.
    fn expanded_root() -> Tree {
        let mut tree = Tree::new(Side::First, None);
        tree.expand(ROOT, &[Action(0), Action(1), Action(2)], &[0.25, 0.6, 0.15]);
        tree.node_mut(ROOT).add_visit(DRAW, Side::First);
        tree
    }

    const DRAW: Wdl = Wdl { win: 0.0, draw: 1.0, loss: 0.0 };

    fn select(tree: &Tree, config: &SearchConfig) -> usize {
        select_edge(config, tree.node(ROOT), tree.edges(ROOT), tree.children(ROOT))
    }

    #[test]
    fn exploration_is_that_of_the_published_pseudocode() {
        // log((N + base + 1) / base) + init, times √N, with N = 800, base = 19652, init = 1.25.
        let expected = ((800.0 + 19_652.0 + 1.0_f64) / 19_652.0).ln() + 1.25;
        let found = exploration(&config(Fpu::Absolute(0.0)), 800.0);
        assert!((f64::from(found) - expected * 800.0_f64.sqrt()).abs() < 1e-3);
    }

    #[test]
    fn first_play_values_follow_their_rules() {
        assert_eq!(first_play_value(Fpu::Absolute(-0.5), 0.9, 0.3), -0.5);
        assert!((first_play_value(Fpu::ReducedParent(0.2), 0.5, 0.25) - 0.4).abs() < 1e-6);
        assert_eq!(first_play_value(Fpu::ReducedParent(0.2), -0.95, 1.0), -1.0);
    }

    #[test]
    fn the_greatest_prior_is_visited_first() {
        let tree = expanded_root();
        assert_eq!(tree.edges(ROOT)[0].action, Action(1));
        assert_eq!(select(&tree, &config(Fpu::Absolute(0.0))), 0);
    }

    #[test]
    fn a_leaf_in_flight_sends_the_next_simulation_elsewhere() {
        let mut tree = expanded_root();
        let child = tree.add_child(ROOT, Side::Second, None);
        tree.node_mut(child).in_flight = 1;
        assert_eq!(select(&tree, &config(Fpu::Absolute(0.0))), 1);
        let no_virtual_loss = SearchConfig { virtual_loss: 0.0, ..config(Fpu::Absolute(0.0)) };
        assert_eq!(select(&tree, &no_virtual_loss), 0);
    }

    #[test]
    fn proven_losses_are_left_alone() {
        let mut tree = expanded_root();
        let child = tree.add_child(ROOT, Side::Second, Some(Outcome::Win(Side::Second)));
        tree.node_mut(child).add_visit(Wdl { win: 0.0, draw: 0.0, loss: 1.0 }, Side::First);
        let eager = SearchConfig { fpu: Fpu::Absolute(-1.0), c_puct: 0.0, ..SearchConfig::default() };
        assert_eq!(select(&tree, &eager), 1);
        // Without the solver the finished game is a child like any other. Both are worth −1, and 0.6 / 2 > 0.25.
        assert_eq!(select(&tree, &SearchConfig { solver: false, ..eager }), 0);
    }
}
