//! Ratings against numbers of independent programs, and properties: symmetry, consistency, coverage, honest refusals.

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_ratings::{EloEstimate, Encounter, PairCounts, RatingBasis, RatingConfig, RatingTable};

use crate::simulated_league::{Design, Measured, Schedule, measure};
use crate::{close, pairs};

fn encounter(a: &str, b: &str, pair_counts: PairCounts) -> Encounter {
    Encounter { a: a.into(), b: b.into(), pair_counts }
}

/// `won` pairs won in both games, `lost` lost in both, and `even` of each way to win one game of two; nothing drawn, and
/// the first move worth nothing.
fn undrawn(won: u32, lost: u32, even: u32) -> PairCounts {
    PairCounts([[lost, 0, even], [0, 0, 0], [even, 0, won]])
}

fn fit(encounters: &[Encounter], anchor: &str) -> RatingTable {
    let config = RatingConfig { samples: 200, min_pairs: 1, ..RatingConfig::anchored_at(anchor) };
    RatingTable::fit(encounters, &config).unwrap()
}

fn line(table: &RatingTable, player: &str) -> usize {
    table.ratings.iter().position(|rating| rating.player == player).unwrap()
}

fn rating(table: &RatingTable, player: &str) -> EloEstimate {
    table.ratings[line(table, player)].estimate.unwrap()
}

/// SciPy's maximum (BFGS, then Nelder-Mead). It maximises the Bradley-Terry log-likelihood plus half the logarithm of the determinant
/// of its information matrix, Jeffreys's prior, times 400 / ln 10. choix 0.4 (PyPI), a library for Bradley-Terry models
/// without draws, gives the same in five digits: `ilsr_pairwise_dense` on the matrix of wins with half a leverage added to
/// each of its elements.
#[test]
fn without_draws_ratings_are_bradley_and_terrys() {
    let encounters = [
        encounter("a", "b", undrawn(12, 5, 3)),
        encounter("b", "c", undrawn(7, 4, 6)),
        encounter("a", "c", undrawn(9, 2, 4)),
        encounter("c", "d", undrawn(11, 3, 2)),
        encounter("b", "e", undrawn(8, 6, 5)),
        encounter("d", "e", undrawn(4, 9, 5)),
    ];
    let table = fit(&encounters, "e");
    for (player, elo) in [("a", 159.170_966), ("b", 50.765_976), ("c", 28.144_597), ("d", -99.848_825), ("e", 0.0)] {
        assert!(close(rating(&table, player).elo, elo, 1e-4), "{player}: {:?}", rating(&table, player));
    }
    assert_eq!((table.draw, table.even_draw_share), (0.0, 0.0));
    assert!(close(table.first_player_elo.elo, 0.0, 1e-6), "{:?}", table.first_player_elo);
}

/// Davidson's model with an order effect and the prior's virtual games, written from the papers in Python: leverages from
/// the inverse of the information matrix by NumPy, 59 draws in 199 games, the maximum confirmed by SciPy's BFGS.
#[test]
fn with_draws_and_a_first_move_ratings_are_davidsons() {
    let encounters = [
        encounter("a", "b", PairCounts([[1, 2, 3], [0, 4, 5], [2, 6, 7]])),
        encounter("b", "c", PairCounts([[2, 1, 4], [1, 3, 2], [5, 2, 4]])),
        encounter("a", "c", PairCounts([[0, 1, 1], [1, 2, 3], [3, 4, 9]])),
        encounter("c", "d", PairCounts([[1, 0, 2], [1, 5, 1], [4, 1, 6]])),
    ];
    let table = fit(&encounters, "d");
    for (player, elo) in [("a", 269.159_496), ("b", 139.060_635), ("c", 92.075_853), ("d", 0.0)] {
        assert!(close(rating(&table, player).elo, elo, 1e-3), "{player}: {:?}", rating(&table, player));
    }
    assert!(close(table.first_player_elo.elo, 17.847_449, 1e-3), "{:?}", table.first_player_elo);
    assert!(close(table.draw, 0.970_220, 1e-5) && close(table.even_draw_share, 0.326_649, 1e-5), "{}", table.draw);
    let a = &table.ratings[0];
    assert_eq!((a.player.as_str(), a.games, a.draws, a.score), ("a", 108, 34, 76.0 / 108.0));
}

