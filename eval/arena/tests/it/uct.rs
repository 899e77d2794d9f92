//! Monte-Carlo tree search: strength, bounds, memory and time.

use selfplay_arena::{MatchConfig, MatchSetting, play_match};
use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{CompleteGame, Game, Typed};
use selfplay_pente::Pente;
use selfplay_players::baselines::move_clock::MoveClock;
use selfplay_players::baselines::uct_tree::{UctLimits, UctTree, WhenFull};
use selfplay_players::baselines::{UctConfig, UctPlayer};
use selfplay_players::{
    AlphaBetaConfig, AlphaBetaLimits, ClockKind, Decision, EvalError, MoveRequest, Player, RandomPlayer, TimeControl,
    TimeSpan, alpha_beta,
};
use selfplay_pylos::Pylos;
use selfplay_tictactoe::TicTacToe;

use crate::in_every_game;

fn uct<G: CompleteGame>(config: UctConfig) -> Result<Box<dyn Player>, EvalError> {
    Ok(Box::new(UctPlayer::<G>::new("uct".into(), config)?))
}

fn choose<G: CompleteGame>(config: UctConfig, position: &G, time_left: Option<TimeControl>) -> Decision {
    uct::<G>(config).unwrap().choose(&MoveRequest { table: 0, position, history: &[], time_left }).unwrap()
}

#[test]
fn fifty_simulations_beat_random_on_connect4() {
    let config = MatchConfig { pairs: 20, ..MatchConfig::default() };
    let random = || -> Result<Box<dyn Player>, EvalError> { Ok(Box::new(RandomPlayer::new())) };
    let report = play_match(
        &Typed::<Connect4>::IT,
        || uct::<Connect4>(UctConfig::simulations(50)),
        random,
        &config,
        &MatchSetting::default(),
        |_| (),
    )
    .unwrap();
    assert!(report.score() >= 0.8, "{}", report.score());
}

fn play_a_game<G: CompleteGame>() {
    let config = MatchConfig { pairs: 1, ..MatchConfig::default() };
    let random = || -> Result<Box<dyn Player>, EvalError> { Ok(Box::new(RandomPlayer::new())) };
    let play = || {
        play_match(
            &Typed::<G>::IT,
            || uct::<G>(UctConfig::simulations(10)),
            random,
            &config,
            &MatchSetting::default(),
            |_| (),
        )
        .unwrap()
    };
    let report = play();
    assert!(report.games.iter().all(|game| game.outcome.is_some()), "{}", G::spec().id);
    assert_eq!(report, play(), "{}", G::spec().id);
}

#[test]
fn plays_whole_games_of_every_kind_and_the_same_again() {
    in_every_game!(play_a_game);
}

#[test]
fn every_simulation_is_counted_once() {
    for actions in [0, 7, 20] {
        let mut position = Pylos::initial();
        play_random(&mut position, actions, &mut rng_for(&[3]));
        let report = choose(UctConfig::simulations(500), &position, None).report().unwrap().clone();
        assert_eq!(report.simulations, 500);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u32>(), 500);
        let mean = report.moves.iter().map(|m| f64::from(m.q) * f64::from(m.visits)).sum::<f64>() / 500.0;
        assert!((mean - f64::from(report.wdl.value())).abs() < 1e-4, "all values are those of the side to move");
        assert!((report.wdl.win + report.wdl.draw + report.wdl.loss - 1.0).abs() < 1e-5);
        assert_eq!(report.principal_variation[0], report.best());
    }
}

/// Ends of Pylos games, in the middle of turns and at their starts, against exact search.
#[test]
fn agrees_with_exact_search_where_turns_have_several_actions() {
    let (mut agreed, mut compared, mut in_turn) = (0, 0, 0);
    for seed in 0..200 {
        let mut rng = rng_for(&[seed]);
        let game = play_random(&mut Pylos::initial(), 1000, &mut rng);
        let mut position = Pylos::initial();
        game[..game.len().saturating_sub(5)].iter().for_each(|&action| position.play(action));
        let exact = alpha_beta(&position, &AlphaBetaConfig::exact(AlphaBetaLimits::nodes(50_000))).unwrap();
        let mut distinct = Vec::new();
        position.distinct_actions(&mut distinct);
        // Only where some moves win and others do not is there something to find.
        if exact.score < selfplay_env::tactics::HEURISTIC_LIMIT || exact.best.len() == distinct.len() {
            continue;
        }
        let action = choose(UctConfig::simulations(3000), &position, None).action;
        let mut after = position.clone();
        after.play(action);
        let sign = if after.side_to_move() == position.side_to_move() { 1 } else { -1 };
        let still_won = after.outcome().map_or_else(
            || {
                sign * alpha_beta(&after, &AlphaBetaConfig::exact(AlphaBetaLimits::depth(exact.depth + 1)))
                    .unwrap()
                    .score
                    > 0
            },
            |outcome| outcome.value_for(position.side_to_move()) == 1,
        );
        compared += 1;
        in_turn += usize::from(!position.starts_turn());
        agreed += usize::from(still_won);
    }
    assert!(
        compared >= 20 && in_turn >= 3 && agreed * 10 >= compared * 9,
        "{agreed} of {compared}, {in_turn} in turns"
    );
}

