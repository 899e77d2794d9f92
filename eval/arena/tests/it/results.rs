//! Results from files: what is in them is counted once, what is missing is said, what is wrong is named.

use std::fs;
use std::path::{Path, PathBuf};

use selfplay_arena::{
    MatchConfig, MatchSetting, Participant, Results, TournamentConfig, play_recorded_match, play_tournament,
};
use selfplay_connect4::Connect4;
use selfplay_env::{CompleteGame, Typed};
use selfplay_ratings::{Encounter, PairCounts};
use selfplay_tictactoe::TicTacToe;
use tempfile::TempDir;

use crate::{Log, player};

fn participants<G: CompleteGame>(specs: &[&'static str]) -> Vec<Participant<'static>> {
    specs.iter().map(|&spec| Participant::new(move || player::<G>(spec)).unwrap()).collect()
}

/// Plays a match into `path`; the counts that its report has.
fn play<G: CompleteGame>(path: &Path, specs: [&'static str; 2], pairs: usize, seed: u64) -> PairCounts {
    let participants = <[_; 2]>::try_from(participants::<G>(&specs)).unwrap_or_else(|_| unreachable!());
    let config = MatchConfig { pairs, seed, ..MatchConfig::default() };
    let report = play_recorded_match(
        &Typed::<G>::IT,
        &participants,
        &config,
        &MatchSetting::default(),
        path,
        &mut Log::default(),
    )
    .unwrap();
    report.pair_counts()
}

/// A folder with a match of ten pairs in `games.jsonl`.
fn whole_match() -> (TempDir, PathBuf, PairCounts) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.jsonl");
    let counts = play::<TicTacToe>(&path, ["random", "alphabeta:depth=1"], 10, 5);
    (folder, path, counts)
}

fn encounter(a: &str, b: &str, pair_counts: PairCounts) -> Encounter {
    Encounter { a: a.into(), b: b.into(), pair_counts }
}

fn read(path: &Path) -> Results {
    let mut results = Results::default();
    results.add_games(path).unwrap();
    results
}

fn refused(path: &Path) -> String {
    Results::default().add_games(path).unwrap_err().to_string()
}

fn warnings(results: &Results) -> Vec<String> {
    results.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_of_games_gives_the_counts_of_its_match() {
    let (_folder, path, counts) = whole_match();
    let results = read(&path);
    assert_eq!(
        (results.game(), results.encounters()),
        (Some("tictactoe"), &[encounter("random", "alphabeta:depth=1", counts)][..])
    );
    assert!(counts.pairs() == 10 && results.warnings().is_empty() && results.stopped() == 0);
}

#[test]
fn a_tournament_gives_every_pairing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tournament.jsonl");
    let config =
        TournamentConfig { pairing: MatchConfig { pairs: 3, ..MatchConfig::default() }, ..TournamentConfig::default() };
    let participants = participants::<Connect4>(&["random", "alphabeta:depth=1", "alphabeta:depth=2"]);
    let setting = MatchSetting::default();
    let report =
        play_tournament(&Typed::<Connect4>::IT, &participants, &config, &setting, Some(&path), &mut Log::default())
            .unwrap();
    let results = read(&path);
    assert_eq!(results.encounters().len(), 3);
    for pairing in report.rounds.iter().flat_map(|round| &round.pairings) {
        let [a, b] = pairing.players.map(|player| &report.players[player]);
        let found = results.encounters().iter().find(|met| (&met.a, &met.b) == (a, b)).unwrap();
        let counts = found.pair_counts;
        assert_eq!((counts.wins(), counts.draws(), counts.losses()), (pairing.wins, pairing.draws, pairing.losses));
    }
}

#[test]
fn a_torn_last_line_is_left_out_with_a_warning() {
    let (_folder, path, _) = whole_match();
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for cut in last + 1..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        let results = read(&path);
        let said = warnings(&results);
        assert!(said[0].ends_with("games.jsonl, line 21: truncated line omitted"), "{said:?}");
        assert!(said[1].ends_with("games.jsonl: 1 games of incomplete pairs omitted"), "{said:?}");
        assert_eq!(results.encounters()[0].pair_counts.pairs(), 9);
    }
    // Blocks that a crash left without their content.
    fs::write(&path, [&whole[..], &[0; 100]].concat()).unwrap();
    assert_eq!((read(&path).encounters()[0].pair_counts.pairs(), warnings(&read(&path)).len()), (10, 1));
    // Only the last line's end is missing.
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(read(&path).warnings().is_empty());
    // Between two lines.
    fs::write(&path, &whole[..last]).unwrap();
    assert_eq!(warnings(&read(&path)).len(), 1);
}

#[test]
fn a_game_alone_in_the_midst_of_a_file_is_damage() {
    let (_folder, path, _) = whole_match();
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"match\":0,\"game\":4,", "\"match\":8,\"game\":4,"), ("\"game\":4,", "\"game\":104,")] {
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = refused(&path);
        assert!(error.contains("has no partner: the other game of its pair is missing"), "{error}");
    }
}

