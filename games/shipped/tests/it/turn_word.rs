//! Turns as words: several actions in one word, for GTP and other text protocols.

use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Game, Side, rules};
use selfplay_pente::Pente;
use selfplay_players::program::{gtp_color, legal_turns, parse_turn, turn_word, turns};
use selfplay_pylos::Pylos;
use selfplay_tictactoe::TicTacToe;

#[test]
fn every_turn_of_random_pylos_games_is_read_back() {
    let (mut longest, mut stopped) = (0, 0);
    for seed in 0..30 {
        let actions = play_random(&mut Pylos::initial(), 1000, &mut rng_for(&[seed]));
        let mut position = Pylos::initial();
        let (words, end) = turns(&position, &actions).unwrap();
        let mut made = 0;
        for (side, word) in words {
            assert_eq!(side, position.side_to_move());
            let turn = parse_turn(&position, &word).unwrap();
            assert_eq!(turn, actions[made..made + turn.len()], "{word}");
            made += turn.len();
            longest = longest.max(turn.len());
            stopped += usize::from(turn.len() == 3 && word.matches('-').count() == 1);
            turn.iter().for_each(|&action| position.play(action));
        }
        assert_eq!((made, end.typed()), (actions.len(), Some(&position)));
    }
    assert!(longest == 3 && stopped > 0, "{longest} {stopped}");
}

#[test]
fn what_is_no_turn_is_refused_with_the_reason() {
    let start = Pente::<19>::initial();
    assert_eq!(parse_turn(&start, "K10"), parse_turn(&start, "10K"));
    assert!(parse_turn(&start, "k10").is_ok());
    assert_eq!(parse_turn(&start, "L10").unwrap_err().to_string(), "White's first stone must be on the centre, 10K");
    assert!(parse_turn(&start, "pass").unwrap_err().to_string().starts_with("`pass` is not an action of pente"));
    assert!(parse_turn(&start, "é1").is_err() && parse_turn(&start, "").is_err());
    assert!(parse_turn(&Pylos::initial(), "a1-a1").is_err(), "nothing to remove");
}

#[test]
fn every_legal_turn_is_listed_and_read_back() {
    assert_eq!(legal_turns(&Pente::<19>::initial()).len(), 1);
    let mut longest = 0;
    for seed in 0..10 {
        let mut position = Pylos::initial();
        play_random(&mut position, 25, &mut rng_for(&[seed]));
        while !position.starts_turn() {
            play_random(&mut position, 1, &mut rng_for(&[seed]));
        }
        for turn in legal_turns(&position) {
            let word = turn_word(rules::<Pylos>(), &turn);
            assert_eq!(parse_turn(&position, &word).as_ref(), Ok(&turn), "{word}");
            longest = longest.max(turn.len());
        }
    }
    assert_eq!(longest, 3);
}

#[test]
fn colours_are_the_games_own_or_gos() {
    assert_eq!(gtp_color(rules::<Pente<19>>(), Side::First), "white");
    assert_eq!(gtp_color(rules::<Pente<19>>(), Side::Second), "black");
    assert_eq!(gtp_color(rules::<TicTacToe>(), Side::First), "black");
    assert_eq!(gtp_color(rules::<Connect4>(), Side::Second), "white");
}
