//! Matches: fair, repeatable whatever the threads, and honest about games that say nothing.

use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use selfplay_arena::{
    ArenaError, Fixture, GameResult, MatchConfig, MatchProgress, MatchReport, MatchSetting, MatchSummary, Participant,
    RemoteExecutor, StopRule, Termination, games_from_text, games_to_text, play_chunk, play_fixtures, play_match,
};
use selfplay_connect4::Connect4;
use selfplay_env::{Action, Game, Outcome, Side, Typed, rules};
use selfplay_players::{ClockKind, EvalError, Player, TimeControl, TimeSpan};
use selfplay_pylos::Pylos;
use selfplay_ratings::{MatchStrength, PairCounts, SprtConfig, SprtModel};
use selfplay_tictactoe::TicTacToe;

use crate::{Log, Scripted, player};

fn scripted(script: fn(&[Action]) -> Action) -> Result<Box<dyn Player>, EvalError> {
    Ok(Box::new(Scripted(script)))
}

#[test]
fn threads_change_nothing() {
    let config = MatchConfig { pairs: 7, pairs_per_chunk: 2, seed: 3, ..MatchConfig::default() };
    let play = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let search = "search:checkpoint=uniform,simulations=20,temperature=0.5";
        let run = || {
            play_match(
                &Typed::<Connect4>::IT,
                || player::<Connect4>(search),
                || player::<Connect4>("alphabeta:depth=1"),
                &config,
                &MatchSetting::default(),
                |_| (),
            )
        };
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
    let config = MatchConfig { pairs: 6, opening_plies: 9, pairs_per_chunk: 4, ..MatchConfig::default() };
    let report = play_match(
        &Typed::<Pylos>::IT,
        || player::<Pylos>("random"),
        || player::<Pylos>("random"),
        &config,
        &MatchSetting::default(),
        |_| (),
    )
    .unwrap();
    assert_eq!(report.games.len(), 12);
    for (number, game) in report.games.iter().enumerate() {
        assert_eq!((game.opening, game.a_side), (number / 2, Side::BOTH[number % 2]));
        let mut position = Pylos::initial();
        for &action in &game.actions {
            position.try_play(action).unwrap();
        }
        assert_eq!(position.outcome(), game.outcome);
    }
    for pair in report.games.chunks(2) {
        assert!(pair[0].opening_len >= 9);
        assert_eq!(pair[0].actions[..pair[0].opening_len], pair[1].actions[..pair[1].opening_len]);
    }
    assert_eq!(report.duplicates(), 0.0);
    let other = MatchConfig { seed: 1, ..config };
    assert_ne!(
        report,
        play_match(
            &Typed::<Pylos>::IT,
            || player::<Pylos>("random"),
            || player::<Pylos>("random"),
            &other,
            &MatchSetting::default(),
            |_| ()
        )
        .unwrap()
    );
}

#[test]
fn repeated_games_are_counted() {
    let first = |legal: &[Action]| legal[0];
    let config = MatchConfig { pairs: 3, opening_plies: 0, pairs_per_chunk: 1, ..MatchConfig::default() };
    let report = play_match(
        &Typed::<TicTacToe>::IT,
        || scripted(first),
        || scripted(first),
        &config,
        &MatchSetting::default(),
        |_| (),
    )
    .unwrap();
    // X takes a1 c1 b2 and a3: the first player wins the same game six times, three times for each player.
    assert_eq!(report.duplicates(), 5.0 / 6.0);
    assert_eq!((report.wins(), report.draws(), report.losses()), (3, 0, 3));
    assert_eq!((report.pair_counts(), report.first_player_share()), (PairCounts([[0; 3], [0; 3], [3, 0, 0]]), 1.0));
}

#[test]
fn a_game_that_goes_on_too_long_is_a_draw() {
    let config = MatchConfig { pairs: 2, opening_plies: 2, max_plies: 4, ..MatchConfig::default() };
    let calls = Mutex::new(Vec::new());
    let report = play_match(
        &Typed::<TicTacToe>::IT,
        || player::<TicTacToe>("random"),
        || player::<TicTacToe>("random"),
        &config,
        &MatchSetting::default(),
        |p| calls.lock().unwrap().push(p),
    )
    .unwrap();
    assert!(report.games.iter().all(|game| game.actions.len() == 4 && game.outcome.is_none()));
    assert_eq!((report.capped(), report.draws(), report.score()), (4, 4, 0.5));
    let calls = calls.into_inner().unwrap();
    assert_eq!(calls.len(), 4);
    let pair_counts = report.pair_counts();
    assert_eq!(calls[3], MatchProgress { games_done: 4, games: 4, pair_counts });
}