#[test]
fn damage_elsewhere_is_named_by_file_and_line() {
    let (_folder, path, _) = whole_match();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let reason = |number: usize, line: &str| {
        let mut changed = lines.clone();
        changed[number - 1] = line;
        fs::write(&path, changed.join("\n") + "\n").unwrap();
        let error = refused(&path);
        let place = format!("games.jsonl, line {number}: ");
        error.split_once(&place).unwrap_or_else(|| panic!("{error}")).1.to_owned()
    };
    let changed = |number: usize, old: &str, new: &str| {
        assert!(lines[number - 1].contains(old), "{}", lines[number - 1]);
        reason(number, &lines[number - 1].replacen(old, new, 1))
    };
    assert!(reason(3, &lines[2][..40]).starts_with("invalid game record: EOF"));
    assert!(reason(21, &lines[20][..40]).starts_with("invalid game record: EOF"), "this line has its end");
    assert!(reason(5, "").starts_with("invalid game record"));
    assert!(reason(1, "{\"game\":\"tictactoe\"}").starts_with("invalid header of a games file"));
    assert_eq!(
        changed(1, "\"format\":2", "\"format\":9"),
        "`format` is 9: this version of selfplay reads 2; play the games again, or use the version that wrote them"
    );
    assert_eq!(changed(2, "[0,1]", "[0,2]"), "the players are 0 and 2: the header has 2, counted from 0");
    assert_eq!(changed(2, "\"first\"", "\"second\""), "`a_side` is wrong in game 0: A moves first in even games");
    assert_eq!(reason(4, lines[1]), "duplicate game 0 of match 0");
    assert_eq!(changed(3, "[0,1]", "[1,0]"), "the players are 1 and 0: in the other game of the pair they are [0, 1]");
    let result = lines[6].split_once("\"result\":").unwrap().1;
    assert_eq!(
        changed(7, &format!("\"result\":{}", &result[..3]), "\"result\":\"½\""),
        "`result` is `½`: expected 1, 2, 0 or *"
    );
    fs::write(&path, "").unwrap();
    assert!(refused(&path).ends_with("games.jsonl: it is empty"));
    assert!(refused(&path.with_extension("missing")).contains("games.missing: "));
}

