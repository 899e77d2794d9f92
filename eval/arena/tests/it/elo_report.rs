//! The rating table over all results: anchors, likelihoods of superiority, and its text.

use std::collections::BTreeSet;
use std::fs;

use selfplay_arena::{EloReport, Results};
use selfplay_ratings::{Anchor, Encounter, MatchStrength, PairCounts, RatingBasis, RatingConfig, RatingTable};

use crate::{close, pairs};

fn encounter(a: &str, b: &str, pair_counts: PairCounts) -> Encounter {
    Encounter { a: a.into(), b: b.into(), pair_counts }
}

/// The encounters as a run's table has them.
fn results(encounters: &[Encounter]) -> Results {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.csv");
    let mut text =
        "a,b,games,draws,pairs_0,pairs_half,pairs_1,pairs_1_half,pairs_2,first_player_share,duplicates\n".to_owned();
    for Encounter { a, b, pair_counts } in encounters {
        let pentanomial = pair_counts.pentanomial().map(|count| count.to_string()).join(",");
        let (games, draws) = (pair_counts.games(), pair_counts.draws());
        text += &format!("\"{a}\",\"{b}\",{games},{draws},{pentanomial},{},0\n", pair_counts.first_player_share());
    }
    fs::write(&path, text).unwrap();
    let mut results = Results::default();
    results.add_matches(&path, Some("pylos"), &|name| name.to_owned()).unwrap();
    results
}

fn config() -> RatingConfig {
    RatingConfig::with_anchor(Anchor::Mean)
}

fn rate(encounters: &[Encounter], anchor: Option<&str>) -> EloReport {
    EloReport::rate(&results(encounters), anchor, &config()).unwrap()
}

fn elo(report: &EloReport, player: &str) -> f64 {
    report.players.iter().find(|line| line.player == player).unwrap().elo.unwrap()
}

/// Four players whose names hold what names hold.
fn league() -> Vec<Encounter> {
    vec![
        encounter("alphabeta:depth=2", "random", PairCounts([[1, 0, 2], [1, 2, 1], [4, 3, 16]])),
        encounter("alphabeta:depth=2", "uct:sims=100,cpuct=1.5", PairCounts([[4, 2, 2], [1, 3, 1], [6, 1, 10]])),
        encounter("uct:sims=100,cpuct=1.5", "greedy", PairCounts([[2, 1, 3], [0, 1, 2], [6, 4, 11]])),
    ]
}

#[test]
fn ratings_from_a_table_are_those_from_the_games() {
    let report = rate(&league(), None);
    let table = RatingTable::fit(&league(), &RatingConfig::anchored_at("random")).unwrap();
    assert_eq!(report.anchor, Anchor::Player { name: "random".into(), elo: 0.0 });
    for rating in &table.ratings {
        let (found, expected) = (elo(&report, &rating.player), rating.estimate.unwrap().elo);
        assert!(close(found, expected, 1e-3), "{}: {found} {expected}", rating.player);
    }
    assert!(close(report.first_player_elo.elo, table.first_player_elo.elo, 1e-3));
    let line = &report.players[0];
    assert_eq!((line.player.as_str(), line.games, line.opponents), ("alphabeta:depth=2", 120, 2));
    assert_eq!((line.wins + line.draws + line.losses, line.draw_share), (120, line.draws as f64 / 120.0));
    assert!(close(line.score, (line.wins as f64 + line.draws as f64 / 2.0) / 120.0, 1e-12));
    assert_eq!((report.games, report.game.as_deref()), (180, Some("pylos")));
}

