//! Ratings against numbers computed by hand, and laws: symmetry, consistency, coverage.

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_eval::elo::{elo_difference, expected_score};
use selfplay_eval::{EloEstimate, Encounter, PairCounts, RatingTable};

fn close(x: f64, y: f64, tolerance: f64) -> bool {
    (x - y).abs() <= tolerance
}

fn encounter(a: &str, b: &str, wins: u32, draws: u32, losses: u32) -> Encounter {
    Encounter { a: a.into(), b: b.into(), wins, draws, losses }
}

fn rating(table: &RatingTable, player: &str) -> EloEstimate {
    table.ratings.iter().find(|line| line.player == player).unwrap().estimate
}

#[test]
fn the_curve_has_its_known_points() {
    // 400 log10(s / (1 − s)).
    for (score, elo) in [(0.5, 0.0), (0.64, 99.95), (0.75, 190.85), (0.9, 381.70), (10.0 / 11.0, 400.0)] {
        assert!(close(elo_difference(score), elo, 0.005), "{score}: {}", elo_difference(score));
        assert!(close(expected_score(elo), score, 1e-5));
        assert!(close(elo_difference(1.0 - score), -elo, 0.005));
    }
    assert_eq!((expected_score(1e6), expected_score(-1e6)), (1.0, 0.0));
}

#[test]
fn a_match_computed_by_hand() {
    // Eight pairs, score 25/32, and the virtual pair (¼, 0, ½, 0, ¼): mean 6.75/9 = 0.75, so 190.85 Elo.
    // Squared deviations: 2·¼² (scores of ½) + 3·0 (¾) + 3·¼² (1) + ¼·¾² + ½·¼² + ¼·¼² = 0.5; variance 0.5/9.
    let counts = PairCounts([0, 0, 2, 3, 3]);
    assert_eq!((counts.pairs(), counts.score()), (8, 25.0 / 32.0));
    assert!(close(counts.smoothed_score(), 0.75, 1e-12));
    assert!(close(counts.standard_error(), 0.5f64.sqrt() / 9.0, 1e-12));
    // Slope 400 / (ln 10 · 0.75 · 0.25) = 926.5 Elo per point, times 1.96 · 0.07857.
    let elo = EloEstimate::of_match(&counts);
    assert!(close(elo.elo, 190.85, 0.005), "{elo:?}");
    assert!(close(elo.high - elo.elo, 142.67, 0.05), "{elo:?}");
    assert!(close(elo.elo - elo.low, 142.67, 0.05), "{elo:?}");
    let estimate = counts.estimate();
    assert!(close(estimate.low, 0.6273, 1e-4) && close(estimate.high, 0.9352, 1e-4), "{estimate:?}");
    assert_eq!(estimate.to_string(), "0.781 [0.627, 0.935]");
}

#[test]
fn swapping_the_players_changes_the_sign() {
    let counts = PairCounts([3, 1, 4, 1, 9]);
    let (there, back) = (EloEstimate::of_match(&counts), EloEstimate::of_match(&counts.reversed()));
    assert!(close(there.elo, -back.elo, 1e-9) && close(there.low, -back.high, 1e-9) && there.elo > 0.0);
    let there = RatingTable::fit(&[encounter("a", "b", 7, 4, 2)], "b").unwrap();
    let back = RatingTable::fit(&[encounter("b", "a", 2, 4, 7)], "a").unwrap();
    assert!(close(rating(&there, "a").elo, -rating(&back, "b").elo, 1e-6));
    assert!(close(rating(&there, "a").high, -rating(&back, "b").low, 1e-6));
}

#[test]
fn one_sided_matches_stay_finite() {
    for counts in [[0, 0, 0, 0, 10], [10, 0, 0, 0, 0], [0, 0, 10, 0, 0], [0; 5], [0, 0, 0, 0, 1_000_000]] {
        let counts = PairCounts(counts);
        let elo = EloEstimate::of_match(&counts);
        assert!(elo.low.is_finite() && elo.high.is_finite() && elo.low < elo.elo && elo.elo < elo.high, "{elo:?}");
        let estimate = counts.estimate();
        assert!(estimate.low <= estimate.score && estimate.score <= estimate.high && estimate.low < estimate.high);
    }
    let table = RatingTable::fit(&[encounter("a", "b", 500, 0, 0), encounter("b", "c", 500, 0, 0)], "c").unwrap();
    assert!(table.ratings.iter().all(|line| line.estimate.low.is_finite() && line.estimate.high.is_finite()));
}