#[test]
fn takes_a_win_and_stops_one() {
    let play = |line: &str| {
        let mut position = TicTacToe::initial();
        line.split(' ').for_each(|text| position.try_play(TicTacToe::parse_action(text).unwrap()).unwrap());
        TicTacToe::action_name(choose(UctConfig::simulations(2000), &position, None).action)
    };
    assert_eq!(play("a1 b1 a2 b2"), "a3");
    assert_eq!(play("a1 b2 a2"), "a3");
}

#[test]
fn memory_is_never_exceeded_and_the_search_goes_on() {
    let position = Pente::<19>::initial();
    let mut played = position;
    play_random(&mut played, 3, &mut rng_for(&[1]));
    let seat: MoveRequest = MoveRequest { table: 0, position: &played, history: &[], time_left: None };
    let limits =
        |when_full| UctLimits { simulations: 2000, clock: MoveClock::start(None, &seat), when_full, exploration: 1.0 };
    let mut tree = UctTree::new(1);
    let report = tree.search(&played, &limits(WhenFull::GoOn), &mut rng_for(&[0]));
    assert_eq!(report.simulations, 2000);
    assert!(tree.memory_bytes() <= 1 << 20 && tree.len() + 400 > tree.most_nodes(), "{} nodes", tree.len());
    let report = tree.search(&played, &limits(WhenFull::Stop), &mut rng_for(&[0]));
    assert!(report.simulations < 2000, "{}", report.simulations);
    assert!(tree.memory_bytes() <= 1 << 20);
}

#[test]
fn a_clock_ends_the_search_with_a_move() {
    let position = Connect4::initial();
    let given = |ms, span, clock| Some(TimeControl { ms, span, clock });
    let endless = UctConfig { simulations: Some(1_000_000_000), ..UctConfig::default() };
    for clock in [ClockKind::Wall, ClockKind::Cpu] {
        for (ms, span) in [(30, TimeSpan::Turn), (300, TimeSpan::Game), (0, TimeSpan::Turn)] {
            let report = choose(endless, &position, given(ms, span, clock)).report().unwrap().clone();
            assert!(report.simulations >= 1 && report.simulations < 1_000_000_000);
        }
    }
    let own = UctConfig { time_ms: Some(20), memory_mib: 1, ..UctConfig::default() };
    assert!(choose(own, &position, None).report().unwrap().simulations >= 1);
    let unlimited = choose(UctConfig::default(), &position, None).report().unwrap().clone();
    assert_eq!(unlimited.simulations, 1000, "without any limit");
}

#[test]
fn wrong_configurations_are_refused() {
    let default = UctConfig::default();
    for (config, key) in [
        (UctConfig { simulations: Some(0), ..default }, "`simulations` is 0"),
        (UctConfig { time_ms: Some(0), ..default }, "`time_ms` is 0"),
        (UctConfig { exploration: f64::NAN, ..default }, "`exploration` is NaN"),
        (UctConfig { memory_mib: 0, ..default }, "`memory_mib` is 0"),
    ] {
        let error = UctPlayer::<TicTacToe>::new("uct".into(), config).err().unwrap().to_string();
        assert!(error.starts_with(key), "{error}");
    }
    let mut over = TicTacToe::initial();
    play_random(&mut over, 9, &mut rng_for(&[0]));
    let error = uct::<TicTacToe>(default).unwrap().choose(&MoveRequest {
        table: 4,
        position: &over,
        history: &[],
        time_left: None,
    });
    assert!(matches!(error, Err(EvalError::GameOver { table: 4, .. })));
}
