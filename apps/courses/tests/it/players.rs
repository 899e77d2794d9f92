//! The courses' baselines: complete games, and the known properties of each.

use selfplay_arena::{MatchConfig, MatchReport, MatchSetting, play_match};
use selfplay_connect4::Connect4;
use selfplay_courses::players::pentago_spread::{REPORT_WIN, SpreadEvaluation, outcome_value, spread};
use selfplay_courses::players::{PentagoReportConfig, PenteMinimaxConfig, pente_minimax, pente_random};
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, CompleteGame, Game, Side, Typed, rules};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pente::Pente;
use selfplay_players::{ClockKind, MoveRequest, Player, RandomPlayer, TimeControl, TimeSpan};
use selfplay_tictactoe::TicTacToe;

use crate::script::after;
use crate::{Made, alpha_beta, monte_carlo, report, report_at, seat};

fn random() -> Made {
    Ok(Box::new(RandomPlayer::new()))
}

fn minimax<G: CompleteGame>(depth: u32) -> Made {
    pente_minimax(rules::<G>(), "pente-minimax".into(), PenteMinimaxConfig { depth: Some(depth) })
}

fn random_pente<const N: usize>() -> Made
where
    Pente<N>: CompleteGame,
{
    pente_random(rules::<Pente<N>>())
}

/// Plays the match twice: the same games, all of them to their ends.
fn play<G: CompleteGame>(a: impl Fn() -> Made + Sync, b: impl Fn() -> Made + Sync, pairs: usize) -> MatchReport {
    let config = MatchConfig { pairs, ..MatchConfig::default() };
    let play = || play_match(&Typed::<G>::IT, &a, &b, &config, &MatchSetting::default(), |_| ()).unwrap();
    let first = play();
    assert_eq!(first, play());
    assert!(first.games.iter().all(|game| game.outcome.is_some()));
    first
}

#[test]
fn pente_agents_play_all_sizes_and_minimax_is_the_stronger() {
    play::<Pente<19>>(random_pente::<19>, random, 1);
    play::<Pente<13>>(random_pente::<13>, || minimax::<Pente<13>>(1), 1);
    assert!(play::<Pente<9>>(|| minimax::<Pente<9>>(2), random_pente::<9>, 4).score() > 0.9);
    assert!(play::<Pente<19>>(|| minimax::<Pente<19>>(2), random_pente::<19>, 2).score() > 0.9);
}

#[test]
fn pente_minimax_sees_wins_fours_and_captures() {
    let choice = |line: &str, depth| {
        let (position, _) = after::<Pente<9>>(line);
        Pente::<9>::action_name(minimax::<Pente<9>>(depth).unwrap().choose(&seat(&position)).unwrap().action)
    };
    // White has four in the bottom row, open on both sides.
    let four = "5E 9A 1C 9B 1D 8A 1E 8C 1F 7C";
    assert!(["1B", "1G"].contains(&choice(four, 1).as_str()));
    assert!(["1B", "1G"].contains(&choice(four, 3).as_str()));
    // A closed four is stopped, which takes looking two plies ahead.
    assert_eq!(choice("5E 1B 1C 9B 1D 8A 1E 8C 1F", 2), "1G");
    // The pair 5F 5G stands between White's 5E and an empty point.
    assert_eq!(choice("5E 5F 1C 5G", 1), "5H");
}

#[test]
fn pente_minimax_keeps_any_clock() {
    let mut position = Pente::<19>::initial();
    play_random(&mut position, 60, &mut rng_for(&[2]));
    let mut player = pente_minimax(rules::<Pente<19>>(), "m".into(), PenteMinimaxConfig::default()).unwrap();
    for (ms, span) in [(1, TimeSpan::Game), (20, TimeSpan::Turn), (2_999, TimeSpan::Game)] {
        let time_left = Some(TimeControl { ms, span, clock: ClockKind::Cpu });
        assert!(position.is_legal(player.choose(&MoveRequest { time_left, ..seat(&position) }).unwrap().action));
    }
}

#[test]
fn players_of_one_game_refuse_others() {
    let text = |made: Made| made.err().unwrap().to_string();
    let error = text(pente_random(rules::<TicTacToe>()));
    assert_eq!(error, "player `pente-random` does not play tictactoe: it plays pente, pente-13, pente-9");
    assert!(text(minimax::<Connect4>(1)).starts_with("player `pente-minimax` does not play connect4"));
    let error = text(report_at(rules::<Pente<9>>(), &PentagoReportConfig::default()));
    assert_eq!(error, "player `pentago-report` does not play pente-9: it plays pentago-swap");
    assert!(text(minimax::<Pente<9>>(0)).starts_with("`depth` is 0"));
    assert!(text(report(alpha_beta(37))).starts_with("`depth` is 37"));
    assert!(text(report(monte_carlo(0))).starts_with("`memory_mib` is 0"));
}

