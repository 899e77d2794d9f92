//! The named baselines: whole games, what each is known for, and books.

use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::registry::GAME_IDS;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Advice, Game, GameVisitor, Side, Symmetric, Symmetry, WholeGame, with_game};
use selfplay_eval::baselines::pentago_spread::{REPORT_WIN, outcome_value, spread};
use selfplay_eval::baselines::{
    Book, BookConfig, BookPlay, GreedyPlayer, PentagoReportConfig, PenteMinimaxConfig, ReportSearch, SpreadEvaluation,
    build_book, for_game, pentago_report, pente_minimax, pente_random,
};
use selfplay_eval::{
    ClockKind, EvalError, MatchConfig, MatchReport, MatchSetting, Player, RandomPlayer, Seat, TimeControl, TimeSpan,
    play_match,
};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pente::Pente;
use selfplay_tictactoe::TicTacToe;

type Made<G> = Result<Box<dyn Player<G>>, EvalError>;

fn random<G: Game>() -> Made<G> {
    Ok(Box::new(RandomPlayer::new()))
}

fn greedy<G: WholeGame>() -> Made<G> {
    Ok(Box::new(GreedyPlayer::new()))
}

fn minimax<G: Game>(depth: u32) -> Made<G> {
    pente_minimax("pente-minimax".into(), PenteMinimaxConfig { depth: Some(depth) })
}

fn report<G: Game>(search: ReportSearch) -> Made<G> {
    pentago_report("pentago-report".into(), &PentagoReportConfig { search, book: None })
}

fn alpha_beta(depth: u32) -> ReportSearch {
    ReportSearch::AlphaBeta { depth, evaluation: SpreadEvaluation::Board }
}

/// Plays the match twice: the same games, all of them to their ends.
fn play<G: Advice>(a: impl Fn() -> Made<G> + Sync, b: impl Fn() -> Made<G> + Sync, pairs: usize) -> MatchReport {
    let config = MatchConfig { pairs, ..MatchConfig::default() };
    let first = play_match(&a, &b, &config, &MatchSetting::default(), |_| ()).unwrap();
    assert_eq!(first, play_match(&a, &b, &config, &MatchSetting::default(), |_| ()).unwrap());
    assert!(first.games.iter().all(|game| game.outcome.is_some()));
    first
}

fn seat<G>(position: &G) -> Seat<'_, G> {
    Seat { table: 0, position, history: &[], time_left: None }
}

fn after<G: Game>(line: &str) -> G {
    let mut position = G::initial();
    line.split_whitespace().for_each(|text| position.try_play(G::parse_action(text).unwrap()).unwrap());
    position
}

struct GreedyPlays;

impl GameVisitor for GreedyPlays {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        play::<G>(greedy, random, 1);
    }
}

#[test]
fn greedy_plays_every_game_and_beats_random() {
    for id in GAME_IDS {
        with_game(id, GreedyPlays).unwrap();
    }
    assert!(play::<Connect4>(greedy, random, 20).score() > 0.8);
    assert!(play::<Pente<9>>(greedy, random, 10).score() > 0.9);
}

#[test]
fn greedy_takes_a_win_before_anything_else() {
    let position = after::<TicTacToe>("a1 b1 a2 b2");
    let action = GreedyPlayer::new().choose(&seat(&position)).unwrap().action;
    assert_eq!(TicTacToe::action_name(action), "a3");
}

#[test]
fn pente_agents_play_all_sizes_and_minimax_is_the_stronger() {
    play::<Pente<19>>(pente_random, random, 1);
    play::<Pente<13>>(pente_random, || minimax(1), 1);
    assert!(play::<Pente<9>>(|| minimax(2), pente_random, 4).score() > 0.9);
    assert!(play::<Pente<19>>(|| minimax(2), pente_random, 2).score() > 0.9);
}