#[test]
fn anchors_move_all_ratings_together() {
    let players: Vec<&str> = vec!["alphabeta:depth=2", "random", "uct:sims=100,cpuct=1.5", "greedy"];
    let usual = rate(&league(), None);
    for (text, player, value) in [
        ("random", "random", 0.0),
        ("random=1500", "random", 1500.0),
        ("alphabeta:depth=2", "alphabeta:depth=2", 0.0),
        ("alphabeta:depth=2=-20.5", "alphabeta:depth=2", -20.5),
    ] {
        let report = rate(&league(), Some(text));
        assert!(close(elo(&report, player), value, 1e-9), "{text}");
        let anchor = report.players.iter().find(|line| line.player == player).unwrap();
        assert_eq!((anchor.elo_low, anchor.elo_high), (anchor.elo, anchor.elo), "its difference to itself is sure");
        for other in &players {
            let difference = elo(&report, other) - elo(&report, player);
            assert!(close(difference, elo(&usual, other) - elo(&usual, player), 1e-3), "{text}: {other}");
        }
    }
    // Without `random` the mean is at 0.
    let others = &league()[1..];
    let report = rate(others, None);
    assert_eq!(report.anchor, Anchor::Mean);
    assert!(close(report.players.iter().map(|line| line.elo.unwrap()).sum::<f64>(), 0.0, 1e-6));
    assert!(report.players.iter().all(|line| line.elo_low < line.elo && line.elo < line.elo_high), "{report:?}");

    let known: BTreeSet<&str> = players.into_iter().collect();
    for text in ["", "=3", "nobody=3", "random=", "random=x", "random=inf", "depth=2", "alphabeta:depth"] {
        let error = Anchor::choose(Some(text), &known).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("anchor `{text}`: expected PLAYER=ELO")) && error.contains("greedy"),
            "{error}"
        );
    }
}

#[test]
fn a_player_that_lost_all_does_not_move_the_mean() {
    let mut encounters = league()[1..].to_vec();
    let mean = rate(&encounters, None);
    encounters.push(encounter("uct:sims=100,cpuct=1.5", "loser", pairs([0, 0, 0, 0, 6])));
    let with_loser = rate(&encounters, None);
    assert_eq!(with_loser.players[3].basis, RatingBasis::Prior);
    let rated = with_loser.players[..3].iter().map(|line| line.elo.unwrap());
    assert!(
        close(rated.sum::<f64>(), 0.0, 1e-6)
            && close(mean.players[0].elo.unwrap(), elo(&with_loser, &mean.players[0].player), 20.0)
    );
}

#[test]
fn likelihoods_of_superiority_are_shares_of_one_whole() {
    let report = rate(&league(), None);
    for (one, row) in report.los.iter().enumerate() {
        assert_eq!(row[one], None);
        for (other, los) in row.iter().enumerate().filter(|(other, _)| *other != one) {
            assert!(close(los.unwrap() + report.los[other][one].unwrap(), 1.0, 1e-12));
        }
    }
    assert!(report.los[0][3].unwrap() > 0.95, "{:?}", report.los);
}

/// Two players' likelihood is that of their match: Φ(z) of its score, up to the virtual pairs, which differ.
#[test]
fn likelihoods_of_superiority_agree_with_a_match() {
    for counts in [
        PairCounts([[8, 3, 4], [2, 6, 5], [9, 4, 10]]),
        PairCounts([[20, 0, 10], [0, 0, 0], [10, 0, 25]]),
        PairCounts([[2, 3, 4], [3, 12, 5], [4, 6, 3]]),
        PairCounts([[12, 10, 4], [9, 20, 11], [4, 8, 6]]),
    ] {
        let config = RatingConfig { samples: 10_000, ..config() };
        let report = EloReport::rate(&results(&[encounter("a", "b", counts)]), None, &config).unwrap();
        let a = report.players.iter().position(|line| line.player == "a").unwrap();
        let (found, expected) = (report.los[a][1 - a].unwrap(), MatchStrength::from_counts(&counts).los);
        assert!(close(found, expected, 0.02), "{counts:?}: {found} {expected}");
    }
}

