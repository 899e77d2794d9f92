//! The solver against exhaustive minimax.

use std::collections::HashMap;

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::{Action, Game, Outcome, Side, Tactics};

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use super::minimax::{reachable, solve, successors};
use crate::tree::ROOT;
use crate::{
    Batch, Evaluator, Exploration, Limits, Search, SearchConfig, SearchReport, TacticsDepth, UniformEvaluator, run,
};

/// Searches until the root is proven or `simulations` are made, forced moves as well (`run` cuts these short).
fn prove<G: Tactics, E: Evaluator<G>>(search: &mut Search<G>, evaluator: &mut E, simulations: u32) -> SearchReport {
    let mut batch = Batch::new();
    while search.simulations() < simulations && search.tree().node(ROOT).proven.is_none() {
        batch.clear();
        search.gather(1, &mut batch);
        evaluator.evaluate(batch.leaves_mut());
        search.apply(batch.leaves());
    }
    search.report()
}

/// Checks the proofs of `report` against minimax, and that its best move keeps the result once the root is proven.
fn check_report<G: Tactics>(position: &G, report: &SearchReport, known: &mut HashMap<u64, Outcome>) {
    let side = position.side_to_move();
    let value = solve(position, known);
    assert!(report.proven.is_none_or(|proven| proven == value), "{position:?}");
    for (action, child) in successors(position) {
        let found = report.moves.iter().find(|m| m.action == action).unwrap();
        let expected = solve(&child, known).value_for(side);
        assert!(found.proven.is_none_or(|proven| proven == expected), "{position:?} {action:?}");
        if report.proven.is_some() && action == report.best() {
            assert_eq!(expected, value.value_for(side), "the best move keeps the result");
        }
    }
}

#[test]
fn the_empty_tictactoe_board_is_a_draw() {
    // Much exploration, because a proof needs the bad moves refuted as well.
    let mut search = Search::<TicTacToe>::new(SearchConfig { c_puct: 20.0, ..SearchConfig::default() });
    let report = run(&mut search, &mut UniformEvaluator, &Limits::simulations(1_000_000), 1);
    assert_eq!(report.proven, Some(Outcome::Draw));
    assert!(search.is_decided() && report.simulations < 1_000_000);
    assert_eq!(report.wdl.value(), 0.0);
    assert_eq!(report.wdl.draw, 1.0);
    check_report(&TicTacToe::initial(), &report, &mut HashMap::new());
}

#[test]
fn proofs_equal_minimax_on_every_tictactoe_position() {
    let mut known = HashMap::new();
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let positions = reachable(&TicTacToe::initial());
    assert_eq!(positions.len(), 4520, "5,478 positions, 958 of them finished");
    let mut proven = 0;
    for position in &positions {
        search.set_position(position);
        let report = prove(&mut search, &mut UniformEvaluator, 800);
        check_report(position, &report, &mut known);
        proven += usize::from(report.proven.is_some());
        let value = solve(position, &mut known);
        if value == Outcome::Win(position.side_to_move()) {
            assert_eq!(report.proven, Some(value), "the forced win is found: {position:?}");
        }
    }
    assert!(proven > 4400, "only {proven} of 4,520 are proven");
}

#[test]
fn proofs_equal_minimax_when_one_side_decides_twice() {
    let mut known = HashMap::new();
    let mut search = Search::<Stones>::new(SearchConfig::default());
    let positions = reachable(&Stones::pile(14));
    let winners: Vec<Outcome> = positions.iter().map(|position| solve(position, &mut known)).collect();
    for side in Side::BOTH {
        assert!(winners.contains(&Outcome::Win(side)));
    }
    for (position, winner) in positions.iter().zip(winners) {
        search.set_position(position);
        let report = prove(&mut search, &mut HashEvaluator, 3000);
        assert_eq!(report.proven, Some(winner), "{position:?}");
        check_report(position, &report, &mut known);
    }
}

#[test]
fn without_the_solver_nothing_is_proven_and_values_still_converge() {
    let mut search = Search::<Stones>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    search.set_position(&Stones::pile(5));
    let report = run(&mut search, &mut UniformEvaluator, &Limits::simulations(2000), 1);
    assert_eq!((report.simulations, report.proven), (2000, None));
    let winner = solve(&Stones::pile(5), &mut HashMap::new());
    assert!(report.wdl.value() * f32::from(winner.value_for(Side::First)) > 0.8);
    // A move that ends the game is no proof either: it keeps its visits and shares the target with the others.
    search.set_position(&Stones::pile(2));
    let report = run(&mut search, &mut UniformEvaluator, &Limits::simulations(100), 1);
    assert!(report.moves.iter().all(|m| m.proven.is_none()));
    assert_eq!((report.moves[0].q, report.policy_target().len()), (1.0, 2));
}

