//! Seeded openings.

use std::collections::HashSet;

use selfplay_arena::{Opening, OpeningSuite};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::tactics::HEURISTIC_LIMIT;
use selfplay_env::{Action, CompleteGame, Game, Tactics, Typed};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::{AlphaBetaConfig, AlphaBetaLimits, alpha_beta};
use selfplay_pylos::Pylos;
use selfplay_tictactoe::TicTacToe;

fn draw<G: CompleteGame>(count: usize, plies: usize, seed: u64) -> Vec<Opening> {
    OpeningSuite::new(&Typed::<G>::IT, plies, seed).draw(count).unwrap().to_vec()
}

fn reached<G: Game>(opening: &Opening) -> G {
    let mut position = G::initial();
    opening.actions.iter().for_each(|&action| position.try_play(action).unwrap());
    position
}

fn score<G: Tactics>(position: &G) -> i32 {
    alpha_beta(position, &AlphaBetaConfig::exact(AlphaBetaLimits::depth(2))).unwrap().score
}

#[test]
fn openings_are_distinct_and_lead_to_running_games() {
    let list = draw::<PentagoSwap>(60, 3, 5);
    let hashes: HashSet<u64> = list.iter().map(|o| reached::<PentagoSwap>(o).position_hash()).collect();
    assert_eq!(hashes.len(), 60);
    assert!(list.iter().all(|o| o.actions.len() == 3));
    assert_ne!(list, draw::<PentagoSwap>(60, 3, 6));
    for opening in draw::<TicTacToe>(40, 6, 1) {
        assert_eq!(reached::<TicTacToe>(&opening).outcome(), None);
    }
}

#[test]
fn the_first_openings_do_not_depend_on_how_many_are_drawn() {
    let list = draw::<PentagoSwap>(30, 3, 5);
    assert_eq!(list[..10], draw::<PentagoSwap>(10, 3, 5));
    let mut suite = OpeningSuite::new(&Typed::<PentagoSwap>::IT, 3, 5);
    for count in [7, 3, 30] {
        assert_eq!(suite.draw(count).unwrap(), &list[..count]);
    }
}

#[test]
fn openings_are_more_even_than_random_play_and_never_decided() {
    let mut random = Vec::new();
    for seed in 0..100 {
        let (mut position, mut actions) = (TicTacToe::initial(), Vec::new());
        let mut rng = rng_for(&[seed]);
        for _ in 0..4 {
            position.distinct_actions(&mut actions);
            position.play(actions[rng.random_range(0..actions.len())]);
        }
        random.push(score(&position).abs());
    }
    let is_decided = |score: &i32| score.abs() >= HEURISTIC_LIMIT;
    assert!(random.iter().any(is_decided), "random play of four plies gives some games away");
    let suite: Vec<i32> = draw::<TicTacToe>(100, 4, 3).iter().map(|o| score(&reached::<TicTacToe>(o)).abs()).collect();
    assert!(!suite.iter().any(is_decided));
    let mean_running = |scores: &[i32]| {
        let running: Vec<f64> = scores.iter().filter(|s| !is_decided(s)).map(|&s| f64::from(s)).collect();
        running.iter().sum::<f64>() / running.len() as f64
    };
    assert!(mean_running(&suite) < 0.8 * mean_running(&random), "{suite:?} {random:?}");
}

#[test]
fn each_line_of_a_printed_suite_is_an_opening() {
    let mut suite = OpeningSuite::new(&Typed::<TicTacToe>::IT, 2, 7);
    let openings = suite.draw(3).unwrap().to_vec();
    let text = suite.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    for (line, opening) in lines.iter().zip(&openings) {
        let (score, names) = line.trim().split_once("  ").unwrap();
        assert_eq!(score.parse::<i32>().unwrap(), opening.score);
        let actions: Vec<Action> = names.split(' ').map(|name| TicTacToe::parse_action(name).unwrap()).collect();
        assert_eq!(actions, opening.actions);
    }
}

#[test]
fn openings_end_between_turns() {
    let list = draw::<Pylos>(60, 14, 2);
    assert!(list.iter().all(|o| reached::<Pylos>(o).starts_turn() && o.actions.len() >= 14));
    assert!(list.iter().any(|o| o.actions.len() > 14), "some turn was finished");
}

#[test]
fn a_game_with_few_openings_repeats_all_of_them() {
    let list = draw::<TicTacToe>(20, 1, 1);
    let distinct: HashSet<&Vec<Action>> = list[..9].iter().map(|o| &o.actions).collect();
    assert_eq!(distinct.len(), 9);
    assert_eq!(list[9..18], list[..9]);
    assert!(draw::<TicTacToe>(3, 0, 1).iter().all(|o| o.actions.is_empty()));
    let error = OpeningSuite::new(&Typed::<TicTacToe>::IT, 9, 1).draw(1).unwrap_err();
    let expected = "tictactoe: no opening of 9 plies found: games end or are decided earlier";
    assert_eq!(error.to_string(), expected);
}
