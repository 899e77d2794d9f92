//! One tree through a complete game.

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::{Action, Game};

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use crate::tree::ROOT;
use crate::{Batch, Limits, Search, SearchConfig, run};

#[test]
fn advance_keeps_what_is_known_about_the_child() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let before = run(&mut search, &mut HashEvaluator, &Limits::simulations(200), 1);
    let best = before.moves.iter().find(|m| m.action == before.best()).unwrap();
    search.advance(best.action);
    let after = search.report();
    assert_eq!(search.simulations(), 0);
    assert_eq!(search.tree().node(ROOT).visits, best.visits);
    assert!((after.wdl.value() + best.q).abs() < 1e-6, "the same value, seen by the other side");
    assert_eq!(after.principal_variation, before.principal_variation[1..]);
    check_tree(&search);
    // The search continues: new simulations come on top of the inherited ones.
    let grown = run(&mut search, &mut HashEvaluator, &Limits::simulations(50), 1);
    assert_eq!(grown.simulations, 50);
    assert_eq!(search.tree().node(ROOT).visits, best.visits + 50);
    check_tree(&search);
}

#[test]
fn one_tree_stays_consistent_through_a_game() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let mut position = TicTacToe::initial();
    while position.outcome().is_none() {
        let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(30), 3);
        position.play(report.best());
        search.advance(report.best());
        assert_eq!(*search.position(), position);
        check_tree(&search);
    }
    let over = search.report();
    assert!(search.is_decided() && over.moves.is_empty() && over.proven == position.outcome());
    assert_eq!(over.policy_target(), []);
    assert_eq!(search.gather(4, &mut Batch::new()), 0);
}

#[test]
fn an_action_with_another_name_keeps_the_tree_too() {
    let visits_after = |action: Action| {
        let mut search = Search::<Stones>::new(SearchConfig::default());
        run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 1);
        search.advance(action);
        (search.position().clone(), search.report())
    };
    let (position, report) = visits_after(Action(0));
    assert!(report.moves.iter().any(|m| m.visits > 0));
    assert_eq!(visits_after(Action(2)), (position, report));
}

#[test]
fn an_unvisited_action_starts_afresh() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    run(&mut search, &mut HashEvaluator, &Limits::simulations(2), 1);
    let unvisited = search.report().moves[8];
    assert_eq!(unvisited.visits, 0);
    search.advance(unvisited.action);
    assert_eq!(search.tree().node(ROOT).visits, 0);
    assert_eq!(search.report().moves.len(), 8);
    // Leaves in flight belong to the old tree.
    let mut batch = Batch::new();
    search.gather(1, &mut batch);
    search.advance(Action(u16::from(unvisited.action.0 == 0)));
    run(&mut search, &mut HashEvaluator, &Limits::simulations(20), 1);
    check_tree(&search);
}

#[test]
fn set_position_forgets_everything() {
    let fresh =
        run(&mut Search::<TicTacToe>::new(SearchConfig::default()), &mut HashEvaluator, &Limits::simulations(30), 1);
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    run(&mut search, &mut HashEvaluator, &Limits::simulations(100), 1);
    search.advance(Action(4));
    search.set_position(&TicTacToe::initial());
    assert_eq!(run(&mut search, &mut HashEvaluator, &Limits::simulations(30), 1), fresh);
}