#[test]
fn half_of_the_games_drawn_is_elos_curve_again() {
    // ν = 2: 64 points of 100 are 99.95 Elo. The prior's share is too small to show.
    let score_064 = PairCounts([[129_600, 0, 0], [0, 460_800, 0], [0, 0, 409_600]]);
    let table = fit(&[encounter("a", "b", score_064)], "b");
    assert!(close(table.draw, 2.0, 0.001) && close(rating(&table, "a").elo, 99.95, 0.3), "{table:?}");
}

#[test]
fn two_players_computed_by_hand() {
    // 75 pairs of 100 won and one virtual game: 150.5 of 201 points, 400 log10(150.5/50.5) = 189.70.
    let table = fit(&[encounter("a", "b", undrawn(75, 25, 0))], "b");
    assert!(close(rating(&table, "a").elo, 189.70, 0.005), "{:?}", rating(&table, "a"));
    assert_eq!(rating(&table, "b"), EloEstimate { elo: 0.0, low: 0.0, high: 0.0 });
    assert_eq!((table.ratings[0].games, table.ratings[0].score), (200, 0.75));
    // Only first moves win: 100 pairs, 200.5 of 201 games with the virtual game's half: 400 log10(200.5/0.5).
    let table = fit(&[encounter("a", "b", PairCounts([[0; 3], [0; 3], [100, 0, 0]]))], "b");
    assert!(close(table.first_player_elo.elo, 1041.26, 0.005), "{:?}", table.first_player_elo);
    assert!(close(rating(&table, "a").elo, 0.0, 1e-6));
}