#[test]
fn tactics_find_wins_and_losing_moves_once_the_root_is_evaluated() {
    let searched = |actions: &[u16], simulations| {
        let mut position = TicTacToe::initial();
        actions.iter().for_each(|&action| position.play(Action(action)));
        let mut search = Search::<TicTacToe>::new(SearchConfig::default());
        search.set_position(&position);
        let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(simulations), 1);
        check_tree(&search);
        report
    };
    // X has two in a row and is to move.
    let won = searched(&[0, 3, 1, 4], 50);
    assert_eq!((won.simulations, won.proven, won.best()), (1, Some(Outcome::Win(Side::First)), Action(2)));
    // O is to move and must answer.
    let threatened = searched(&[0, 3, 1], 1);
    assert_eq!(threatened.proven, None);
    assert!(threatened.moves.iter().all(|m| (m.proven == Some(-1)) == (m.action != Action(2))));
    assert_eq!((threatened.best(), threatened.policy_target()), (Action(2), vec![(Action(2), 1.0)]));
}

#[test]
fn tactics_never_contradict_minimax() {
    let mut known = HashMap::new();
    for position in reachable(&TicTacToe::initial()) {
        let foreseen = position.tactical_outcome();
        assert!(foreseen.is_none_or(|outcome| outcome == solve(&position, &mut known)), "{}", position.board());
    }
}

/// Moves that win at once, and moves after which the opponent does not.
fn one_look<G: Tactics>(position: &G) -> (Vec<Action>, Vec<Action>) {
    let [won, lost] = [position.side_to_move(), position.side_to_move().opponent()].map(Outcome::Win);
    let is_safe = |child: &G| {
        child.outcome() != Some(lost)
            && (child.outcome().is_some()
                || child.side_to_move() == position.side_to_move()
                || successors(child).iter().all(|(_, next)| next.outcome() != Some(lost)))
    };
    let children = successors(position);
    let wins = children.iter().filter(|(_, child)| child.outcome() == Some(won)).map(|&(action, _)| action).collect();
    let safe = children.iter().filter(|(_, child)| is_safe(child)).map(|&(action, _)| action).collect();
    (wins, safe)
}

/// Checks the choice after every number of simulations in every position that can be reached from `start`.
fn overlooks_nothing<G: Tactics>(start: &G, configs: &[SearchConfig]) {
    for config in configs {
        let mut search = Search::<G>::new(config.clone());
        for position in reachable(start) {
            let (wins, safe) = one_look(&position);
            search.set_position(&position);
            for simulations in [1, 2, 8, 60] {
                let best = run(&mut search, &mut HashEvaluator, &Limits::simulations(simulations), 2).best();
                assert!(wins.is_empty() || wins.contains(&best), "{config:?} {position:?}: {best:?} of {wins:?}");
                let must_be_safe = wins.is_empty() && !safe.is_empty();
                assert!(!must_be_safe || safe.contains(&best), "{config:?} {position:?}: {best:?} of {safe:?}");
            }
        }
    }
}

#[test]
fn no_win_with_the_next_move_of_either_side_is_overlooked() {
    let configs =
        [TacticsDepth::Shallow, TacticsDepth::Off].map(|tactics| SearchConfig { tactics, ..SearchConfig::default() });
    overlooks_nothing(&TicTacToe::initial(), &configs);
    // Here the game cannot tell and every move is tried.
    overlooks_nothing(&Stones::pile(14), &configs);
}

#[test]
fn distances_found_with_a_new_root_outlast_the_start_of_its_move() {
    let config = SearchConfig { tactics: TacticsDepth::Off, ..SearchConfig::default() };
    let mut search = Search::<TicTacToe>::new(config);
    run(&mut search, &mut HashEvaluator, &Limits::simulations(400), 1);
    // O must answer at 2: the other moves lose with the next one.
    for action in [0, 3, 1].map(Action) {
        search.advance(action);
        search.start_move(Exploration::Off);
        run(&mut search, &mut HashEvaluator, &Limits::simulations(400), 1);
    }
    let before = search.report();
    let lost_at_once = |report: &SearchReport| report.moves.iter().filter(|m| m.plies == Some(2)).count();
    assert_eq!(lost_at_once(&before), 5, "{before:?}");
    search.start_move(Exploration::Off);
    assert_eq!(lost_at_once(&search.report()), 5);
}

#[test]
fn distances_of_proofs_are_those_of_the_game() {
    // One stone wins at once; two of three leave one, which loses with the second action of the turn.
    let mut search = Search::<Stones>::new(SearchConfig::default());
    search.set_position(&Stones::pile(1));
    let report = prove(&mut search, &mut HashEvaluator, 100);
    assert_eq!(report.moves.iter().map(|m| (m.proven, m.plies)).collect::<Vec<_>>(), [(Some(1), Some(1))]);
    for pile in 2..=14 {
        search.set_position(&Stones::pile(pile));
        let report = prove(&mut search, &mut HashEvaluator, 10_000);
        for m in report.moves.iter().filter(|m| m.proven.is_some()) {
            let plies = m.plies.unwrap();
            assert!(plies >= 1 && plies <= pile, "{pile} stones: {m:?}");
        }
    }
}
