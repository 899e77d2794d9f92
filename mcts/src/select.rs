//! Which move a simulation follows: PUCT, FPU and virtual loss as functions of numbers.

use selfplay_env::{Outcome, Side};

use crate::config::{Fpu, SearchConfig};
use crate::tree::{Node, Terms};

/// `c(s) · √N(s)` of the PUCT rule in [`SearchConfig`], for a node with `visits` = N(s).
pub(crate) fn exploration(config: &SearchConfig, visits: f32) -> f32 {
    (config.c_puct + ln_1p((1.0 + visits) / config.pb_c_base)) * visits.sqrt()
}

/// `ln(1 + x)` for x ≥ 0, within the rounding of an `f32`; Taylor's polynomial where it suffices, for speed.
fn ln_1p(x: f32) -> f32 {
    if x < 1.0 / 16.0 {
        // What is left out is below x · 16⁻⁶ / 7, less than 10⁻⁸ of the result.
        x * (1.0 - x * (1.0 / 2.0 - x * (1.0 / 3.0 - x * (1.0 / 4.0 - x * (1.0 / 5.0 - x * (1.0 / 6.0))))))
    } else {
        x.ln_1p()
    }
}

/// Value of unvisited moves, see [`Fpu`]: `node_value` is the node's own value, `visited_prior` the sum of the priors
/// of the visited moves.
pub(crate) fn first_play_value(fpu: Fpu, node_value: f32, visited_prior: f32) -> f32 {
    match fpu {
        Fpu::Absolute(value) => value,
        Fpu::ReducedParent(reduction) => (node_value - reduction * visited_prior.max(0.0).sqrt()).max(-1.0),
    }
}

/// What selection is to know of `child`, the result of a move with `prior` by `side`. Leaves in flight count as lost
/// visits.
pub(crate) fn terms_of(config: &SearchConfig, child: &Node, side: Side, prior: f32) -> Terms {
    let value = child.value_for(side);
    if config.mcts_solver && child.proven == Some(Outcome::Win(side.opponent())) {
        return Terms { value: f32::NEG_INFINITY, weight: 0.0 };
    }
    let real = child.visits as f32;
    if child.in_flight == 0 || config.virtual_loss == 0.0 {
        return Terms { value: value.unwrap_or(Terms::UNVISITED), weight: prior / (1.0 + real) };
    }
    let lost = config.virtual_loss * f32::from(child.in_flight);
    let visits = real + lost;
    Terms { value: value.map_or(-1.0, |value| (value * real - lost) / visits), weight: prior / (1.0 + visits) }
}

