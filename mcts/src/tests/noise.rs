//! Priors: the evaluator's at every node, perhaps tempered; with noise at the root only, only when asked, fresh for every
//! move.

use selfplay_env::fixtures::TicTacToe;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game};

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use crate::temperature::tempered;
use crate::tree::ROOT;
use crate::{Batch, Evaluator, Exploration, Limits, Search, SearchConfig, run};

/// The evaluator's own priors at `position`, by action.
fn true_priors(position: &TicTacToe) -> Vec<(Action, f32)> {
    tempered_priors(position, 1.0)
}

/// The same, tempered as a search with this temperature should.
fn tempered_priors(position: &TicTacToe, policy_softmax_temperature: f32) -> Vec<(Action, f32)> {
    let mut batch = Batch::new();
    batch.push(position);
    HashEvaluator.evaluate(batch.leaves_mut());
    let leaf = &batch.leaves()[0];
    let mut buffer = Vec::new();
    let priors = tempered(&leaf.priors, policy_softmax_temperature, &mut buffer);
    leaf.actions.iter().copied().zip(priors.iter().copied()).collect()
}

fn priors_of(search: &Search<TicTacToe>, node: usize) -> Vec<(Action, f32)> {
    let mut priors: Vec<_> = search.tree().ordered_edges(node).iter().map(|edge| (edge.action, edge.prior)).collect();
    priors.sort_by_key(|&(action, _)| action);
    priors
}

/// Checks that every node below the root has the evaluator's priors, tempered as configured.
fn check_below_root(search: &Search<TicTacToe>) {
    let mut waiting = vec![(ROOT, *search.position())];
    while let Some((node, position)) = waiting.pop() {
        if node != ROOT && search.tree().node(node).is_expanded() {
            assert_eq!(priors_of(search, node), tempered_priors(&position, search.config().policy_softmax_temperature));
        }
        for ordinal in 0..search.tree().children(node).len() {
            let mut child = position;
            child.play(search.tree().actions(node)[ordinal]);
            waiting.push((search.tree().child_index(node, ordinal), child));
        }
    }
}

fn limits() -> Limits {
    Limits::simulations(60)
}

#[test]
fn without_a_generator_there_is_no_noise() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    search.start_move(Exploration::Off);
    run(&mut search, &mut HashEvaluator, &limits(), 1);
    assert_eq!(priors_of(&search, ROOT), true_priors(&TicTacToe::initial()));
    check_below_root(&search);
}

#[test]
fn every_node_has_tempered_priors() {
    let config = SearchConfig { policy_softmax_temperature: 2.0, ..SearchConfig::default() };
    let mut search = Search::<TicTacToe>::new(config);
    search.start_move(Exploration::Off);
    run(&mut search, &mut HashEvaluator, &limits(), 1);
    let tempered = priors_of(&search, ROOT);
    assert_eq!(tempered, tempered_priors(&TicTacToe::initial(), 2.0));
    let spread = |priors: &[(Action, f32)]| {
        let values = priors.iter().map(|&(_, prior)| prior);
        values.clone().fold(0.0, f32::max) / values.fold(1.0, f32::min)
    };
    assert!(spread(&tempered) < spread(&true_priors(&TicTacToe::initial())));
    check_below_root(&search);
    check_tree(&search);
}

#[test]
fn noise_is_at_the_root_only_and_has_its_share() {
    let config = SearchConfig { root_exploration_fraction: 0.25, ..SearchConfig::default() };
    let mut search = Search::<TicTacToe>::new(config);
    search.start_move(Exploration::On { simulations: 60, rng: &mut rng_for(&[3]) });
    run(&mut search, &mut HashEvaluator, &limits(), 1);
    let clean = true_priors(&TicTacToe::initial());
    let noisy = priors_of(&search, ROOT);
    assert_ne!(noisy, clean);
    for (&(_, noisy), &(_, clean)) in noisy.iter().zip(&clean) {
        assert!(noisy >= 0.75 * clean - 1e-6, "noise takes a quarter of each prior and gives something");
    }
    check_tree(&search);
    check_below_root(&search);
}

#[test]
fn a_kept_root_gets_fresh_noise_once_and_nothing_old_stays() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let mut rng = rng_for(&[4]);
    search.start_move(Exploration::On { simulations: 60, rng: &mut rng });
    let report = run(&mut search, &mut HashEvaluator, &limits(), 1);
    search.advance(report.best());
    let clean = true_priors(search.position());
    assert_eq!(priors_of(&search, ROOT), clean, "the noise of the move before is gone");
    assert!(search.tree().children(ROOT).len() > 1);

    search.start_move(Exploration::On { simulations: 60, rng: &mut rng });
    let first = priors_of(&search, ROOT);
    assert_ne!(first, clean);
    check_tree(&search);
    search.start_move(Exploration::On { simulations: 60, rng: &mut rng });
    let second = priors_of(&search, ROOT);
    assert_ne!(second, first);
    for (&(_, noisy), &(_, clean)) in second.iter().zip(&clean) {
        assert!(noisy >= 0.75 * clean - 1e-6, "noise is mixed into the evaluator's priors, not into noisy ones");
    }
    run(&mut search, &mut HashEvaluator, &limits(), 1);
    check_tree(&search);
    check_below_root(&search);
    search.start_move(Exploration::Off);
    assert_eq!(priors_of(&search, ROOT), clean, "noise is taken out again");
    check_tree(&search);
}

#[test]
fn noise_is_a_function_of_the_generator() {
    let noisy = |seed: u64| {
        let mut search = Search::<TicTacToe>::new(SearchConfig::default());
        search.start_move(Exploration::On { simulations: 60, rng: &mut rng_for(&[seed]) });
        run(&mut search, &mut HashEvaluator, &limits(), 1)
    };
    assert_eq!(noisy(1), noisy(1));
    assert_ne!(noisy(1).moves, noisy(2).moves);
}