#[test]
fn pente_minimax_sees_wins_fours_and_captures() {
    let choice = |line: &str, depth| {
        let position = after::<Pente<9>>(line);
        Pente::<9>::action_name(minimax::<Pente<9>>(depth).unwrap().choose(&seat(&position)).unwrap().action)
    };
    // White has four in the bottom row, open on both sides.
    let four = "5E 9A 1C 9B 1D 8A 1E 8C 1F 7C";
    assert!(["1B", "1G"].contains(&choice(four, 1).as_str()));
    assert!(["1B", "1G"].contains(&choice(four, 3).as_str()));
    // A closed four is stopped, which takes looking two decisions ahead.
    assert_eq!(choice("5E 1B 1C 9B 1D 8A 1E 8C 1F", 2), "1G");
    // The pair 5F 5G stands between White's 5E and an empty point.
    assert_eq!(choice("5E 5F 1C 5G", 1), "5H");
}

#[test]
fn pente_minimax_keeps_any_clock() {
    let mut position = Pente::<19>::initial();
    play_random(&mut position, 60, &mut rng_for(&[2]));
    let mut player = pente_minimax::<Pente<19>>("m".into(), PenteMinimaxConfig::default()).unwrap();
    for (ms, span) in [(1, TimeSpan::Game), (20, TimeSpan::Decision), (2_999, TimeSpan::Game)] {
        let time_left = Some(TimeControl { ms, span, clock: ClockKind::Cpu });
        assert!(position.is_legal(player.choose(&Seat { time_left, ..seat(&position) }).unwrap().action));
    }
}

