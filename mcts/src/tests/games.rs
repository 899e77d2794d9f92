//! The conformance checks of trees on complete games: turns of several actions, and legal actions that are not
//! distinct.

use selfplay_env::Tactics;
use selfplay_env::fixtures::{ConnectFour, Stones, TicTacToe};
use selfplay_env::rng::{RngExt, rng_for};

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use crate::{BelowRoot, Exploration, GumbelConfig, Limits, RootSearch, Search, SearchConfig, run};

/// The searches that explore in different ways.
fn configs() -> [SearchConfig; 4] {
    let gumbel = |below_root| RootSearch::Gumbel(GumbelConfig { below_root, ..GumbelConfig::default() });
    let puct = SearchConfig::default();
    [
        SearchConfig { forced_playouts_k: 2.0, ..puct.clone() },
        SearchConfig { root: gumbel(BelowRoot::Puct), ..puct.clone() },
        SearchConfig { root: gumbel(BelowRoot::ImprovedPolicy), ..puct.clone() },
        puct,
    ]
}

/// Plays one game with each search. Returns how often the same side moved again.
fn play_all<G: Tactics>(seed: u64) -> usize {
    configs().into_iter().map(|config| play_on_one_tree::<G>(config, seed)).sum()
}

/// Plays one game on one tree: every other ply by the search, the rest random legal actions; some searches explore
/// and some do not. Returns how often the same side moved again.
fn play_on_one_tree<G: Tactics>(config: SearchConfig, seed: u64) -> usize {
    let mut rng = rng_for(&[seed]);
    let mut search = Search::<G>::new(config);
    let mut legal = Vec::new();
    let mut same_side = 0;
    for ply in 0..200 {
        let position = search.position().clone();
        if position.outcome().is_some() {
            break;
        }
        match ply % 3 {
            0 => search.start_move(Exploration::Off),
            _ => search.start_move(Exploration::On { simulations: 40, rng: &mut rng }),
        }
        let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 3);
        check_tree(&search);
        assert!(position.is_legal(report.best()) && report.policy_surprise() > -1e-6);
        assert!((report.policy_target().iter().map(|&(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
        position.legal_actions(&mut legal);
        let random = legal[rng.random_range(0..legal.len())];
        let action = if ply % 2 == 0 { report.sample(0.5, &mut rng) } else { random };
        search.advance(action);
        check_tree(&search);
        let mut expected = position.clone();
        expected.play(action);
        assert_eq!(*search.position(), expected);
        let mut looked_at = Vec::new();
        search.config().list_actions(&position, &mut looked_at);
        let chosen = report.moves.iter().find(|m| m.action == position.canonical_action(action));
        assert_eq!(chosen.is_some(), looked_at.contains(&position.canonical_action(action)));
        let Some(chosen) = chosen else { continue };
        // One look at the new root may tell its result, which its visits before did not.
        if chosen.visits > 0 && chosen.proven.is_none() && search.proven().is_none() {
            let is_same = expected.side_to_move() == position.side_to_move();
            same_side += usize::from(is_same);
            let value = search.report().wdl.value();
            let from_before = if is_same { value } else { -value };
            assert!((from_before - chosen.q).abs() < 1e-6, "the value keeps its sign with its side");
        }
    }
    same_side
}

#[test]
fn turns_of_one_action_conform() {
    assert_eq!(play_all::<ConnectFour>(1), 0);
    assert_eq!(play_all::<TicTacToe>(2), 0);
}

#[test]
fn turns_of_two_actions_conform() {
    assert!((0..3).map(play_all::<Stones>).sum::<usize>() > 0, "no turn had several actions");
}
