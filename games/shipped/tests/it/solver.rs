//! Verification against plain enumeration, and that limits only leave open what they must.

use std::collections::HashMap;

use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, Symmetric, Tactics};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::{Bounds, SolveConfig, SolveGoal, SolveReport, solve};
use selfplay_pylos::Pylos;
use selfplay_sum15::Sum15;
use selfplay_tictactoe::TicTacToe;

use crate::{child, distinct};

/// The value for the side to move, by enumeration; for games whose position alone decides it.
fn value<G: Game>(position: &G, known: &mut HashMap<u64, i8>) -> i8 {
    if let Some(outcome) = position.outcome() {
        return outcome.value_for(position.side_to_move());
    }
    if let Some(&value) = known.get(&position.position_hash()) {
        return value;
    }
    let values = distinct(position).into_iter().map(|action| value_of(position, action, known));
    let best = values.max().unwrap();
    known.insert(position.position_hash(), best);
    best
}

fn value_of<G: Game>(position: &G, action: Action, known: &mut HashMap<u64, i8>) -> i8 {
    let child = child(position, action);
    let value = value(&child, known);
    if child.side_to_move() == position.side_to_move() { value } else { -value }
}

fn every_action<G: Tactics + Symmetric>(position: &G, plies_played: usize, threads: usize) -> SolveReport {
    let goal = SolveGoal::EveryAction;
    let config = SolveConfig { memory_mib: 4, threads, goal, ..SolveConfig::default() };
    solve(position, plies_played, &config, |_| ()).unwrap()
}

/// Compares all values of `position` with enumeration, on one and on two threads.
fn check<G: Tactics + Symmetric>(position: &G, plies_played: usize, known: &mut HashMap<u64, i8>) {
    for threads in [1, 2] {
        let report = every_action(position, plies_played, threads);
        assert_eq!(report.bounds.value(), Some(value(position, known)), "\n{}", position.board());
        assert_eq!(report.actions.len(), distinct(position).len());
        for (action, bounds) in report.actions {
            let expected = value_of(position, action, known);
            assert_eq!(bounds, Bounds::exactly(expected), "{}\n{}", G::action_name(action), position.board());
        }
    }
}

/// A random position after `plies` plies, with the game still running.
fn position_after<G: Game>(plies: usize, seed: u64) -> Option<G> {
    let mut position = G::initial();
    let made = play_random(&mut position, plies, &mut rng_for(&[seed]));
    (made.len() == plies && position.outcome().is_none()).then_some(position)
}

#[test]
fn tictactoe_is_a_draw_and_every_reply_has_its_value() {
    let mut known = HashMap::new();
    assert_eq!(value(&TicTacToe::initial(), &mut known), 0);
    for actions in 0..8 {
        let positions = (0..30).filter_map(|seed| position_after::<TicTacToe>(actions, seed));
        positions.for_each(|position| check(&position, actions, &mut known));
    }
}

#[test]
fn values_equal_enumeration_near_the_end() {
    for seed in 0..8 {
        if let Some(position) = position_after::<Sum15<4>>(6, seed) {
            check(&position, 6, &mut HashMap::new());
        }
        if let Some(position) = position_after::<Connect4>(30, seed) {
            check(&position, 30, &mut HashMap::new());
        }
        if let Some(position) = position_after::<PentagoSwap>(33, seed) {
            check(&position, 33, &mut HashMap::new());
        }
    }
}

// Known from an independent exhaustive search: the second player wins, whatever the first plays. From its third
// action on the tree is small enough for a test; the whole takes seconds (`selfplay solve sum15-4`).
#[test]
fn a_longer_proof_of_sum15_agrees_with_enumeration() {
    let position = (0..).find_map(|seed| position_after::<Sum15<4>>(5, seed)).unwrap();
    check(&position, 5, &mut HashMap::new());
}

#[test]
fn near_wins_are_found_where_the_game_is_out_of_reach() {
    // Three stones in: the rest is far out of reach, and the solver says so.
    let position = position_after::<PentagoSwap>(3, 1).unwrap();
    let config = SolveConfig { nodes: Some(20_000), memory_mib: 4, ..SolveConfig::default() };
    let report = solve(&position, 3, &config, |_| ()).unwrap();
    assert_eq!(report.bounds, Bounds::UNKNOWN);
    assert!(report.nodes < 25_000);
    // Pylos has no longest game: only growing depth can end it. The apex is one action away.
    let won: Vec<(Pylos, usize)> = (0..60).filter_map(before_the_end::<Pylos>).collect();
    assert!(won.len() > 30);
    for (position, made) in won {
        let config = SolveConfig { nodes: Some(100_000), memory_mib: 4, ..SolveConfig::default() };
        let report = solve(&position, made, &config, |_| ()).unwrap();
        assert_eq!(report.bounds, Bounds::exactly(1), "\n{}", position.board());
    }
}

/// The position of a random game before its last action, if that wins.
fn before_the_end<G: Game>(seed: u64) -> Option<(G, usize)> {
    let mut position = G::initial();
    let game = play_random(&mut position, 1000, &mut rng_for(&[seed]));
    let outcome = position.outcome()?;
    let mut before = G::initial();
    game[..game.len() - 1].iter().for_each(|&action| before.play(action));
    (outcome.value_for(before.side_to_move()) == 1).then_some((before, game.len() - 1))
}

#[test]
fn limits_leave_true_bounds() {
    let position = position_after::<Sum15<4>>(5, 3).unwrap();
    let truth = value(&position, &mut HashMap::new());
    for nodes in [1, 2_000, 10_000, 50_000, 10_000_000] {
        let goal = SolveGoal::EveryAction;
        let config = SolveConfig { nodes: Some(nodes), memory_mib: 1, goal, ..SolveConfig::default() };
        let report = solve(&position, 5, &config, |_| ()).unwrap();
        assert!((report.bounds.lower..=report.bounds.upper).contains(&truth));
        let known = report.bounds.value().is_some();
        assert!(known || nodes < 10_000_000);
    }
    let wrong = SolveConfig { threads: 0, ..SolveConfig::default() };
    assert!(solve(&position, 5, &wrong, |_| ()).unwrap_err().to_string().contains("threads"));
}

#[test]
fn a_finished_game_has_its_value() {
    let mut position = TicTacToe::initial();
    play_random(&mut position, 9, &mut rng_for(&[1]));
    let outcome = position.outcome().unwrap();
    let report = every_action(&position, 9, 1);
    assert_eq!(report.bounds, Bounds::exactly(outcome.value_for(position.side_to_move())));
    assert!(report.actions.is_empty());
}