#[test]
fn players_of_one_game_refuse_others() {
    let text = |error: Option<EvalError>| error.unwrap().to_string();
    let error = text(pente_random::<TicTacToe>().err());
    assert_eq!(error, "player `pente-random` does not play tictactoe: it plays pente, pente-13, pente-9");
    assert!(text(minimax::<Connect4>(1).err()).starts_with("player `pente-minimax` does not play connect4"));
    let error = text(report::<Pente<9>>(ReportSearch::default()).err());
    assert_eq!(error, "player `pentago-report` does not play pente-9: it plays pentago-swap");
    assert!(text(minimax::<Pente<9>>(0).err()).starts_with("`depth` is 0"));
    assert!(text(report::<PentagoSwap>(alpha_beta(37)).err()).starts_with("`depth` is 37"));
    let no_memory = ReportSearch::MonteCarlo { memory_mib: 0 };
    assert!(text(report::<PentagoSwap>(no_memory).err()).starts_with("`memory` is 0"));
    assert!(for_game::<TicTacToe, Connect4>(Box::new(RandomPlayer::new())).is_none());
    assert!(for_game::<TicTacToe, TicTacToe>(Box::new(RandomPlayer::new())).is_some());
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
fn running_after(decisions: usize, seed: u64) -> PentagoSwap {
    let games = (0..).map(|game| {
        let mut position = PentagoSwap::initial();
        play_random(&mut position, decisions, &mut rng_for(&[seed, game]));
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
    for (seed, depth, evaluation, decisions) in [
        (1, 2, SpreadEvaluation::Board, 24),
        (2, 3, SpreadEvaluation::Board, 32),
        (3, 1, SpreadEvaluation::Average, 20),
    ] {
        let position = running_after(decisions, seed);
        let values = values(&position, depth, evaluation);
        let best = values.iter().map(|&(value, _)| value).max().unwrap();
        assert!(best.abs() <= REPORT_WIN);
        let mut player = report::<PentagoSwap>(ReportSearch::AlphaBeta { depth, evaluation }).unwrap();
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
    let mut player = report::<PentagoSwap>(alpha_beta(1)).unwrap();
    let mut opponent = RandomPlayer::new();
    for seed in 0..10 {
        player.new_game(0, seed);
        Player::<PentagoSwap>::new_game(&mut opponent, 0, seed);
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
    assert!(play::<PentagoSwap>(|| report(ReportSearch::MonteCarlo { memory_mib: 1 }), random, 2).score() > 0.7);
}

#[test]
fn the_report_keeps_a_clock() {
    let mut position = PentagoSwap::initial();
    play_random(&mut position, 6, &mut rng_for(&[1]));
    let time_left = Some(TimeControl { ms: 5, span: TimeSpan::Decision, clock: ClockKind::Wall });
    for search in [alpha_beta(36), ReportSearch::MonteCarlo { memory_mib: 4096 }] {
        let action =
            report::<PentagoSwap>(search).unwrap().choose(&Seat { time_left, ..seat(&position) }).unwrap().action;
        assert!(position.is_legal(action));
    }
}

#[test]
fn a_book_knows_all_images_of_its_positions() {
    let text = "book 1 pentago-swap\n\n# The first reply.\n: b2:AB\nb2:AB c3:CD : e5:AC\n";
    let book = Book::<PentagoSwap>::parse(text, "opening.book").unwrap();
    assert_eq!(book.to_text(), text.replace("\n\n# The first reply.", ""));
    let position = after::<PentagoSwap>("b2:AB c3:CD");
    let best = |position: &PentagoSwap| book.best(position).map(PentagoSwap::action_name);
    assert_eq!(best(&position).as_deref(), Some("e5:AC"));
    for symmetry in Symmetry::ALL {
        let image = position.transform(symmetry);
        let expected = PentagoSwap::transform_action(PentagoSwap::parse_action("e5:AC").unwrap(), symmetry);
        assert_eq!(book.best(&image), Some(image.canonical_action(expected)));
    }
    assert_eq!(best(&after("a1:AB")), None);
}

#[test]
fn a_wrong_book_is_refused_with_file_line_and_reason() {
    let error = |text: &str| Book::<TicTacToe>::parse(text, "b.txt").unwrap_err().to_string();
    let with = |line: &str| error(&format!("book 1 tictactoe\n: b2\n{line}\n"));
    for (error, expected) in [
        (error(""), "book `b.txt`, line 1: it is ``, a book of this game begins with `book 1 tictactoe`"),
        (error("book 1 connect4\n"), "book `b.txt`, line 1: it is `book 1 connect4`"),
        (with("a1 b1"), "book `b.txt`, line 3: no best move"),
        (with("a1 : b1 b2"), "book `b.txt`, line 3: `b2` follows the best move"),
        (with("a1 a1 : b2"), "book `b.txt`, line 3: a1 is not legal here"),
        (with("a1 : a1"), "book `b.txt`, line 3: the best move a1 is not legal here"),
        (with("z9 : a1"), "book `b.txt`, line 3: `z9` is not a decision of tictactoe"),
        (
            with("# x\na1 : b2\nc3 : b2"),
            "book `b.txt`, line 5: the same position, or an image of it, stands before, after `a1`",
        ),
    ] {
        assert!(error.starts_with(expected), "{error}");
    }
    let missing = std::path::Path::new("/no/such/folder/b.txt");
    assert!(Book::<TicTacToe>::read(missing).unwrap_err().to_string().starts_with("book `/no/such/folder/b.txt`: "));
    assert!(Book::<TicTacToe>::new().write(missing).is_err());
}

#[test]
fn a_book_that_is_built_is_what_its_player_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.book");
    let config = BookConfig { decisions: 5, games: 6, play: BookPlay::Own, seed: 1 };
    let mut player = report::<PentagoSwap>(alpha_beta(1)).unwrap();
    let mut sizes = Vec::new();
    let book = build_book(player.as_mut(), &config, |games, book| sizes.push((games, book.entries().len()))).unwrap();
    assert_eq!(sizes.len(), 6);
    assert!(book.entries().len() > 6, "{}", book.to_text());
    book.write(&path).unwrap();
    assert_eq!(Book::<PentagoSwap>::read(&path).unwrap().to_text(), book.to_text());
    // Another player with this book plays its moves wherever it stands in it.
    let with_book = PentagoReportConfig { search: alpha_beta(2), book: Some(path) };
    let mut reader = pentago_report::<PentagoSwap>("reader".into(), &with_book).unwrap();
    for entry in book.entries() {
        assert_eq!(reader.choose(&seat(&entry.position)).unwrap().action, entry.best);
    }
    let random = BookConfig { play: BookPlay::Random, ..config };
    let all = build_book(player.as_mut(), &random, |_, _| ()).unwrap();
    assert!(all.entries().iter().any(|entry| entry.decisions.len() == 4));
    let error = build_book(player.as_mut(), &BookConfig { games: 0, ..config }, |_, _: &Book<PentagoSwap>| ());
    assert!(error.unwrap_err().to_string().starts_with("`games` is 0"));
}