/// Number of the edge that the next simulation follows from the expanded, unproven `node`, whose moves have `priors`,
/// the first of them with `terms`; the number of children, if it is the first edge without one. Among equals the first.
pub(crate) fn select_edge(config: &SearchConfig, node: &Node, priors: &[f32], terms: &[Terms]) -> usize {
    let first_play_value = first_play_value(config.fpu, node.mean_for(node.side), node.visited_prior);
    let exploration = exploration(config, (node.visits + u32::from(node.in_flight)) as f32);

    // Were all moves proven losses, the node would be proven and no simulation would select here.
    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    for (ordinal, child) in terms.iter().enumerate() {
        let value = if child.value == Terms::UNVISITED { first_play_value } else { child.value };
        let score = value + exploration * child.weight;
        (best, best_score) = if score > best_score { (ordinal, score) } else { (best, best_score) };
    }
    match priors.get(terms.len()) {
        Some(prior) if first_play_value + exploration * prior > best_score => terms.len(),
        _ => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_env::{Action, Outcome, Wdl};

    use crate::tree::{KnownResult, ROOT, Tree};

    fn config(fpu: Fpu) -> SearchConfig {
        SearchConfig { c_puct: 1.25, pb_c_base: 19_652.0, fpu, ..SearchConfig::default() }
    }

    /// A root with priors 0.6, 0.25 and 0.15 and one visit that found a draw.
    fn expanded_root() -> Tree {
        let mut tree = Tree::new(Side::First, None);
        tree.expand(ROOT, &[Action(0), Action(1), Action(2)], &[0.25, 0.6, 0.15]);
        tree.node_mut(ROOT).add_visit(DRAW);
        tree.order_next_edge(ROOT);
        tree
    }

    const DRAW: Wdl = Wdl { win: 0.0, draw: 1.0, loss: 0.0 };

    fn select(tree: &mut Tree, config: &SearchConfig) -> usize {
        for ordinal in 0..tree.children(ROOT).len() {
            let child = tree.child_index(ROOT, ordinal);
            tree.set_terms(child, terms_of(config, tree.node(child), Side::First, tree.priors(ROOT)[ordinal]));
        }
        tree.order_next_edge(ROOT);
        select_edge(config, tree.node(ROOT), tree.priors(ROOT), tree.child_terms(ROOT))
    }

    #[test]
    fn exploration_is_that_of_the_published_pseudocode() {
        // log((N + base + 1) / base) + init, times √N, with N = 800, base = 19652, init = 1.25.
        let expected = ((800.0 + 19_652.0 + 1.0_f64) / 19_652.0).ln() + 1.25;
        let found = exploration(&config(Fpu::Absolute(0.0)), 800.0);
        assert!((f64::from(found) - expected * 800.0_f64.sqrt()).abs() < 1e-3);
    }

    #[test]
    fn the_polynomial_is_the_logarithm() {
        for x in (0..20_000).map(|step| step as f32 * 1e-5) {
            let expected = f64::from(x).ln_1p();
            assert!((f64::from(ln_1p(x)) - expected).abs() <= 2e-7 * expected, "{x}");
        }
    }

    #[test]
    fn first_play_values_follow_their_rules() {
        assert_eq!(first_play_value(Fpu::Absolute(-0.5), 0.9, 0.3), -0.5);
        assert!((first_play_value(Fpu::ReducedParent(0.2), 0.5, 0.25) - 0.4).abs() < 1e-6);
        assert_eq!(first_play_value(Fpu::ReducedParent(0.2), -0.95, 1.0), -1.0);
    }

    #[test]
    fn the_greatest_prior_is_visited_first() {
        let mut tree = expanded_root();
        assert_eq!(select(&mut tree, &config(Fpu::Absolute(0.0))), 0);
        assert_eq!(tree.actions(ROOT)[0], Action(1));
    }

    #[test]
    fn a_leaf_in_flight_sends_the_next_simulation_elsewhere() {
        let mut tree = expanded_root();
        let child = tree.add_child(ROOT, Side::Second, None);
        tree.node_mut(child).in_flight = 1;
        assert_eq!(select(&mut tree, &config(Fpu::Absolute(0.0))), 1);
        let no_virtual_loss = SearchConfig { virtual_loss: 0.0, ..config(Fpu::Absolute(0.0)) };
        assert_eq!(select(&mut tree, &no_virtual_loss), 0);
    }

    #[test]
    fn proven_losses_are_left_alone() {
        let mut tree = expanded_root();
        let known = KnownResult { outcome: Outcome::Win(Side::Second), plies: Some(0) };
        let child = tree.add_child(ROOT, Side::Second, Some(known));
        tree.node_mut(child).add_visit(Wdl { win: 0.0, draw: 0.0, loss: 1.0 });
        tree.node_mut(ROOT).visited_prior = 0.6;
        let eager = SearchConfig { fpu: Fpu::Absolute(-1.0), c_puct: 0.0, ..SearchConfig::default() };
        assert_eq!(select(&mut tree, &eager), 1);
        // Without the solver the finished game is a child like any other. Both are worth −1, and 0.6 / 2 > 0.25.
        assert_eq!(select(&mut tree, &SearchConfig { mcts_solver: false, ..eager }), 0);
    }
}