#[test]
fn two_players_computed_by_hand() {
    // 60 wins, 30 draws, 10 losses and the two virtual games: score 76/102, 400 log10(76/26) = 186.34.
    let table = RatingTable::fit(&[encounter("a", "b", 60, 30, 10)], "b").unwrap();
    let a = rating(&table, "a");
    assert!(close(a.elo, 186.34, 0.005), "{a:?}");
    // Standard error 173.718 / √(102 · 0.7451 · 0.2549) = 39.469, times 1.96.
    assert!(close(a.high - a.elo, 77.36, 0.02), "{a:?}");
    assert_eq!(rating(&table, "b"), EloEstimate { elo: 0.0, low: 0.0, high: 0.0 });
    assert_eq!((table.ratings[0].player.as_str(), table.ratings[0].games, table.ratings[0].score), ("a", 100, 0.75));
    // The same prior as for a single match.
    let one_match = EloEstimate::of_match(&PairCounts([0, 0, 25, 0, 25]));
    assert!(close(
        one_match.elo,
        rating(&RatingTable::fit(&[encounter("a", "b", 75, 0, 25)], "b").unwrap(), "a").elo,
        1e-6
    ));
}

#[test]
fn differences_add_up_along_a_chain() {
    let table = RatingTable::fit(&[encounter("a", "b", 75, 0, 25), encounter("c", "b", 25, 0, 75)], "c").unwrap();
    let (a, b) = (rating(&table, "a"), rating(&table, "b"));
    assert!(close(b.elo, 186.34, 0.01) && close(a.elo, 2.0 * 186.34, 0.02), "{a:?} {b:?}");
    // Variances add up, too: √2 times the error.
    assert!(close((a.high - a.elo) / (b.high - b.elo), 2f64.sqrt(), 1e-6));
}

#[test]
fn consistent_results_give_back_the_ratings_they_come_from() {
    let truth = [("x", 0.0), ("y", 120.0), ("z", 400.0), ("w", -250.0)];
    let mut encounters = Vec::new();
    for (i, &(a, elo_a)) in truth.iter().enumerate() {
        for &(b, elo_b) in &truth[i + 1..] {
            let wins = (1e6 * expected_score(elo_a - elo_b)).round() as u32;
            // In two parts, one of them seen from the other side.
            encounters.push(encounter(a, b, wins, 0, 0));
            encounters.push(encounter(b, a, 1_000_000 - wins, 0, 0));
        }
    }
    let table = RatingTable::fit(&encounters, "x").unwrap();
    for (player, elo) in truth {
        assert!(close(rating(&table, player).elo, elo, 0.05), "{player}: {:?}", rating(&table, player));
    }
    assert_eq!(table.ratings.iter().map(|line| line.player.as_str()).collect::<Vec<_>>(), ["z", "y", "x", "w"]);
}

#[test]
fn ratings_without_a_meaning_are_refused() {
    let message = |encounters: &[Encounter], anchor| RatingTable::fit(encounters, anchor).unwrap_err().to_string();
    let split = [encounter("a", "b", 1, 0, 0), encounter("c", "d", 0, 1, 0), encounter("b", "c", 0, 0, 0)];
    assert_eq!(message(&split, "a"), "no games connect these groups of players: a, b | c, d");
    assert_eq!(message(&split[..1], "z"), "`z` cannot anchor the ratings, it has no games; these have: a, b");
    assert_eq!(message(&[encounter("a", "a", 1, 0, 0)], "a"), "`a` is listed as its own opponent");
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    // Matches of 40 pairs; a game is won with probability ½, drawn with ¼: the true score is 0.625.
    let truth = elo_difference(0.625);
    let mut rng = rng_for(&[11]);
    let mut half_points = || [2, 2, 1, 0][rng.random_range(0..4usize)];
    let matches = 4000;
    let mut held = [0, 0];
    for _ in 0..matches {
        let mut counts = PairCounts::default();
        (0..40).for_each(|_| counts.add_pair(half_points() + half_points()));
        let (elo, score) = (EloEstimate::of_match(&counts), counts.estimate());
        held[0] += u32::from(elo.low <= truth && truth <= elo.high);
        held[1] += u32::from(score.low <= 0.625 && 0.625 <= score.high);
    }
    for held in held {
        let share = f64::from(held) / f64::from(matches);
        assert!((0.93..0.97).contains(&share), "{share}");
    }
}