#[test]
fn wrong_configurations_are_refused() {
    let refused = |config: MatchConfig| {
        play_match(
            &Typed::<TicTacToe>::IT,
            || player::<TicTacToe>("random"),
            || player::<TicTacToe>("random"),
            &config,
            &MatchSetting::default(),
            |_| (),
        )
        .unwrap_err()
        .to_string()
    };
    assert_eq!(refused(MatchConfig { pairs: 0, ..MatchConfig::default() }), "`pairs` is 0: expected 1 to 1,000,000");
    let config = MatchConfig { pairs_per_chunk: 0, ..MatchConfig::default() };
    assert_eq!(refused(config), "`pairs_per_chunk` is 0: expected at least 1");
    let config = MatchConfig { max_plies: 4, ..MatchConfig::default() };
    assert_eq!(refused(config), "`max_plies` is 4: expected more than `opening_plies`");
    let second = TimeControl { ms: 1000, span: TimeSpan::Turn, clock: ClockKind::Wall };
    let config = MatchConfig { time: Some(second), time_breaks_draws: true, ..MatchConfig::default() };
    assert_eq!(refused(config), "`time_breaks_draws` is 1: expected false unless `time` is for the whole game");
    let config = MatchConfig { first_move_ms: Some(5), ..MatchConfig::default() };
    assert_eq!(refused(config), "`first_move_ms` is 5: expected at least 1, beside a `time` for each turn");
    let config = MatchConfig { time: Some(TimeControl { ms: 0, ..second }), ..MatchConfig::default() };
    assert_eq!(refused(config), "`time.ms` is 0: expected at least 1");
    let config = MatchConfig { opening_plies: 9, ..MatchConfig::default() };
    assert!(refused(config).contains("no opening of 9 plies"));
}

/// One match between random and alpha-beta, and what the observer saw of it.
fn stopped_match(cores: usize, pairs: usize, stop: Option<&StopRule>) -> (MatchReport, Log) {
    let config = MatchConfig { pairs, pairs_per_chunk: 3, seed: 8, ..MatchConfig::default() };
    let participants =
        ["random", "alphabeta:depth=1"].map(|spec| Participant::new(move || player::<Connect4>(spec)).unwrap());
    let setting = MatchSetting { cores, stop, ..MatchSetting::default() };
    let mut log = Log::default();
    let fixtures = [Fixture::new(&Typed::<Connect4>::IT, [0, 1], config).unwrap()];
    let report = play_fixtures(&participants, &fixtures, &setting, &mut log).unwrap().remove(0);
    (report, log)
}

#[test]
fn a_match_stops_at_the_same_pair_on_any_number_of_cores() {
    let is_decided = |counts: &PairCounts| counts.pairs() >= 5 && counts.score() < 0.4;
    let stop = StopRule { name: "clear after 5".into(), is_decided: Box::new(is_decided) };
    let (whole, whole_log) = stopped_match(1, 40, None);
    let (report, log) = stopped_match(1, 40, Some(&stop));
    assert!(is_decided(&report.pair_counts()), "this match is clear");
    let pairs = report.games.len() / 2;
    assert!((5..40).contains(&pairs) && !is_decided(&whole_of(&whole, pairs - 1).pair_counts()));
    assert_eq!(report, whole_of(&whole, pairs), "what was played is the start of the whole match");
    for cores in [2, 3, 5] {
        let (other, other_log) = stopped_match(cores, 40, Some(&stop));
        assert_eq!(report, other);
        assert_eq!(log.games, other_log.games);
        assert_eq!(whole, stopped_match(cores, 40, None).0);
    }
    let seen: Vec<GameResult> = log.games.into_iter().map(|(_, game)| game).collect();
    assert_eq!(seen, report.games);
    assert_eq!(whole_log.progress.len(), 80);
    let done: Vec<usize> = whole_log.progress.iter().map(|(_, progress)| progress.games_done).collect();
    assert_eq!(done, (1..=80).collect::<Vec<_>>());
    assert_eq!(whole_log.progress[79].1.pair_counts, whole.pair_counts());
    assert_eq!(whole_log.announced, [(0, ["random".to_owned(), "alphabeta:depth=1".to_owned()])]);
}

fn whole_of(report: &MatchReport, pairs: usize) -> MatchReport {
    MatchReport { games: report.games[..2 * pairs].to_vec(), ..report.clone() }
}

/// Plays chunks by themselves, the first of them last.
struct Slowly(MatchConfig);

impl RemoteExecutor for Slowly {
    fn at_once(&self) -> usize {
        3
    }

