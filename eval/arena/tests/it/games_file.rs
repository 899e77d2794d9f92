//! Games on disk: what is written reads back, what was cut off is played again, what is wrong is named.

use std::path::{Path, PathBuf};

use selfplay_arena::{
    ArenaError, Fixture, GamesFile, GamesHeader, MatchConfig, MatchReport, MatchSetting, Participant, StopRule,
    Termination, play_fixtures, play_recorded_match,
};
use selfplay_env::{Typed, rules};
use selfplay_players::{ClockKind, TimeControl, TimeSpan};
use selfplay_ratings::PairCounts;
use selfplay_tictactoe::TicTacToe;
use serde_json::json;
use tempfile::TempDir;

use crate::{Log, player};

fn config() -> MatchConfig {
    MatchConfig { pairs: 4, pairs_per_chunk: 3, opening_plies: 2, seed: 5, ..MatchConfig::default() }
}

fn participants() -> [Participant<'static>; 2] {
    ["random", "alphabeta:depth=1"].map(|spec| Participant::new(move || player::<TicTacToe>(spec)).unwrap())
}

fn play(path: &Path, config: &MatchConfig, setting: &MatchSetting) -> Result<(MatchReport, Log), ArenaError> {
    let mut log = Log::default();
    play_recorded_match(&Typed::<TicTacToe>::IT, &participants(), config, setting, path, &mut log)
        .map(|report| (report, log))
}

/// A folder with a whole match in `games.jsonl`.
fn whole_match() -> (TempDir, PathBuf, MatchReport, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    let (report, log) = play(&path, &config(), &MatchSetting::default()).unwrap();
    assert_eq!((report.games.len(), log.games.len()), (8, 8));
    let text = std::fs::read_to_string(&path).unwrap();
    (folder, path, report, text)
}

/// Every end and every middle of a line, and what is one byte before and after.
fn cuts(text: &str) -> Vec<usize> {
    let mut cuts = vec![0];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        cuts.extend([start + 1, start + line.len() / 2, start + line.len() - 1, start + line.len()]);
        start += line.len();
    }
    cuts
}