#[test]
fn spread_is_the_sum_over_all_pairs() {
    let distance = |a: usize, b: usize| (a / 6).abs_diff(b / 6) + (a % 6).abs_diff(b % 6);
    let mut position = PentagoSwap::initial();
    play_random(&mut position, 21, &mut rng_for(&[5]));
    for side in Side::BOTH {
        let cells: Vec<usize> = position.cells_of(side).collect();
        let pairs =
            cells.iter().enumerate().flat_map(|(index, &a)| cells[..index].iter().map(move |&b| distance(a, b)));
        assert_eq!(spread(cells.iter().copied()), pairs.sum::<usize>() as i32);
    }
}

/// A position that a random game passes through.
fn running_after(plies: usize, seed: u64) -> PentagoSwap {
    let games = (0..).map(|game| {
        let mut position = PentagoSwap::initial();
        play_random(&mut position, plies, &mut rng_for(&[seed, game]));
        position
    });
    games.into_iter().find(|position| position.outcome().is_none()).unwrap()
}

/// Plain minimax of the report's values, for the side to move.
fn plain(position: &PentagoSwap, depth: u32, evaluation: SpreadEvaluation) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome_value(outcome, position.side_to_move());
    }
    if depth == 0 {
        return evaluation.value(position, &mut Vec::new());
    }
    values(position, depth, evaluation).into_iter().map(|(value, _)| value).max().unwrap()
}

fn values(position: &PentagoSwap, depth: u32, evaluation: SpreadEvaluation) -> Vec<(i32, Action)> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let value = |action| {
        let mut child = *position;
        child.play(action);
        (-plain(&child, depth - 1, evaluation), action)
    };
    actions.into_iter().map(value).collect()
}

#[test]
fn the_report_plays_a_minimax_move_and_the_seed_chooses_which() {
    for (seed, depth, evaluation, actions) in [
        (1, 2, SpreadEvaluation::Board, 24),
        (2, 3, SpreadEvaluation::Board, 32),
        (3, 1, SpreadEvaluation::Average, 20),
    ] {
        let position = running_after(actions, seed);
        let values = values(&position, depth, evaluation);
        let best = values.iter().map(|&(value, _)| value).max().unwrap();
        assert!(best.abs() <= REPORT_WIN);
        let mut player = report(PentagoReportConfig { evaluation, ..alpha_beta(depth) }).unwrap();
        for table_seed in 0..4 {
            player.new_game(0, table_seed);
            let action = player.choose(&seat(&position)).unwrap().action;
            assert!(values.contains(&(best, action)), "{} is not worth {best}", PentagoSwap::action_name(action));
        }
    }
}

#[test]
fn the_report_opens_on_the_centres_of_quadrants() {
    let centres = ["b2", "e2", "b5", "e5"];
    let mut player = report(alpha_beta(1)).unwrap();
    let mut opponent = RandomPlayer::new();
    for seed in 0..10 {
        player.new_game(0, seed);
        opponent.new_game(0, seed);
        let mut position = PentagoSwap::initial();
        for _ in 0..2 {
            let action = player.choose(&seat(&position)).unwrap().action;
            assert!(centres.contains(&&PentagoSwap::action_name(action)[..2]));
            position.try_play(action).unwrap();
            position.try_play(opponent.choose(&seat(&position)).unwrap().action).unwrap();
        }
    }
}

#[test]
fn the_report_beats_random_with_either_search() {
    assert!(play::<PentagoSwap>(|| report(alpha_beta(1)), random, 5).score() > 0.8);
    assert!(play::<PentagoSwap>(|| report(alpha_beta(2)), random, 2).score() > 0.8);
    assert!(play::<PentagoSwap>(|| report(monte_carlo(1)), random, 2).score() > 0.7);
}

#[test]
fn the_report_keeps_a_clock() {
    let mut position = PentagoSwap::initial();
    play_random(&mut position, 6, &mut rng_for(&[1]));
    let time_left = Some(TimeControl { ms: 5, span: TimeSpan::Turn, clock: ClockKind::Wall });
    for search in [alpha_beta(36), monte_carlo(4096)] {
        let action = report(search).unwrap().choose(&MoveRequest { time_left, ..seat(&position) }).unwrap().action;
        assert!(position.is_legal(action));
    }
}
