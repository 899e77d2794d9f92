//! Verification that the search receives.

use std::collections::HashMap;

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, Outcome, Side};

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use super::minimax::{reachable, solve, successors};
use crate::tree::ROOT;
use crate::{Exploration, GumbelConfig, Limits, RootSearch, Search, SearchConfig, run};

fn searched(simulations: u32) -> Search<TicTacToe> {
    let mut search = Search::new(SearchConfig::default());
    run(&mut search, &mut HashEvaluator, &Limits::simulations(simulations), 1);
    search
}

#[test]
fn a_move_told_to_lose_is_avoided_and_never_chosen() {
    for simulations in [2, 40] {
        let mut search = searched(simulations);
        let favourite = search.report().best();
        assert!(search.prove_move(favourite, Outcome::Win(Side::Second), None));
        assert!(!search.prove_move(favourite, Outcome::Draw, None), "what is proven stays");
        check_tree(&search);
        let visits = |search: &Search<TicTacToe>| {
            search.report().moves.iter().find(|m| m.action == favourite).map(|m| (m.visits, m.proven)).unwrap()
        };
        let before = visits(&search);
        assert_eq!(before.1, Some(-1));
        assert_ne!(search.root_summary().map(|root_summary| root_summary.leader), Some(favourite));
        run(&mut search, &mut HashEvaluator, &Limits::simulations(simulations + 100), 3);
        assert_eq!(visits(&search), before, "no simulation goes there");
        assert_ne!(search.report().best(), favourite);
        check_tree(&search);
    }
}

#[test]
fn a_win_decides_and_so_do_proofs_of_all_moves() {
    let mut won = searched(5);
    // The last of the list has no visit yet.
    let unvisited = won.report().moves[8].action;
    assert!(won.prove_move(unvisited, Outcome::Win(Side::First), None));
    assert!(won.is_decided() && won.report().best() == unvisited);
    assert!(won.prove_move(won.report().moves[1].action, Outcome::Draw, None), "others may be told all the same");
    assert!(won.report().best() == unvisited);

    let mut drawn = searched(5);
    for index in 0..9 {
        assert!(drawn.proven().is_none());
        let outcome = if index == 4 { Outcome::Draw } else { Outcome::Win(Side::Second) };
        assert!(drawn.prove_move(Action(index), outcome, None));
    }
    assert_eq!((drawn.proven(), drawn.report().best()), (Some(Outcome::Draw), Action(4)));
}

#[test]
fn what_cannot_be_noted_is_not() {
    let mut unsearched = Search::<TicTacToe>::new(SearchConfig::default());
    assert!(!unsearched.prove_move(Action(0), Outcome::Draw, None));
    assert!(!searched(5).prove_move(Action(100), Outcome::Draw, None));
    let mut without_solver = Search::<TicTacToe>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    run(&mut without_solver, &mut HashEvaluator, &Limits::simulations(9), 1);
    assert!(!without_solver.prove_move(Action(0), Outcome::Draw, None));
}

#[test]
fn true_proofs_lead_to_the_true_result_even_when_one_side_decides_twice() {
    let mut known = HashMap::new();
    let mut search = Search::<Stones>::new(SearchConfig::default());
    for position in reachable(&Stones::pile(12)) {
        search.set_position(&position);
        run(&mut search, &mut HashEvaluator, &Limits::simulations(1), 1);
        for (action, child) in successors(&position) {
            search.prove_move(action, solve(&child, &mut known), None);
            check_tree(&search);
        }
        let value = solve(&position, &mut known);
        assert_eq!(search.proven(), Some(value), "{position:?}");
        let mut after = position.clone();
        after.play(search.report().best());
        assert_eq!(solve(&after, &mut known), value, "the best move keeps the result");
    }
}

#[test]
fn a_told_result_does_not_outlive_its_move() {
    // After the first action of a turn the same side moves again: the supplied win does not show how to preserve it.
    let mut search = Search::<Stones>::new(SearchConfig { c_puct: 20.0, ..SearchConfig::default() });
    search.set_position(&Stones::pile(30));
    run(&mut search, &mut HashEvaluator, &Limits::simulations(20), 1);
    assert!(search.prove_move(Action(0), Outcome::Win(Side::First), None));
    search.advance(Action(0));
    assert!(!search.is_decided() && search.tree().node(ROOT).proven.is_none());
    check_tree(&search);
    // What the solver has found itself stays.
    let mut solved = Search::<Stones>::new(SearchConfig::default());
    solved.set_position(&Stones::pile(4));
    run(&mut solved, &mut HashEvaluator, &Limits::simulations(10_000), 1);
    let (best, proven) = (solved.report().best(), solved.proven());
    assert!(proven.is_some());
    solved.advance(best);
    assert_eq!(solved.proven(), proven);
}

#[test]
fn a_gumbel_search_may_be_told_too() {
    let config = SearchConfig { root: RootSearch::Gumbel(GumbelConfig::default()), ..SearchConfig::default() };
    for told in 0..9 {
        let mut search = Search::<TicTacToe>::new(config.clone());
        search.start_move(Exploration::On { simulations: 40, rng: &mut rng_for(&[3]) });
        run(&mut search, &mut HashEvaluator, &Limits::simulations(5), 1);
        assert!(search.root_summary().is_none());
        assert!(search.prove_move(Action(told), Outcome::Win(Side::Second), None));
        let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(40), 1);
        assert_eq!(report.simulations, 40);
        check_tree(&search);
    }
}
