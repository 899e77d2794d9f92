//! Matches: fair, repeatable whatever the threads, and honest about games that say nothing.

use std::sync::Mutex;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use selfplay_env::games::connect4::Connect4;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_env::{Action, Game, Outcome, Side};
use selfplay_eval::{
    EvalError, GameResult, MatchConfig, MatchProgress, MatchReport, MatchStrength, MatchSummary, PairCounts, Player,
    SprtConfig, Termination, play_match,
};

use crate::{Scripted, player};

fn scripted<G: Game>(script: fn(&[Action]) -> Action) -> Result<Box<dyn Player<G>>, EvalError> {
    Ok(Box::new(Scripted(script)))
}

#[test]
fn threads_change_nothing() {
    let config = MatchConfig { pairs: 7, pairs_per_chunk: 2, seed: 3, ..MatchConfig::default() };
    let play = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let search = "search:checkpoint=uniform,simulations=20,temperature=0.5";
        let run = || play_match::<Connect4>(|| player(search), || player("alphabeta:depth=1"), &config, |_| ());
        pool.install(run).unwrap()
    };
    let report = play(1);
    assert_eq!(report, play(3));
    assert_eq!(
        (report.a.as_str(), report.b.as_str()),
        ("search:checkpoint=uniform,simulations=20,temperature=0.5", "alphabeta:depth=1")
    );
}

#[test]
fn pairs_share_openings_and_swap_colours() {
    let config = MatchConfig { pairs: 6, opening_decisions: 9, pairs_per_chunk: 4, ..MatchConfig::default() };
    let report = play_match::<Pylos>(|| player("random"), || player("random"), &config, |_| ()).unwrap();
    assert_eq!(report.games.len(), 12);
    for (number, game) in report.games.iter().enumerate() {
        assert_eq!((game.opening, game.a_side), (number / 2, Side::BOTH[number % 2]));
        let mut position = Pylos::initial();
        for &action in &game.decisions {
            position.try_play(action).unwrap();
        }
        assert_eq!(position.outcome(), game.outcome);
    }
    for pair in report.games.chunks(2) {
        assert!(pair[0].opening_len >= 9);
        assert_eq!(pair[0].decisions[..pair[0].opening_len], pair[1].decisions[..pair[1].opening_len]);
    }
    assert_eq!(report.duplicates(), 0.0);
    let other = MatchConfig { seed: 1, ..config };
    assert_ne!(report, play_match::<Pylos>(|| player("random"), || player("random"), &other, |_| ()).unwrap());
}

#[test]
fn repeated_games_are_counted() {
    let first = |legal: &[Action]| legal[0];
    let config = MatchConfig { pairs: 3, opening_decisions: 0, pairs_per_chunk: 1, ..MatchConfig::default() };
    let report = play_match::<TicTacToe>(|| scripted(first), || scripted(first), &config, |_| ()).unwrap();
    // X takes a1 c1 b2 and a3: the first player wins the same game six times, three times for each player.
    assert_eq!(report.duplicates(), 5.0 / 6.0);
    assert_eq!((report.wins(), report.draws(), report.losses()), (3, 0, 3));
    assert_eq!((report.pair_counts(), report.first_player_share()), (PairCounts([[0; 3], [0; 3], [3, 0, 0]]), 1.0));
}

#[test]
fn a_game_that_goes_on_too_long_is_a_draw() {
    let config = MatchConfig { pairs: 2, opening_decisions: 2, max_decisions: 4, ..MatchConfig::default() };
    let calls = Mutex::new(Vec::new());
    let report =
        play_match::<TicTacToe>(|| player("random"), || player("random"), &config, |p| calls.lock().unwrap().push(p))
            .unwrap();
    assert!(report.games.iter().all(|game| game.decisions.len() == 4 && game.outcome.is_none()));
    assert_eq!((report.capped(), report.draws(), report.score()), (4, 4, 0.5));
    let calls = calls.into_inner().unwrap();
    assert_eq!(calls.len(), 4);
    let pair_counts = report.pair_counts();
    assert_eq!(calls[3], MatchProgress { games_done: 4, games: 4, pair_counts });
}

#[test]
fn wrong_configurations_are_refused() {
    let refused = |config: MatchConfig| {
        play_match::<TicTacToe>(|| player("random"), || player("random"), &config, |_| ()).unwrap_err().to_string()
    };
    assert_eq!(refused(MatchConfig { pairs: 0, ..MatchConfig::default() }), "`pairs` is 0: expected 1 to 1,000,000");
    let config = MatchConfig { pairs_per_chunk: 0, ..MatchConfig::default() };
    assert_eq!(refused(config), "`pairs_per_chunk` is 0: expected at least 1");
    let config = MatchConfig { max_decisions: 4, ..MatchConfig::default() };
    assert_eq!(refused(config), "`max_decisions` is 4: expected more than `opening_decisions`");
    let config = MatchConfig { opening_decisions: 9, ..MatchConfig::default() };
    assert!(refused(config).contains("no opening of 9 decisions"));
}

/// A match whose games ended so for A: 1 won, 0 drawn, −1 lost.
fn report(values: &[i8]) -> MatchReport {
    let game = |(number, &value): (usize, &i8)| {
        let a_side = Side::BOTH[number % 2];
        let winner = [Some(a_side.opponent()), None, Some(a_side)][(value + 1) as usize];
        GameResult {
            opening: number / 2,
            opening_len: 0,
            a_side,
            decisions: vec![Action(number as u16)],
            outcome: Some(winner.map_or(Outcome::Draw, Outcome::Win)),
            termination: Termination::Rules,
            decision_times: Vec::new(),
            time_used: [Duration::ZERO; 2],
        }
    };
    MatchReport { a: "a".into(), b: "b".into(), games: values.iter().enumerate().map(game).collect() }
}

#[test]
fn the_summary_adds_up() {
    let report = report(&[1, 1, 1, -1, 0, 0, 1, 0, -1, -1]);
    let counts = PairCounts([[1, 0, 0], [0, 1, 0], [1, 1, 1]]);
    assert_eq!(report.pair_counts(), counts);
    let summary = MatchSummary::from(&report);
    assert_eq!((summary.games, summary.wins, summary.draws, summary.losses), (10, 4, 3, 3));
    assert_eq!((summary.score, summary.duplicates, summary.capped), (0.55, 0.0, 0));
    assert_eq!(summary.pentanomial, [1, 0, 2, 1, 1]);
    let elo = MatchStrength::of(&counts).elo;
    assert_eq!((summary.elo, summary.elo_low, summary.elo_high), (elo.elo, elo.low, elo.high));
    assert_eq!(summary.encounter().pair_counts, counts);
    // First players: A won games 0, 2, 6 and drew 4; B lost game 1, won 3 and 9, drew 5 and 7; A lost game 8.
    assert_eq!(summary.first_player_share, 0.65);
    let test = SprtConfig { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
    assert_eq!(summary.with_sprt(test).sprt.unwrap().state, test.state(&counts));
}
