//! Seeded openings.

use std::collections::HashSet;

use selfplay_env::Game;
use selfplay_env::games::pentago_swap::PentagoSwap;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_eval::openings;

fn reached<G: Game>(opening: &[selfplay_env::Action]) -> G {
    let mut position = G::initial();
    opening.iter().for_each(|&action| position.try_play(action).unwrap());
    position
}

#[test]
fn openings_are_distinct_and_lead_to_running_games() {
    let list = openings::<PentagoSwap>(60, 3, 5).unwrap();
    let hashes: HashSet<u64> = list.iter().map(|o| reached::<PentagoSwap>(o).position_hash()).collect();
    assert_eq!(hashes.len(), 60);
    assert!(list.iter().all(|o| o.len() == 3));
    assert_ne!(list, openings::<PentagoSwap>(60, 3, 6).unwrap());
    assert_eq!(list[..10], openings::<PentagoSwap>(10, 3, 5).unwrap());
    for opening in openings::<TicTacToe>(40, 6, 1).unwrap() {
        assert_eq!(reached::<TicTacToe>(&opening).outcome(), None);
    }
}

#[test]
fn openings_end_between_turns() {
    let list = openings::<Pylos>(60, 14, 2).unwrap();
    assert!(list.iter().all(|o| reached::<Pylos>(o).starts_turn() && o.len() >= 14));
    assert!(list.iter().any(|o| o.len() > 14), "some turn was finished");
}

#[test]
fn a_game_with_few_openings_repeats_all_of_them() {
    let list = openings::<TicTacToe>(20, 1, 1).unwrap();
    let distinct: HashSet<_> = list[..9].iter().collect();
    assert_eq!(distinct.len(), 9);
    assert_eq!(list[9..18], list[..9]);
    assert_eq!(openings::<TicTacToe>(3, 0, 1).unwrap(), vec![vec![]; 3]);
    let error = openings::<TicTacToe>(1, 9, 1).unwrap_err();
    assert_eq!(error.to_string(), "tictactoe: no opening of 9 decisions was found, the games end earlier");
}