    fn play(
        &self,
        _fixture: usize,
        pairs: Range<usize>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<GameResult>>, ArenaError> {
        std::thread::sleep(Duration::from_millis(if pairs.start == 0 { 50 } else { 0 }));
        if is_cancelled() {
            return Ok(None);
        }
        let [a, b] = ["random", "alphabeta:depth=1"].map(|spec| move || player::<Connect4>(spec));
        let games = play_chunk(&Typed::<Connect4>::IT, a, b, &self.0, pairs)?;
        let text = games_to_text(rules::<Connect4>(), &games);
        assert_eq!(games_from_text(rules::<Connect4>(), &text).unwrap(), games, "they travel as text");
        Ok(Some(games))
    }
}

#[test]
fn a_match_played_elsewhere_is_the_same() {
    let is_decided = |counts: &PairCounts| counts.pairs() >= 5 && counts.score() < 0.4;
    let stop = StopRule { name: "clear after 5".into(), is_decided: Box::new(is_decided) };
    let config = MatchConfig { pairs: 20, pairs_per_chunk: 3, seed: 8, ..MatchConfig::default() };
    let slowly = Slowly(config.clone());
    for stop in [None, Some(&stop)] {
        let participants =
            ["random", "alphabeta:depth=1"].map(|spec| Participant::new(move || player::<Connect4>(spec)).unwrap());
        let fixtures = [Fixture::new(&Typed::<Connect4>::IT, [0, 1], config.clone()).unwrap()];
        let setting = MatchSetting { stop, remote: Some(&slowly), ..MatchSetting::default() };
        let mut log = Log::default();
        let report = play_fixtures(&participants, &fixtures, &setting, &mut log).unwrap().remove(0);
        assert_eq!(report, stopped_match(2, 20, stop).0);
        let last = log.progress.last().unwrap().1;
        assert!(stop.is_some() || (last.games_done, last.pair_counts) == (40, report.pair_counts()));
    }
}

#[test]
fn several_matches_are_those_played_alone() {
    let specs = ["random", "alphabeta:depth=1", "search:checkpoint=uniform,simulations=10"];
    let participants = specs.map(|spec| Participant::new(move || player::<Connect4>(spec)).unwrap());
    let config = |seed| MatchConfig { pairs: 3, pairs_per_chunk: 2, seed, ..MatchConfig::default() };
    let plan = [([0, 1], config(1)), ([2, 0], config(2)), ([1, 2], config(3))];
    let play = |plan: &[([usize; 2], MatchConfig)], cores| {
        let fixtures: Vec<_> = plan
            .iter()
            .map(|(players, c)| Fixture::new(&Typed::<Connect4>::IT, *players, c.clone()).unwrap())
            .collect();
        let setting = MatchSetting { cores, ..MatchSetting::default() };
        let mut log = Log::default();
        let reports = play_fixtures(&participants, &fixtures, &setting, &mut log).unwrap();
        let order: Vec<usize> = log.games.iter().map(|&(fixture, _)| fixture).collect();
        assert!(order.is_sorted(), "pairs are reported in the order of the matches");
        reports
    };
    let together = play(&plan, 3);
    for (report, fixture) in together.iter().zip(&plan) {
        assert_eq!(*report, play(std::slice::from_ref(fixture), 1)[0]);
    }
    assert_eq!((together[1].a.as_str(), together[1].b.as_str()), (specs[2], specs[0]));
}

#[test]
fn what_the_observer_reports_ends_the_match() {
    let config = MatchConfig { pairs: 9, pairs_per_chunk: 1, ..MatchConfig::default() };
    let participants = [Participant::new(|| player::<TicTacToe>("random")).unwrap()];
    let mut log = Log { breaks_after: Some(6), ..Log::default() };
    let fixtures = [Fixture::new(&Typed::<TicTacToe>::IT, [0, 0], config).unwrap()];
    let error = play_fixtures(&participants, &fixtures, &MatchSetting::default(), &mut log).unwrap_err();
    assert!(error.to_string().contains("the observer"), "{error}");
    assert_eq!(log.games.len(), 6);
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
            actions: vec![Action(number as u16)],
            outcome: Some(winner.map_or(Outcome::Draw, Outcome::Win)),
            termination: Termination::Rules,
            move_times: Vec::new(),
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
    let elo = MatchStrength::from_counts(&counts).elo;
    assert_eq!((summary.elo, summary.elo_low, summary.elo_high), (elo.elo, elo.low, elo.high));
    assert_eq!(summary.encounter().pair_counts, counts);
    // First players: A won games 0, 2, 6 and drew 4; B lost game 1, won 3 and 9, drew 5 and 7; A lost game 8.
    assert_eq!(summary.first_player_share, 0.65);
    let test = SprtConfig { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: SprtModel::Logistic };
    assert_eq!(summary.with_sprt(test).sprt.unwrap().state, test.state(&counts));
}