#[test]
fn swapping_sides_changes_the_sign() {
    let counts = PairCounts([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
    let there = fit(&[encounter("a", "b", counts)], "b");
    let back = fit(&[encounter("b", "a", counts.reversed())], "a");
    assert!(rating(&there, "a").elo > 50.0 && close(rating(&there, "a").elo, -rating(&back, "b").elo, 1e-6));
    assert!(close(there.first_player_elo.elo, back.first_player_elo.elo, 1e-6));
    // Other pairs are drawn, so the ends of the intervals agree only about.
    assert!(close(rating(&there, "a").high, -rating(&back, "b").low, 30.0), "{there:?} {back:?}");
    assert!(close(there.los(0, 1), 1.0 - there.los(1, 0), 1e-12));
}

#[test]
fn the_same_seed_draws_the_same_samples() {
    let encounters = [encounter("a", "b", pairs([3, 1, 4, 1, 5]))];
    assert_eq!(fit(&encounters, "b"), fit(&encounters, "b"));
    let config = RatingConfig { seed: 1, samples: 200, ..RatingConfig::anchored_at("b") };
    let other = RatingTable::fit(&encounters, &config).unwrap();
    let (one, other) = (rating(&fit(&encounters, "b"), "a"), rating(&other, "a"));
    assert!(one.elo == other.elo && one.low != other.low);
}

#[test]
fn one_sided_results_have_a_wide_interval_that_the_prior_bounds() {
    let table = fit(&[encounter("a", "b", undrawn(20, 0, 0)), encounter("b", "c", undrawn(9, 4, 3))], "c");
    let (a, b) = (rating(&table, "a"), rating(&table, "b"));
    assert!(a.high - a.low > 400.0 && b.high - b.low < 400.0, "{a:?} {b:?}");
    assert!(a.low < a.elo && a.elo < a.high && a.low > b.elo, "{a:?} {b:?}");
    let basis = |player| table.ratings[line(&table, player)].basis;
    assert_eq!((basis("a"), basis("b"), basis("c")), (RatingBasis::Prior, RatingBasis::Games, RatingBasis::Games));
    // A single draw leads back.
    let drawn = PairCounts([[0; 3], [0; 3], [0, 1, 20]]);
    let table = fit(&[encounter("a", "b", drawn), encounter("b", "c", undrawn(9, 4, 3))], "c");
    assert!(table.ratings.iter().all(|rating| rating.basis == RatingBasis::Games));
    // Results that go in a circle connect as well, though each went one way.
    let circle = ["ab", "bc", "ca"].map(|met| encounter(&met[..1], &met[1..], undrawn(5, 0, 0)));
    let table = fit(&circle, "c");
    assert!(table.ratings.iter().all(|rating| rating.basis == RatingBasis::Games));
    assert!(table.ratings.iter().all(|rating| close(rating.estimate.unwrap().elo, 0.0, 1e-6)));
}

#[test]
fn too_few_pairs_get_no_number() {
    let encounters = [encounter("a", "b", undrawn(9, 4, 3)), encounter("c", "a", undrawn(4, 0, 0))];
    let config = RatingConfig { samples: 100, ..RatingConfig::anchored_at("b") };
    let table = RatingTable::fit(&encounters, &config).unwrap();
    let last = &table.ratings[2];
    assert_eq!((last.player.as_str(), last.estimate, last.games), ("c", None, 8));
    assert_eq!(last.basis, RatingBasis::TooFewPairs { pairs: 4, needed: 5 });
    let enough = RatingTable::fit(&encounters, &RatingConfig { min_pairs: 4, ..config }).unwrap();
    assert_eq!((enough.ratings[0].player.as_str(), enough.ratings[0].basis), ("c", RatingBasis::Prior));
}

#[test]
fn ratings_without_a_meaning_are_refused() {
    let refused = |encounters: &[Encounter], config: RatingConfig| RatingTable::fit(encounters, &config).unwrap_err();
    let message = |encounters, anchor| refused(encounters, RatingConfig::anchored_at(anchor)).to_string();
    let one = undrawn(1, 0, 0);
    let split = [encounter("a", "b", one), encounter("c", "d", one), encounter("b", "c", PairCounts::default())];
    assert_eq!(message(&split, "a"), "no games connect these groups of players: a, b | c, d");
    assert_eq!(message(&split[..1], "z"), "`z` cannot anchor the ratings, it has no games; these have: a, b");
    assert_eq!(message(&[encounter("a", "a", one)], "a"), "`a` is listed as its own opponent");
    let error = refused(&split, RatingConfig { samples: 9, ..RatingConfig::anchored_at("a") });
    assert!(error.to_string().starts_with("`samples` is 9: "), "{error}");
    let error = refused(&split, RatingConfig { min_pairs: 0, ..RatingConfig::anchored_at("a") });
    assert!(error.to_string().starts_with("`min_pairs` is "), "{error}");
}

/// Trees of up to six players with up to 300,000 pairs of hardly any variety in each encounter: all drawn, all won, only
/// first moves win. Each number is finite, and an interval never turns round.
#[test]
fn no_results_are_too_strange() {
    for seed in 0..300 {
        let mut rng = rng_for(&[77, seed]);
        let mut encounters = Vec::new();
        for player in 1..rng.random_range(2..7usize) {
            let mut counts = PairCounts::default();
            for _ in 0..rng.random_range(1..4) {
                counts.0[rng.random_range(0..3usize)][rng.random_range(0..3usize)] += 10u32.pow(rng.random_range(0..6));
            }
            let opponent = rng.random_range(0..player);
            encounters.push(encounter(&format!("player {player}"), &format!("player {opponent}"), counts));
        }
        let table = fit(&encounters, "player 0");
        for rating in &table.ratings {
            let EloEstimate { elo, low, high } = rating.estimate.unwrap();
            assert!(elo.is_finite() && low.is_finite() && high.is_finite() && low <= high, "{seed}: {rating:?}");
        }
        assert!(table.draw.is_finite() && table.first_player_elo.elo.is_finite(), "{seed}: {}", table.draw);
    }
}

/// Coverage of the 95 % intervals, and the slope of ratings over true ratings, in a few of the designs of the example
/// `rating_coverage`, which prints all. The prior of one virtual pair for every two players that met is far outside.
#[test]
fn intervals_cover_the_truth_and_ratings_do_not_shrink() {
    let design = |players, schedule, pairs, draw_share, first_player_elo| Design {
        players,
        schedule,
        pairs,
        draw_share,
        first_player_elo,
        opening_share: 0.0,
    };
    for (design, leagues) in [
        (design(3, Schedule::Full, 50, 0.0, 0.0), 500),
        (design(12, Schedule::Full, 1, 0.0, 0.0), 100),
        (design(12, Schedule::Full, 4, 0.4, 100.0), 100),
        (design(40, Schedule::Full, 1, 0.0, 100.0), 40),
        (design(40, Schedule::Full, 4, 0.4, 0.0), 40),
        (design(40, Schedule::Neighbours, 4, 0.0, 0.0), 60),
        (design(30, Schedule::Run, 10, 0.4, 100.0), 60),
        (design(12, Schedule::Gauntlet, 50, 0.0, 100.0), 100),
        (Design { opening_share: 0.7, ..design(12, Schedule::Full, 10, 0.0, 0.0) }, 100),
    ] {
        let Measured { anchor_coverage, pair_coverage, slope } = measure(&design, leagues, 200);
        // Intervals of one league share the anchor's error, those of pairs hardly any.
        assert!((0.88..=0.99).contains(&anchor_coverage), "{design:?}: to anchor {anchor_coverage}");
        assert!((0.92..=0.975).contains(&pair_coverage), "{design:?}: pairwise {pair_coverage}");
        assert!((0.95..=1.05).contains(&slope), "{design:?}: slope {slope}");
    }
}

/// Pairs that differ less than independent games narrow the intervals; pairs that repeat widen them.
#[test]
fn intervals_follow_the_dispersion_of_pairs() {
    let width = |counts: PairCounts| {
        let estimate = rating(&fit(&[encounter("a", "b", counts)], "b"), "a");
        estimate.high - estimate.low
    };
    // 100 pairs of two points, a first player that wins half of its games: by chance, in every pair one game, in pairs.
    let independent = width(undrawn(25, 25, 25));
    let alternating = width(undrawn(0, 0, 50));
    let repeating = width(undrawn(50, 50, 0));
    assert!(alternating < 0.5 * independent, "{alternating} {independent}");
    assert!(repeating > 1.3 * independent, "{repeating} {independent}");
}

/// `count` pairs between players whose strengths differ by `x` (logistic scale), under Davidson's model.
fn play(x: f64, advantage: f64, draw: f64, count: u32, rng: &mut GameRng) -> PairCounts {
    let mut game = |x: f64| {
        let (win, loss) = ((x / 2.0).exp(), (-x / 2.0).exp());
        match rng.random_range(0.0..win + draw + loss) {
            share if share < win => 1,
            share if share < win + draw => 0,
            _ => -1,
        }
    };
    let mut counts = PairCounts::default();
    (0..count).for_each(|_| counts.add_pair(game(x + advantage), -game(-x + advantage)));
    counts
}

/// Elo points of a unit of the logistic scale at this draw parameter: 400 / ln 10 · 2 / (2 + ν), by which the expected
/// score rises at equality as on Elo's curve.
fn elo_per_logit(draw: f64) -> f64 {
    400.0 / 10f64.ln() * 2.0 / (2.0 + draw)
}

#[test]
fn a_long_run_is_rated_as_well() {
    // 1000 generations, each against four baselines and the champion, which is replaced every third time.
    let mut rng = rng_for(&[8]);
    let strength = |generation: u32| 3.0 * (f64::from(generation) / 1000.0).sqrt();
    let baselines = [("random", 0.0), ("one", 0.6), ("two", 1.2), ("three", 2.0)];
    let mut encounters = Vec::new();
    for generation in 0..1000 {
        let name = format!("gen-{generation}");
        for (baseline, elo) in baselines {
            let results = play(strength(generation) - elo, 0.2, 0.5, 10, &mut rng);
            encounters.push(encounter(&name, baseline, results));
        }
        if generation > 0 {
            let champion = (generation - 1) / 3 * 3;
            let results = play(strength(generation) - strength(champion), 0.2, 0.5, 10, &mut rng);
            encounters.push(encounter(&name, &format!("gen-{champion}"), results));
        }
    }
    let config = RatingConfig { samples: 100, ..RatingConfig::anchored_at("random") };
    let table = RatingTable::fit(&encounters, &config).unwrap();
    assert_eq!(table.ratings.len(), 1004);
    let error =
        |generation: u32| rating(&table, &format!("gen-{generation}")).elo - strength(generation) * elo_per_logit(0.5);
    let squared: f64 = (0..1000).map(|generation| error(generation).powi(2)).sum::<f64>() / 1000.0;
    assert!(squared.sqrt() < 50.0, "{}", squared.sqrt());
    assert!(close(table.first_player_elo.elo, 0.2 * elo_per_logit(0.5), 5.0), "{:?}", table.first_player_elo);
    assert!(close(table.even_draw_share, 0.2, 0.01), "{}", table.even_draw_share);
    let los = table.los_matrix();
    assert!(los[0][999] > 0.99 && los[999][0] < 0.01 && los[3][3] == 0.5);
}
