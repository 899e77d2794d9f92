//! Counts that need no program, and random games seen in every manner.

use selfplay_connect4::CONNECT4;
use selfplay_registry::rng::rng_for;

#[test]
fn actions_are_counted_at_all_depths() {
    // No game of Connect Four ends within four plies.
    assert_eq!(CONNECT4.initial().perft(4).actions, 7 + 49 + 343 + 2_401);
}

#[test]
fn random_games_replay_in_every_manner() {
    for seed in 0..6 {
        let mut position = CONNECT4.initial();
        let actions = position.play_random(200, &mut rng_for(&[seed]));
        assert_eq!(CONNECT4.check_game(&actions, position.outcome()), Ok(()));
        assert_eq!(CONNECT4.check_game(&actions[..actions.len() / 2], None), Ok(()));
    }
}
