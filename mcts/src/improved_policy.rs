//! The policy that the values found so far improve on: completed values, and the deterministic selection that follows
//! it (Danihelka et al. 2022, "Policy improvement by planning with Gumbel", sections 4 and 5, appendix D).

use crate::config::{GumbelConfig, SearchConfig};
use crate::tree::{Terms, Tree};

/// The values of one node's moves on the scale of logits: `σ(q)` of [`GumbelConfig`], completed for unvisited moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedValues {
    /// What an unvisited move counts as worth, −1..=1.
    mixed: f32,
    /// `(c_visit + max N) · c_scale`.
    scale: f32,
}

/// What completing needs of a visited move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisitedMove {
    /// Its prior.
    pub prior: f32,
    /// Its visits, at least one.
    pub visits: u32,
    /// Its value in −1..=1 for the side that makes it.
    pub q: f32,
}

impl CompletedValues {
    /// For a node that the evaluator gave `own_value` in −1..=1, and the moves visited so far.
    pub fn new(config: &GumbelConfig, own_value: f32, visited: impl Iterator<Item = VisitedMove>) -> Self {
        let (mut visits, mut most, mut prior_sum, mut weighted_sum) = (0.0, 0, 0.0, 0.0);
        for edge in visited {
            let prior = f64::from(edge.prior.max(f32::MIN_POSITIVE));
            visits += f64::from(edge.visits);
            most = most.max(edge.visits);
            prior_sum += prior;
            weighted_sum += prior * f64::from(edge.q);
        }
        let mean = if visits > 0.0 { weighted_sum / prior_sum } else { 0.0 };
        let mixed = (f64::from(own_value) + visits * mean) / (1.0 + visits);
        CompletedValues { mixed: mixed as f32, scale: (config.c_visit + most as f32) * config.c_scale }
    }

    /// For the expanded `node`.
    pub fn for_node(config: &GumbelConfig, tree: &Tree, node: usize) -> Self {
        let side = tree.node(node).side;
        let both = tree.children(node).iter().zip(tree.priors(node));
        let visited = both.filter(|(child, _)| child.visits > 0).filter_map(|(child, &prior)| {
            let q = child.value_for(side)?;
            Some(VisitedMove { prior, visits: child.visits, q })
        });
        Self::new(config, tree.own_value(node), visited)
    }

    /// `σ(q)` of a move with value `q`, `None` for an unvisited one.
    pub fn sigma(&self, q: Option<f32>) -> f32 {
        self.scale * (q.unwrap_or(self.mixed) + 1.0) / 2.0
    }
}

/// `ln P`; priors that round to 0 keep a finite logit.
pub(crate) fn logit(prior: f32) -> f32 {
    prior.max(f32::MIN_POSITIVE).ln()
}

/// Number of the edge of the expanded, unproven `node` with the greatest `π'(a) − N(a) / (1 + ΣN)`; the number of
/// children, if it is the first edge without one, which has the greatest prior of these. Leaves in flight count as lost
/// visits; proven losses have no share in `π'`.
pub(crate) fn select_improved_edge(config: &SearchConfig, gumbel: &GumbelConfig, tree: &Tree, node: usize) -> usize {
    let completed = CompletedValues::for_node(gumbel, tree, node);
    let (children, terms, priors) = (tree.children(node), tree.child_terms(node), tree.priors(node));
    let sigma = |terms: &Terms| completed.sigma(Some(terms.value).filter(|&value| value != Terms::UNVISITED));
    let next_prior = priors.get(children.len());
    let unvisited_sigma = if next_prior.is_some() { completed.sigma(None) } else { f32::NEG_INFINITY };
    let greatest = terms.iter().map(sigma).fold(unvisited_sigma, f32::max);
    let weight = |prior: f32, sigma: f32| prior * (sigma - greatest).exp();
    let visits =
        |ordinal: usize| children[ordinal].visits as f32 + config.virtual_loss * f32::from(children[ordinal].in_flight);

    let (mut weight_sum, mut prior_sum, mut visit_sum) = (0.0, 0.0, 0.0);
    for (ordinal, child) in terms.iter().enumerate() {
        weight_sum += weight(priors[ordinal], sigma(child));
        prior_sum += priors[ordinal];
        visit_sum += visits(ordinal);
    }
    let next_weight = next_prior.map(|&prior| {
        // All moves without a child are worth the same.
        weight_sum += weight((1.0 - prior_sum).max(prior), unvisited_sigma);
        weight(prior, unvisited_sigma)
    });

    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    for (ordinal, child) in terms.iter().enumerate() {
        let score = weight(priors[ordinal], sigma(child)) / weight_sum - visits(ordinal) / (1.0 + visit_sum);
        (best, best_score) = if score > best_score { (ordinal, score) } else { (best, best_score) };
    }
    match next_weight {
        Some(next_weight) if next_weight / weight_sum > best_score => children.len(),
        _ => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: GumbelConfig = GumbelConfig {
        max_num_considered_actions: 16,
        c_visit: 50.0,
        c_scale: 0.5,
        below_root: crate::BelowRoot::Puct,
    };

    #[test]
    fn values_are_completed_by_the_mixed_value() {
        let visited = [VisitedMove { prior: 0.2, visits: 3, q: 0.5 }, VisitedMove { prior: 0.3, visits: 1, q: -1.0 }];
        let completed = CompletedValues::new(&CONFIG, 0.6, visited.into_iter());
        // (0.6 + 4 · (0.2 · 0.5 − 0.3 · 1) / 0.5) / 5, and (50 + 3) · 0.5 for each unit of (q + 1) / 2.
        let mixed = (0.6 - 4.0 * 0.4) / 5.0;
        assert!((completed.sigma(None) - 26.5 * (mixed + 1.0) / 2.0).abs() < 1e-4);
        assert!((completed.sigma(Some(0.5)) - 26.5 * 0.75).abs() < 1e-4);
        assert_eq!(completed.sigma(Some(-1.0)), 0.0);
    }

    #[test]
    fn without_visits_all_moves_have_the_value_of_the_node() {
        let completed = CompletedValues::new(&CONFIG, -0.2, std::iter::empty());
        assert!((completed.sigma(None) - 25.0 * 0.4).abs() < 1e-5);
    }

    #[test]
    fn priors_of_zero_keep_everything_finite() {
        let visited = VisitedMove { prior: 0.0, visits: 2, q: 0.25 };
        let completed = CompletedValues::new(&CONFIG, 0.25, std::iter::once(visited));
        assert!((completed.sigma(None) - 26.0 * 0.625).abs() < 1e-4);
        assert!(logit(0.0).is_finite() && logit(0.0) < -80.0);
    }
}
