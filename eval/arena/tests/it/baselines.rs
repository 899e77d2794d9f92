//! The baselines that every game has: complete games, and their known properties.

use selfplay_arena::{MatchConfig, MatchReport, MatchSetting, play_match};
use selfplay_connect4::Connect4;
use selfplay_env::{CompleteGame, Game, Typed};
use selfplay_pente::Pente;
use selfplay_players::baselines::GreedyPlayer;
use selfplay_players::{EvalError, MoveRequest, Player};
use selfplay_tictactoe::TicTacToe;

use crate::script::after;
use crate::{in_every_game, player};

/// Plays a match of greedy against random twice: the same games, all of them to their ends.
fn play<G: CompleteGame>(pairs: usize) -> MatchReport {
    let config = MatchConfig { pairs, ..MatchConfig::default() };
    let play = || {
        let [greedy, random] = ["greedy", "random"].map(|spec| move || player::<G>(spec));
        play_match(&Typed::<G>::IT, greedy, random, &config, &MatchSetting::default(), |_| ()).unwrap()
    };
    let first = play();
    assert_eq!(first, play());
    assert!(first.games.iter().all(|game| game.outcome.is_some()));
    first
}

fn greedy_plays<G: CompleteGame>() {
    play::<G>(1);
}

#[test]
fn greedy_plays_every_game_and_beats_random() {
    in_every_game!(greedy_plays);
    assert!(play::<Connect4>(20).score() > 0.8);
    assert!(play::<Pente<9>>(10).score() > 0.9);
}

#[test]
fn greedy_takes_a_win_before_anything_else() {
    let (position, _) = after::<TicTacToe>("a1 b1 a2 b2");
    let seat: MoveRequest = MoveRequest { table: 0, position: &position, history: &[], time_left: None };
    let action = GreedyPlayer::new().choose(&seat).unwrap().action;
    assert_eq!(TicTacToe::action_name(action), "a3");
}

#[test]
fn players_that_know_one_game_refuse_others() {
    let start = Connect4::initial();
    let seat: MoveRequest = MoveRequest { table: 0, position: &start, history: &[], time_left: None };
    for spec in ["alphabeta:depth=1", "uct:simulations=1", "search:checkpoint=uniform,simulations=1"] {
        assert!(player::<Connect4>(spec).unwrap().choose(&seat).is_ok());
        let error = player::<TicTacToe>(spec).unwrap().choose(&seat).unwrap_err();
        assert!(matches!(error, EvalError::WrongGame { game: "connect4", .. }), "{error}");
    }
}
