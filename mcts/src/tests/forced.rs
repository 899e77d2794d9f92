//! Forced simulations: they are made, only where asked for, and the target does not show them.

use selfplay_env::fixtures::ConnectFour;
use selfplay_env::rng::rng_for;

use super::arms::{Arms, Knowledge};
use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use crate::forced::forced_visits;
use crate::{Exploration, Limits, Search, SearchConfig, run};

fn forcing() -> SearchConfig {
    SearchConfig { forced_playouts_k: 2.0, ..SearchConfig::default() }
}

/// How far the visited moves are short of their forced visits, at worst, after an exploring search.
fn greatest_shortage(config: SearchConfig, leaves: usize) -> f32 {
    let mut search = Search::<ConnectFour>::new(config);
    search.start_move(Exploration::On { simulations: 400, rng: &mut rng_for(&[5]) });
    let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(400), leaves);
    check_tree(&search);
    let visited = report.moves.iter().filter(|m| m.visits > 0);
    let shortage = visited.map(|m| forced_visits(2.0, m.prior, 399.0) - m.visits as f32);
    shortage.fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn visited_moves_get_their_forced_visits() {
    assert!(greatest_shortage(forcing(), 1) < 1.0);
    assert!(greatest_shortage(forcing(), 4) < 4.0);
    let without = greatest_shortage(SearchConfig { c_puct: 0.3, ..SearchConfig::default() }, 1);
    assert!(without > 5.0, "PUCT would not have made them: {without}");
    assert!(greatest_shortage(SearchConfig { c_puct: 0.3, ..forcing() }, 1) < 1.0);
}

#[test]
fn nothing_is_forced_without_exploration() {
    let searched = |config: SearchConfig| {
        let mut search = Search::<ConnectFour>::new(config);
        search.start_move(Exploration::Off);
        run(&mut search, &mut HashEvaluator, &Limits::simulations(300), 1)
    };
    assert_eq!(searched(forcing()), searched(SearchConfig::default()));
}

#[test]
fn the_target_leaves_out_what_was_only_forced() {
    for seed in 0..20 {
        let mut knowledge = Knowledge::random(12, 0.0, seed);
        let mut search = Search::<Arms>::new(forcing());
        search.set_position(&Arms::choice(12));
        search.start_move(Exploration::On { simulations: 300, rng: &mut rng_for(&[seed]) });
        let report = run(&mut search, &mut knowledge, &Limits::simulations(300), 1);
        let best = report.moves.iter().find(|m| m.action == report.best()).unwrap();
        assert_eq!(best.target_weight, best.visits as f32, "the preferred move keeps all of its visits");
        assert!(report.moves.iter().all(|m| m.target_weight <= m.visits as f32 && m.target_weight != 1.0));
        let kept: f32 = report.moves.iter().map(|m| m.target_weight).sum();
        assert!(kept < 299.0, "seed {seed}: something was forced");
        for (action, share) in report.policy_target() {
            let m = report.moves.iter().find(|m| m.action == action).unwrap();
            assert!((share - m.target_weight / kept).abs() < 1e-6);
        }
        // What the choice is worth by the target is more than by all visits.
        let value = |weight: &dyn Fn(&crate::MoveReport) -> f32| {
            let sum: f32 = report.moves.iter().map(weight).sum();
            report.moves.iter().map(|m| weight(m) * knowledge.values[m.action.index()]).sum::<f32>() / sum
        };
        assert!(value(&|m| m.target_weight) > value(&|m| m.visits as f32), "seed {seed}");
    }
}

#[test]
fn surprise_is_measured_against_the_priors_without_noise() {
    let mut knowledge = Knowledge::random(12, 0.0, 3);
    let mut search = Search::<Arms>::new(forcing());
    search.set_position(&Arms::choice(12));
    search.start_move(Exploration::On { simulations: 100, rng: &mut rng_for(&[3]) });
    let report = run(&mut search, &mut knowledge, &Limits::simulations(100), 1);
    let mut surprise = 0.0;
    for m in &report.moves {
        assert!((m.evaluator_prior - knowledge.priors[m.action.index()]).abs() < 1e-6);
        assert_ne!(m.prior, m.evaluator_prior);
    }
    for (action, share) in report.policy_target() {
        surprise += f64::from(share) * f64::from(share / knowledge.priors[action.index()]).ln();
    }
    assert!((report.policy_surprise() - surprise).abs() < 1e-5 && surprise > 0.1, "{surprise}");
    search.start_move(Exploration::Off);
    assert!(search.report().moves.iter().all(|m| m.prior == m.evaluator_prior));
}