#[test]
fn a_resumed_match_is_an_unbroken_one_byte_for_byte() {
    let (_folder, path, report, text) = whole_match();
    assert_eq!(text.lines().count(), 9);
    for cores in [1, 3] {
        let setting = MatchSetting { cores, ..MatchSetting::default() };
        for cut in cuts(&text) {
            std::fs::write(&path, &text[..cut]).unwrap();
            let (resumed, log) = play(&path, &config(), &setting).unwrap();
            assert_eq!(resumed, report, "cut at byte {cut}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "cut at byte {cut}");
            let whole_pairs = text[..cut].matches('\n').count().saturating_sub(1) / 2;
            assert_eq!(log.games.len(), 8 - 2 * whole_pairs, "only missing pairs are played");
            let last = log.progress.last().map(|(_, progress)| (progress.games_done, progress.pair_counts));
            assert_eq!(last.unwrap_or((8, report.pair_counts())), (8, report.pair_counts()));
        }
    }
}

#[test]
fn an_early_stop_is_the_same_after_an_interruption() {
    let (_folder, path, ..) = whole_match();
    let is_decided: fn(&PairCounts) -> bool = |counts| counts.pairs() == 3;
    let stop = StopRule { name: "three pairs".into(), is_decided: Box::new(is_decided) };
    let setting = MatchSetting { stop: Some(&stop), ..MatchSetting::default() };
    let error = play(&path, &config(), &setting).unwrap_err().to_string();
    assert!(error.contains("`plan.stop` is null in the file and \"three pairs\" here"), "{error}");
    std::fs::remove_file(&path).unwrap();
    let (report, _) = play(&path, &config(), &setting).unwrap();
    assert_eq!(report.games.len(), 6);
    let text = std::fs::read_to_string(&path).unwrap();
    for cut in cuts(&text) {
        std::fs::write(&path, &text[..cut]).unwrap();
        assert_eq!(play(&path, &config(), &setting).unwrap().0, report);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    // A game behind the stop.
    let extra = text.lines().nth(1).unwrap().replace("\"game\":0", "\"game\":6");
    std::fs::write(&path, format!("{text}{extra}\n{extra}\n")).unwrap();
    let error = play(&path, &config(), &setting).unwrap_err().to_string();
    assert!(error.ends_with("games.jsonl, line 8: the match was over before this game"), "{error}");
}

#[test]
fn other_matches_are_refused_with_the_difference() {
    let (_folder, path, _, text) = whole_match();
    let refused = |config: MatchConfig| play(&path, &config, &MatchSetting::default()).unwrap_err().to_string();
    let error = refused(MatchConfig { opening_plies: 3, ..config() });
    assert!(error.contains("`plan.match.opening_plies` is 2 in the file and 3 here"), "{error}");
    let error = refused(MatchConfig { seed: 6, ..config() });
    assert!(error.contains("`plan.match.seed` is 5 in the file and 6 here"), "{error}");
    let time = TimeControl { ms: 9, span: TimeSpan::Game, clock: ClockKind::Cpu };
    let error = refused(MatchConfig { time: Some(time), ..config() });
    assert!(error.contains("`plan.match.time` is null in the file and {"), "{error}");
    let [a, b] = participants();
    let error = play_recorded_match(
        &Typed::<TicTacToe>::IT,
        &[b, a],
        &config(),
        &MatchSetting::default(),
        &path,
        &mut Log::default(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`players.0` is \"random\" in the file and \"alphabeta:depth=1\" here"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "a refused file stays as it is");
    for foreign in ["my notes", "my notes\n", "{\"format\":1}\n", "[\n"] {
        std::fs::write(&path, foreign).unwrap();
        refused(config());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
    }
}

#[test]
fn a_game_that_disagrees_is_named_by_its_line() {
    let (_folder, path, _, text) = whole_match();
    let lines: Vec<&str> = text.lines().collect();
    let refused = |number: usize, change: &dyn Fn(&str) -> String| {
        let mut changed: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        changed[number - 1] = change(&changed[number - 1]);
        assert_ne!(changed[number - 1], lines[number - 1], "the change changes something");
        std::fs::write(&path, changed.join("\n") + "\n").unwrap();
        let error = play(&path, &config(), &MatchSetting::default()).unwrap_err();
        let place = format!("games.jsonl, line {number}: ");
        let error = error.to_string();
        let reason = error.split_once(&place).unwrap_or_else(|| panic!("{error}")).1;
        reason.to_owned()
    };
    let value = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let result = value(lines[3])["result"].as_str().unwrap().to_owned();
    let other = if result == "1" { "2" } else { "1" };
    let [was, is] = [&result[..], other].map(|mark| format!("\"result\":\"{mark}\""));
    let reason = refused(4, &|line| line.replace(&was, &is));
    assert_eq!(reason, format!("the recorded result is {other}, but its termination implies {result}"));
    assert!(refused(5, &|_| "nonsense".into()).starts_with("invalid game record: "));
    assert!(refused(5, &|line| line.replace("\"opening\":2", "\"opening\":2,\"more\":1")).contains("unknown field"));
    let moves = value(lines[2])["moves"].as_str().unwrap().to_owned();
    let repeated = format!("{} {moves}", &moves[..2]);
    let reason = refused(3, &|line| line.replace(&moves, &repeated));
    assert!(reason.starts_with("action 2: ") && reason.contains("not legal here"), "{reason}");
    let reason = refused(3, &|line| line.replace("\"end\":\"rules\"", "\"end\":\"capped\""));
    assert_eq!(reason, "the game was already over");
    let shorter = &moves[..moves.len() - 3];
    let reason = refused(3, &|line| line.replace(&moves, shorter));
    assert_eq!(reason, "the game is not over by the rules");
    assert!(refused(3, &|line| line.replace("\"final\":\"", "\"final\":\" ")).starts_with("inconsistent record"));
    assert!(refused(3, &|line| line.replace("second", "first")).starts_with("inconsistent record"));
    assert_eq!(refused(3, &|_| lines[3].to_owned()), "it is game 2: expected game 1");
    assert_eq!(refused(6, &|line| line.replace("[0,1]", "[1,0]")), "the players are [1, 0]: expected [0, 1]");
    let reason = refused(2, &|line| line.replace("\"match\":0", "\"match\":1"));
    assert_eq!(reason, "match 0 is not complete before this game");
    // The first two stones of the first player in the other order: the same game by the rules, another opening.
    let names = value(lines[1])["moves"].as_str().unwrap().to_owned();
    let mut swapped: Vec<&str> = names.split(' ').collect();
    swapped.swap(0, 2);
    let reason = refused(2, &|line| line.replace(&names, &swapped.join(" ")));
    assert_eq!(reason, "it does not begin with opening 0 of the match");
    assert_eq!(
        refused(2, &|line| line.replace("\"opening\":2", "\"opening\":1")),
        "it does not begin with opening 0 of the match"
    );
}

#[test]
fn times_and_forfeits_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("timed.jsonl");
    let time = Some(TimeControl { ms: 1_000_000, span: TimeSpan::Game, clock: ClockKind::Wall });
    let config = MatchConfig { pairs: 10, opening_plies: 1, time, time_breaks_draws: true, ..config() };
    let best = || Participant::new(|| player::<TicTacToe>("alphabeta:depth=9")).unwrap();
    let fixtures = [Fixture::new(&Typed::<TicTacToe>::IT, [0, 1], config).unwrap()];
    let mut games = play_fixtures(&[best(), best()], &fixtures, &MatchSetting::default(), &mut Log::default())
        .unwrap()
        .remove(0)
        .games;
    assert!(games.iter().any(|game| game.termination == Termination::MoreTimeLeft), "perfect play is drawn");
    for (game, termination) in [
        Termination::TimeForfeit { used_ms: 7, allowed_ms: 5 },
        Termination::IllegalMove { reason: "“x” is no move".into() },
        Termination::PlayerFailed { reason: "gone\n".into() },
    ]
    .into_iter()
    .enumerate()
    {
        // Cut before the last move: whoever was to make it loses.
        let game = &mut games[game];
        game.actions.pop();
        let mover = selfplay_env::Side::BOTH[game.actions.len() % 2];
        game.outcome = Some(selfplay_env::Outcome::Win(mover.opponent()));
        game.termination = termination;
    }
    let header = GamesHeader::new("tictactoe", vec!["a".into(), "b".into()], json!({ "seed": u64::MAX }));
    let mut file = GamesFile::create(&path, rules::<TicTacToe>(), &header).unwrap();
    for pair in games.chunks(2) {
        file.append(7, [1, 0], pair).unwrap();
    }
    let error = GamesFile::resume(&path, rules::<TicTacToe>(), &header).unwrap_err().to_string();
    assert!(error.ends_with("another program is writing it"), "{error}");
    drop(file);
    assert!(GamesFile::create(&path, rules::<TicTacToe>(), &header).is_err(), "what is there is not overwritten");
    let (_, stored) = GamesFile::resume(&path, rules::<TicTacToe>(), &header).unwrap();
    assert!(stored.iter().all(|game| (game.match_number, game.players) == (7, [1, 0])));
    assert_eq!(stored.iter().map(|game| game.line).collect::<Vec<_>>(), (2..22).collect::<Vec<_>>());
    assert_eq!(stored.into_iter().map(|game| game.result).collect::<Vec<_>>(), games);
}
