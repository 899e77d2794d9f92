//! Forced simulations of the root's moves, and the policy target without them (Wu 2019, "Accelerating Self-Play Learning
//! in Go", section 3.2).

use crate::config::SearchConfig;
use crate::report::{MoveReport, preferred};
use crate::select::exploration;
use crate::tree::{ROOT, Tree};

/// `√(k · P · ΣN)`: the visits that a move with `prior` is to have once its root's moves have `visits` in all.
pub(crate) fn forced_visits(k: f32, prior: f32, visits: f32) -> f32 {
    (k * prior * visits).sqrt()
}

/// Number of the first edge of the root that is visited, not proven to lose, and short of its forced visits. Leaves in
/// flight count as visits.
pub(crate) fn forced_edge(k: f32, tree: &Tree) -> Option<usize> {
    let root = tree.node(ROOT);
    // The first visit of the root was its own evaluation.
    let visits = (root.visits + u32::from(root.in_flight)).saturating_sub(1) as f32;
    let edges = tree.children(ROOT).iter().zip(tree.child_terms(ROOT)).zip(tree.priors(ROOT));
    edges.enumerate().find_map(|(ordinal, ((child, terms), &prior))| {
        let own = (child.visits + u32::from(child.in_flight)) as f32;
        let is_short = own > 0.0 && !terms.is_left_alone() && own < forced_visits(k, prior, visits);
        is_short.then_some(ordinal)
    })
}

/// Takes forced visits out of the target weights of `moves`, those of an unproven root with `root_visits`.
///
/// The preferred move keeps its visits. Every other loses at most its forced ones, and only as long as PUCT would still
/// prefer the preferred move with the visits that are left; what is left with a single visit loses that as well.
pub(crate) fn prune_forced(config: &SearchConfig, root_visits: u32, moves: &mut [MoveReport]) {
    let Some(&best) = preferred(moves) else { return };
    let exploration = f64::from(exploration(config, root_visits as f32));
    let best_score = puct(&best, exploration, best.visits);
    for other in moves.iter_mut().filter(|other| other.action != best.action) {
        let forced = forced_visits(config.forced_playouts_k, other.prior, root_visits.saturating_sub(1) as f32);
        let least = other.visits.saturating_sub(forced.ceil() as u32);
        let wanted = visits_below(other, exploration, best_score).max(least).min(other.visits);
        other.target_weight = if wanted > 1 { wanted as f32 } else { 0.0 };
    }
}

/// The PUCT score of `edge`, had it `visits`.
fn puct(edge: &MoveReport, exploration: f64, visits: u32) -> f64 {
    f64::from(edge.q) + exploration * f64::from(edge.prior) / (1.0 + f64::from(visits))
}

/// The fewest visits with which the PUCT score of `edge` is below `score`; `u32::MAX` if it never is.
fn visits_below(edge: &MoveReport, exploration: f64, score: f64) -> u32 {
    let gap = score - f64::from(edge.q);
    if gap > 0.0 {
        // Saturates where the gap is tiny.
        let visits = (exploration * f64::from(edge.prior) / gap).floor() as u32;
        if puct(edge, exploration, visits) < score { visits } else { visits.saturating_add(1) }
    } else {
        u32::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_env::Action;

    fn edge(action: u16, visits: u32, q: f32, prior: f32) -> MoveReport {
        let target_weight = visits as f32;
        MoveReport {
            action: Action(action),
            visits,
            q,
            prior,
            evaluator_prior: prior,
            target_weight,
            proven: None,
            plies: None,
            turns: None,
        }
    }

    /// `c(s) = 1` at any number of visits, as nearly as it can be had.
    fn config() -> SearchConfig {
        SearchConfig { c_puct: 1.0, pb_c_base: 1e12, forced_playouts_k: 2.0, ..SearchConfig::default() }
    }

    #[test]
    fn forced_visits_are_those_of_the_paper() {
        assert_eq!(forced_visits(2.0, 0.08, 100.0), 4.0);
        assert_eq!(forced_visits(2.0, 0.5, 0.0), 0.0);
    }

    #[test]
    fn pruning_keeps_what_puct_would_have_spent() {
        // √100 = 10. The best has score 0.5 + 10 · 0.5 / 51 = 0.598.
        let mut moves = [
            edge(0, 50, 0.5, 0.5),
            // Forced √(2 · 0.2 · 99) = 6.3: at most 7 are taken. PUCT wants 10 · 0.2 / (1 + n) < 0.598 − 0.2: n = 5.
            edge(1, 20, 0.2, 0.2),
            edge(2, 9, 0.2, 0.2),
            // PUCT wants n with 10 · 0.1 / (1 + n) < 1.098: none. Forced are 4.4, so 5 go and a single visit is left.
            edge(3, 6, -0.5, 0.1),
            // Better than the best at any number of visits: nothing is taken.
            edge(4, 3, 0.7, 0.1),
            edge(5, 1, 0.0, 0.1),
        ];
        prune_forced(&config(), 100, &mut moves);
        assert_eq!(moves.map(|m| m.target_weight), [50.0, 13.0, 5.0, 0.0, 3.0, 0.0]);
    }

    #[test]
    fn no_fewer_visits_would_do() {
        let edge = edge(1, 1000, 0.2, 0.2);
        for step in 1..100 {
            let score = 0.2 + 0.02 * f64::from(step);
            let visits = visits_below(&edge, 10.0, score);
            assert!(puct(&edge, 10.0, visits) < score, "{score}: {visits}");
            assert!(visits == 0 || puct(&edge, 10.0, visits - 1) >= score, "{score}: {visits}");
        }
        assert_eq!(visits_below(&edge, 10.0, 0.2), u32::MAX);
    }
}