#[test]
fn files_of_one_game_are_merged_and_nothing_counts_twice() {
    let (folder, path, counts) = whole_match();
    let other = folder.path().join("other.jsonl");
    let more = play::<TicTacToe>(&other, ["alphabeta:depth=1", "alphabeta:depth=2"], 5, 6);
    let mut results = read(&path);
    results.add_games(&other).unwrap();
    let expected =
        [encounter("random", "alphabeta:depth=1", counts), encounter("alphabeta:depth=1", "alphabeta:depth=2", more)];
    assert_eq!(results.encounters(), expected);

    let error = results.add_games(&path).unwrap_err().to_string();
    assert!(error.ends_with("games.jsonl: given twice"), "{error}");
    let copy = folder.path().join("copy.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&copy, text.lines().take(5).map(|line| line.to_owned() + "\n").collect::<String>()).unwrap();
    let error = results.add_games(&copy).unwrap_err().to_string();
    assert!(
        error.contains("copy.jsonl: it holds the same games as ") && error.contains("games.jsonl: give"),
        "{error}"
    );

    let foreign = folder.path().join("foreign.jsonl");
    play::<Connect4>(&foreign, ["random", "alphabeta:depth=1"], 1, 1);
    let error = results.add_games(&foreign).unwrap_err().to_string();
    assert!(
        error.contains("foreign.jsonl: it holds games of connect4, ")
            && error.ends_with("tictactoe: rate them separately"),
        "{error}"
    );
}

#[test]
fn repeated_stopped_and_own_games_are_counted() {
    let (_folder, path, _) = whole_match();
    let text = fs::read_to_string(&path).unwrap();
    let (header, games) = text.split_once('\n').unwrap();
    assert_eq!(read(&path).repeats(), 0);
    // The same match again under another number, and a player against itself.
    let again = games.replace("\"match\":0", "\"match\":1");
    let own = games.replace("\"match\":0", "\"match\":2").replace("[0,1]", "[2,0]");
    let header = header.replace("\"random\",", "\"random\",\"alphabeta:depth=1\",").replacen(
        "\"alphabeta:depth=1\"]",
        "\"random\"]",
        1,
    );
    let stopped = games.replace("\"match\":0", "\"match\":3").replace("\"result\":\"1\"", "\"result\":\"*\"");
    fs::write(&path, format!("{header}\n{games}{again}{own}{stopped}")).unwrap();
    let results = read(&path);
    assert_eq!(results.repeats(), 40);
    assert_eq!(results.stopped(), games.matches("\"result\":\"1\"").count() as u64);
    assert_eq!(results.encounters()[0].pair_counts.pairs(), 30);
    assert!(warnings(&results)[0].ends_with("games.jsonl: 20 games of players against themselves omitted"));
}

/// Columns in another order than a run writes them, one unknown; the player's name needs quotes.
const TABLE: &str = "\
b,a,games,wins,draws,losses,pairs_0,pairs_half,pairs_1,pairs_1_half,pairs_2,first_player_share,duplicates,verdict
random,\"search:x=1,y=2\",90,42,30,18,1,6,15,14,9,0.5666666666666667,0.1,promote
random,gen-00001,2,2,0,0,0,0,0,0,1,0.5,0,
";

fn read_table(text: &str) -> Result<Results, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.csv");
    fs::write(&path, text).unwrap();
    let mut results = Results::default();
    results
        .add_matches(&path, Some("pente"), &|name| name.replace("gen-", "run/gen-"))
        .map_err(|error| error.to_string())?;
    Ok(results)
}

#[test]
fn a_table_of_matches_is_read_by_its_columns() {
    let results = read_table(TABLE).unwrap();
    assert_eq!((results.game(), results.repeats()), (Some("pente"), 9));
    let [first, second] = results.encounters() else { panic!("{:?}", results.encounters()) };
    assert_eq!((first.a.as_str(), first.b.as_str(), second.a.as_str()), ("search:x=1,y=2", "random", "run/gen-00001"));
    assert_eq!(first.pair_counts.pentanomial(), [1, 6, 15, 14, 9]);
    assert_eq!(second.pair_counts, PairCounts([[0; 3], [0; 3], [0, 0, 1]]));
}

#[test]
fn a_damaged_table_is_read_as_far_as_it_can_be() {
    let last = TABLE.len() - 1;
    let row = TABLE[..last].rfind('\n').unwrap() + 1;
    for cut in row + 1..last - 2 {
        let results = read_table(&TABLE[..cut]).unwrap();
        let said = warnings(&results);
        assert!(said[0].ends_with("matches.csv, line 3: truncated line omitted"), "{cut}: {said:?}");
        assert_eq!(results.encounters().len(), 1);
    }
    assert!(read_table(&TABLE[..last]).unwrap().warnings().is_empty());
    let refused = |old: &str, new: &str| read_table(&TABLE.replacen(old, new, 1)).unwrap_err();
    let error = refused("90,42,30", "90,42,31");
    assert!(error.contains("matches.csv, line 2: pairs [1, 6, 15, 14, 9], 90 games, 31 draws and 0.566"), "{error}");
    assert!(refused("90,42", "88,42").contains("line 2: "));
    assert!(refused(",90,", ",ninety,").contains("line 2: "));
    assert!(refused("0.1,promote", "1.5,promote").ends_with("`duplicates` is 1.5: expected a share in 0..=1"));
    let error = refused("0.1,promote", "0.1");
    assert!(error.ends_with("line 2: it has 13 columns: expected 14, as the header"), "{error}");
    assert!(refused("pairs_2", "pairs_two").contains("missing field `pairs_2`"));
    assert!(read_table("").unwrap_err().ends_with("matches.csv: no complete line"));
    let only_header = read_table(&TABLE[..TABLE.find('\n').unwrap() + 1]).unwrap();
    assert!(warnings(&only_header)[0].ends_with("matches.csv: no results"));
}
