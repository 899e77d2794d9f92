//! Stored games: sound ones replay in every manner, damaged ones are rejected with the place.

use selfplay_registry::replay_check::{ReplayFault, ReplayMode};
use selfplay_registry::rng::rng_for;
use selfplay_registry::{Action, Outcome, PlayError, Side};
use selfplay_tictactoe::TIC_TAC_TOE;

/// Random games.
const GAMES: u64 = 6;
const ACTION_COUNT: usize = 9;

fn random_game(seed: u64) -> (Vec<Action>, Option<Outcome>) {
    let mut position = TIC_TAC_TOE.initial();
    let actions = position.play_random(ACTION_COUNT, &mut rng_for(&[seed]));
    (actions, position.outcome())
}

/// What is wrong with the game, and the number of the action where it is.
fn refusal(actions: &[Action], outcome: Option<Outcome>) -> (usize, ReplayFault) {
    let error = TIC_TAC_TOE.check_game(actions, outcome).expect_err("the game is damaged");
    assert_eq!((error.game, error.manner), ("tictactoe", ReplayMode::AsRecorded), "{error}");
    (error.number, error.fault)
}

#[test]
fn random_games_replay_in_every_manner() {
    for seed in 0..GAMES {
        let (actions, outcome) = random_game(seed);
        assert_eq!(TIC_TAC_TOE.check_game(&actions, outcome), Ok(()));
        assert_eq!(TIC_TAC_TOE.check_game(&actions[..actions.len() / 2], None), Ok(()));
    }
}

#[test]
fn damaged_games_are_refused_where_they_are_damaged() {
    for seed in 0..GAMES {
        let (actions, by_the_rules) = random_game(seed);
        let count = actions.len();
        for recorded in [None, Some(Outcome::Draw), Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second))] {
            if recorded != by_the_rules {
                let fault = ReplayFault::End { recorded, by_the_rules };
                assert_eq!(refusal(&actions, recorded), (count, fault));
            }
        }
        let fault = ReplayFault::End { recorded: by_the_rules, by_the_rules: None };
        assert_eq!(refusal(&actions[..count - 1], by_the_rules), (count - 1, fault));
        let mut longer = actions.clone();
        longer.push(actions[0]);
        let (number, fault) = refusal(&longer, by_the_rules);
        assert!(matches!(fault, ReplayFault::Illegal(PlayError::GameOver { .. })), "{fault}");
        assert_eq!(number, count + 1);

        let mut damaged = actions.clone();
        damaged[count - 1] = actions[0];
        let (number, fault) = refusal(&damaged, by_the_rules);
        assert!(matches!(fault, ReplayFault::Illegal(PlayError::Illegal { .. })), "{fault}");
        assert_eq!(number, count);
        damaged[count - 1] = Action::from_index(ACTION_COUNT);
        let fault = ReplayFault::NoSuchAction { index: ACTION_COUNT, last: ACTION_COUNT - 1 };
        assert_eq!(refusal(&damaged, by_the_rules), (count, fault));
    }
}