#[test]
fn equal_players_are_as_likely_to_be_the_stronger_one() {
    // The same results from both sides, directly and through a third player.
    let direct = PairCounts([[5, 2, 3], [2, 6, 2], [4, 2, 5]]);
    let third = PairCounts([[3, 1, 4], [2, 3, 2], [6, 1, 8]]);
    let config = RatingConfig { samples: 10_000, ..config() };
    for encounters in [vec![encounter("a", "b", direct)], vec![encounter("a", "c", third), encounter("b", "c", third)]]
    {
        let report = EloReport::rate(&results(&encounters), None, &config).unwrap();
        let line = |player: &str| report.players.iter().position(|line| line.player == player).unwrap();
        let los = report.los[line("a")][line("b")].unwrap();
        assert!(close(los, 0.5, 0.02), "{los}");
    }
}

#[test]
fn what_cannot_be_rated_is_said() {
    let unconnected = [encounter("a", "b", pairs([1, 1, 5, 1, 1])), encounter("c", "d", pairs([1, 1, 5, 1, 1]))];
    let error = EloReport::rate(&results(&unconnected), None, &config()).unwrap_err().to_string();
    assert_eq!(error, "no games connect these groups of players: a, b | c, d");
    let error = EloReport::rate(&Results::default(), None, &config()).unwrap_err().to_string();
    assert_eq!(error, "no complete game pair between two players to rate");

    let few = [encounter("a", "b", pairs([3, 1, 5, 1, 2])), encounter("a", "few", pairs([1, 0, 1, 0, 1]))];
    let report = rate(&few, None);
    assert_eq!(report.players[2].basis, RatingBasis::TooFewPairs { pairs: 3, needed: 5 });
    assert!(report.players[2].elo.is_none() && report.los[2].iter().all(Option::is_none) && report.los[0][2].is_none());
    let text = report.text(80);
    assert!(text.contains("1 player has fewer than 5 game pairs and no rating: few."), "{text}");
    // Too few pairs all round leave no table, and no number.
    let report = rate(&few[1..], None);
    assert!(report.players.iter().all(|line| line.elo.is_none()));
    assert!(
        report.text(80).starts_with("2 players have fewer than 5 game pairs and no rating: a, few."),
        "{}",
        report.text(80)
    );
    let report = rate(&[encounter("a", "b", pairs([0, 0, 0, 0, 9]))], Some("b"));
    let text = report.text(80);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("* Won or lost all games") && words.contains("b +0 fixed"), "{text}");
}

#[test]
fn the_text_fits_into_its_terminal() {
    let mut encounters = league();
    let long = "search:checkpoint=checkpoints/pentago-swap-quickstart,simulations=";
    for rank in 0..30u32 {
        let counts = PairCounts([[9 - rank / 4, 1, 2], [1, 2, 1], [3, 2, 5 + rank / 3]]);
        encounters.push(encounter(&format!("{long}{}", 100 + rank), "random", counts));
    }
    let report = rate(&encounters, None);
    for width in [40, 60, 80, 132, 400] {
        let text = report.text(width);
        for line in text.lines() {
            assert!(line.chars().count() <= width && line.trim_end() == line, "{width}: {line:?}");
        }
        assert_eq!(text.contains(long), width > 100, "{text}");
        assert!(text.contains("=129") && text.contains("=128"), "ends of names differ and stay: {text}");
        assert!(text.contains("of the first 20"), "{text}");
        assert_eq!((text.contains("opponents"), text.contains("games  ")), (width > 60, width > 40), "{width}: {text}");
    }
    // No width at all is no reason to panic.
    assert!(!report.text(0).is_empty());
}

#[test]
fn the_table_for_programs_has_every_number() {
    let report = rate(&league(), None);
    let text = report.csv();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header[..5], ["player", "elo", "elo_low", "elo_high", "basis"]);
    assert_eq!(header[12..], ["los_over_1", "los_over_2", "los_over_3", "los_over_4"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for (index, (row, line)) in rows.iter().zip(&report.players).enumerate() {
        assert_eq!((&row[0], &row[4], &row[12 + index]), (&*line.player, "games", ""));
        assert_eq!(row[1].parse::<f64>().unwrap(), line.elo.unwrap());
        assert_eq!(row[5].parse::<u64>().unwrap(), line.games);
    }
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["players"][0]["player"], json["los"][0][0].is_null()), (&"alphabeta:depth=2".into(), true));
}
