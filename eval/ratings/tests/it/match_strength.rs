//! Estimates from one match, against numbers computed by hand and by the formulas of the engine testers.

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_ratings::elo::{elo_difference, expected_score};
use selfplay_ratings::{MatchStrength, PairCounts, PairMoments, ScoreEstimate};

use crate::{close, pairs};

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
    let counts = pairs([0, 0, 2, 3, 3]);
    assert_eq!((counts.pairs(), counts.score()), (8, 25.0 / 32.0));
    let moments = PairMoments::from_counts(&counts);
    assert!(close(moments.mean, 0.75, 1e-12) && close(moments.variance, 0.5 / 9.0, 1e-12), "{moments:?}");
    assert!(close(moments.standard_error(), 0.5f64.sqrt() / 9.0, 1e-12));
    // Slope 400 / (ln 10 · 0.75 · 0.25) = 926.5 Elo per point, times 1.96 · 0.07857.
    let MatchStrength { elo, normalized_elo, los, pairs_ratio, .. } = MatchStrength::from_counts(&counts);
    assert!(close(elo.elo, 190.85, 0.005), "{elo:?}");
    assert!(close(elo.high - elo.elo, 142.67, 0.05), "{elo:?}");
    assert!(close(elo.elo - elo.low, 142.67, 0.05), "{elo:?}");
    assert_eq!(elo.to_string(), "+191 [+48, +334]");
    // 347.436 · 0.25 / √(2 · 0.5/9) = 260.58, error 1.96 · 347.436 / √18.
    assert!(close(normalized_elo.elo, 260.58, 0.005), "{normalized_elo:?}");
    assert!(close(normalized_elo.high - normalized_elo.elo, 160.50, 0.01), "{normalized_elo:?}");
    // Φ(0.25 / 0.0785674) = Φ(3.18198).
    assert!(close(los, 0.999_268_6, 1e-6), "{los}");
    assert_eq!(pairs_ratio, None);
    let estimate = ScoreEstimate::from_counts(&counts);
    assert!(close(estimate.low, 0.6273, 1e-4) && close(estimate.high, 0.9352, 1e-4), "{estimate:?}");
    assert_eq!(estimate.to_string(), "0.781 [0.627, 0.935]");
}

/// What the formulas of fastchess's `EloPentanomial` (score, variance of pair scores, the curve at the interval's ends)
/// give, evaluated in Python with double precision: they know no virtual pair, so numbers agree the better the longer
/// the match is.
#[test]
fn long_matches_agree_with_the_testers_formulas() {
    for (counts, [elo, elo_error, normalized, normalized_error, los], tolerance) in [
        ([10, 50, 100, 60, 15], [14.793_426, 20.974_135, 22.208_179, 31.410_400, 0.917_089_7], 0.007),
        ([871, 19452, 47321, 20151, 931], [1.603_542_2, 0.830_214_8, 3.122_330_4, 1.616_523_2, 0.999_923_36], 0.0001),
    ] {
        let strength = MatchStrength::from_counts(&pairs(counts));
        let near = |found: f64, expected: f64| close(found, expected, tolerance * expected);
        assert!(near(strength.elo.elo, elo) && near(strength.elo.high - strength.elo.elo, elo_error), "{strength:?}");
        assert!(near(strength.normalized_elo.elo, normalized), "{strength:?}");
        assert!(near(strength.normalized_elo.high - strength.normalized_elo.elo, normalized_error), "{strength:?}");
        assert!(near(strength.los, los), "{strength:?}");
    }
}

#[test]
fn ratios_count_what_their_names_say() {
    let strength = MatchStrength::from_counts(&PairCounts([[1, 2, 3], [4, 5, 6], [7, 8, 9]]));
    assert_eq!((strength.draw_ratio, strength.pairs_ratio), (30.0 / 90.0, Some(23.0 / 7.0)));
    let nothing = MatchStrength::from_counts(&PairCounts::default());
    assert_eq!((nothing.elo.elo, nothing.draw_ratio, nothing.pairs_ratio, nothing.los), (0.0, 0.0, None, 0.5));
}

#[test]
fn swapping_the_players_changes_the_sign() {
    let counts = PairCounts([[3, 1, 2], [0, 4, 1], [2, 5, 9]]);
    let (there, back) = (MatchStrength::from_counts(&counts), MatchStrength::from_counts(&counts.reversed()));
    for (there, back) in [(there.elo, back.elo), (there.normalized_elo, back.normalized_elo)] {
        assert!(there.elo > 0.0 && close(there.elo, -back.elo, 1e-9), "{there:?} {back:?}");
        assert!(close(there.low, -back.high, 1e-9) && close(there.high, -back.low, 1e-9), "{there:?} {back:?}");
    }
    assert!(close(there.los, 1.0 - back.los, 1e-12));
    assert!(close(there.pairs_ratio.unwrap() * back.pairs_ratio.unwrap(), 1.0, 1e-12));
}

#[test]
fn one_sided_matches_stay_finite() {
    for counts in [[0, 0, 0, 0, 10], [10, 0, 0, 0, 0], [0, 0, 10, 0, 0], [0; 5], [0, 0, 0, 0, 1_000_000]] {
        let counts = pairs(counts);
        let strength = MatchStrength::from_counts(&counts);
        for elo in [strength.elo, strength.normalized_elo] {
            assert!(elo.low.is_finite() && elo.high.is_finite() && elo.low < elo.elo && elo.elo < elo.high, "{elo:?}");
        }
        assert!((0.0..=1.0).contains(&strength.los), "{strength:?}");
        let estimate = ScoreEstimate::from_counts(&counts);
        assert!(estimate.low <= estimate.score && estimate.score <= estimate.high && estimate.low < estimate.high);
    }
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    // Matches of 40 pairs; a game is won with probability ½, drawn with ¼: the true score is 0.625. A pair's points per
    // game have variance (½ · 1 + ¼ · ¼ − 0.625²) / 2.
    let truth = elo_difference(0.625);
    let normalized_truth = 800.0 / 10f64.ln() * 0.125 / (0.5625f64 - 0.390_625).sqrt();
    let mut rng = rng_for(&[11]);
    let mut result = || [1, 1, 0, -1][rng.random_range(0..4usize)];
    let matches = 4000;
    let mut held = [0; 3];
    for _ in 0..matches {
        let mut counts = PairCounts::default();
        (0..40).for_each(|_| counts.add_pair(result(), result()));
        let (strength, score) = (MatchStrength::from_counts(&counts), ScoreEstimate::from_counts(&counts));
        let holds = |estimate: selfplay_ratings::EloEstimate, truth| estimate.low <= truth && truth <= estimate.high;
        held[0] += u32::from(holds(strength.elo, truth));
        held[1] += u32::from(holds(strength.normalized_elo, normalized_truth));
        held[2] += u32::from(score.low <= 0.625 && 0.625 <= score.high);
    }
    // The interval of normalized Elo neglects that the deviation is estimated, too: it is right at equality only.
    for (held, least) in held.into_iter().zip([0.93, 0.92, 0.93]) {
        let share = f64::from(held) / f64::from(matches);
        assert!((least..0.97).contains(&share), "{share}");
    }
}
