//! The sequential test: its likelihood ratio against an independent computation, its error rates in simulation.

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_ratings::elo::expected_score;
use selfplay_ratings::{PairCounts, SprtConfig, SprtDecision, SprtModel};

use crate::{close, pairs};

const AROUND_ZERO: SprtConfig =
    SprtConfig { elo0: -50.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: SprtModel::Logistic };

/// The numbers come from a Python program that maximises the multinomial likelihood Σ n ln p over all distributions of
/// pair scores with the mean of each hypothesis. It uses sequential quadratic programming (SciPy's SLSQP) and not
/// the equation solved here. A root of that equation by Brent's method agrees with it in twelve digits.
#[test]
fn the_ratio_is_the_one_computed_independently() {
    for (counts, elo0, elo1, llr) in [
        ([10, 50, 100, 60, 15], 0.0, 5.0, 0.536_601_279_341),
        ([871, 19452, 47321, 20151, 931], 0.0, 2.0, 6.727_064_406_20),
        ([3, 1, 4, 1, 9], -50.0, 50.0, 2.495_855_659_156),
        ([0, 0, 2, 3, 3], 0.0, 50.0, 1.068_490_538_883),
        ([0, 0, 0, 0, 7], -50.0, 50.0, 2.015_337_241_397),
        ([0, 0, 30, 0, 0], 0.0, 10.0, -0.868_626_460_364),
        ([12, 7, 5, 3, 1], -20.0, 20.0, -2.715_888_435_039),
        ([1, 0, 0, 0, 0], -50.0, 50.0, -0.288_396_256_176),
    ] {
        let state = SprtConfig { elo0, elo1, ..AROUND_ZERO }.state(&pairs(counts));
        assert!(close(state.llr, llr, 1e-9), "{counts:?}: {state:?}");
    }
}

/// The file holds ratios by fastchess's formulas and says how they were made.
#[test]
fn both_models_decide_as_fastchess_does() {
    let mut compared = 0;
    for line in include_str!("../data/sprt_fastchess.txt").lines().filter(|line| !line.starts_with('#')) {
        let numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let counts = pairs(std::array::from_fn(|half| numbers[half] as u32));
        for (model, llr) in [(SprtModel::Logistic, numbers[7]), (SprtModel::Normalized, numbers[8])] {
            let test = SprtConfig { elo0: numbers[5], elo1: numbers[6], model, ..AROUND_ZERO };
            let state = test.state(&counts);
            // The original solves its equations less exactly.
            assert!(close(state.llr, llr, 1e-3 + 1e-4 * llr.abs()), "{line}: {model:?} {state:?}");
            let expected = match llr {
                llr if llr <= state.lower => SprtDecision::AcceptH0,
                llr if llr >= state.upper => SprtDecision::AcceptH1,
                _ => SprtDecision::Continue,
            };
            assert_eq!(state.decision, expected, "{line}: {model:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 52);
}

#[test]
fn normalized_hypotheses_are_a_number_of_standard_deviations() {
    // Normalized Elo of 50 is 0.2035 deviations of a pair's score above one half. Counts that are such a distribution fit H1
    // exactly: by symmetry, so do their mirror image and H0.
    let test = SprtConfig { model: SprtModel::Normalized, ..AROUND_ZERO };
    let even = test.state(&pairs([0, 0, 30, 0, 0]));
    assert!(close(even.llr, 0.0, 1e-6), "{even:?}");
    let (there, back) = (test.state(&pairs([4, 9, 30, 20, 3])), test.state(&pairs([3, 20, 30, 9, 4])));
    assert!(there.llr > 1.0 && close(there.llr, -back.llr, 1e-6), "{there:?} {back:?}");
    // Twice the counts are twice the evidence.
    let twice = test.state(&pairs([8, 18, 60, 40, 6]));
    assert!(close(twice.llr, 2.0 * there.llr, 1e-6), "{twice:?}");
}

#[test]
fn bounds_follow_from_the_error_rates() {
    // ln(0.1 / 0.95) and ln(0.9 / 0.05).
    let config = SprtConfig { beta: 0.1, ..AROUND_ZERO };
    let state = config.state(&PairCounts::default());
    assert!(close(state.lower, -2.251_292, 1e-6) && close(state.upper, 2.890_372, 1e-6), "{state:?}");
    assert!(close(state.llr, 0.0, 1e-3) && state.decision == SprtDecision::Continue, "{state:?}");
    assert_eq!(config.state(&pairs([0, 0, 2, 3, 9])).decision, SprtDecision::AcceptH1);
    assert_eq!(config.state(&pairs([9, 3, 2, 0, 0])).decision, SprtDecision::AcceptH0);
}

#[test]
fn the_opponents_test_is_the_mirror_image() {
    let counts = PairCounts([[3, 1, 2], [0, 4, 1], [2, 5, 9]]);
    let (there, back) = (AROUND_ZERO.state(&counts), AROUND_ZERO.state(&counts.reversed()));
    assert!(there.llr > 0.0 && close(there.llr, -back.llr, 1e-9), "{there:?} {back:?}");
    let shifted = SprtConfig { elo0: 0.0, elo1: 30.0, ..AROUND_ZERO };
    let mirrored = SprtConfig { elo0: -30.0, elo1: 0.0, ..AROUND_ZERO };
    assert!(close(shifted.state(&counts).llr, -mirrored.state(&counts.reversed()).llr, 1e-9));
}

#[test]
fn extreme_counts_and_hypotheses_give_numbers() {
    let most = 1_000_000;
    for counts in [[0; 5], [0, 0, 0, 0, most], [most, 0, 0, 0, 0], [0, 0, most, 0, 0], [most, 0, 0, 0, most], [1; 5]] {
        for (most, model) in [(1000.0, SprtModel::Logistic), (400.0, SprtModel::Normalized)] {
            for (elo0, elo1) in [(-most, most), (most - 1.0, most), (0.0, 1e-6), (-most, 1.0 - most)] {
                let state = SprtConfig { elo0, elo1, model, ..AROUND_ZERO }.state(&pairs(counts));
                assert!(state.llr.is_finite(), "{counts:?} [{elo0}, {elo1}] {model:?}: {state:?}");
            }
        }
    }
}

#[test]
fn wrong_tests_are_refused() {
    AROUND_ZERO.validate().unwrap();
    for (config, message) in [
        (SprtConfig { elo1: -50.0, ..AROUND_ZERO }, "`elo1` is -50: expected more than `elo0`"),
        (SprtConfig { elo0: f64::NAN, ..AROUND_ZERO }, "`elo0` is NaN: expected -1,000 to 1,000"),
        (SprtConfig { elo1: 1e9, ..AROUND_ZERO }, "`elo1` is 1000000000: expected -1,000 to 1,000"),
        (
            SprtConfig { elo1: 401.0, model: SprtModel::Normalized, ..AROUND_ZERO },
            "`elo1` is 401: expected -400 to 400 in the normalized model",
        ),
        (SprtConfig { alpha: 0.0, ..AROUND_ZERO }, "`alpha` is 0: expected at least 0.000000001 and below 0.5"),
        (SprtConfig { beta: 0.5, ..AROUND_ZERO }, "`beta` is 0.5: expected at least 0.000000001 and below 0.5"),
    ] {
        assert_eq!(config.validate().unwrap_err().to_string(), message);
    }
}

/// Shares of `tests` simulated tests that accept H1 and H0, and the mean number of pairs, where the truth is `elo`.
///
/// A quarter of the games is drawn for all players; the opening of a pair favours one side by ± 0.1 of a point.
fn simulate(config: SprtConfig, elo: f64, tests: u32, seed: u64) -> (f64, f64, f64) {
    let mut rng = rng_for(&[seed]);
    let score = expected_score(elo);
    let mut game = |score: f64| match rng.random_range(0.0..1.0) {
        share if share < 0.25 => 0,
        share if share < 0.25 + (score - 0.125) => 1,
        _ => -1,
    };
    let (mut accepted, mut pairs) = ([0u32; 2], 0u32);
    for test in 0..tests {
        let mut counts = PairCounts::default();
        let favour = if test % 2 == 0 { 0.1 } else { -0.1 };
        loop {
            counts.add_pair(game(score + favour), game(score - favour));
            match config.state(&counts).decision {
                SprtDecision::Continue => continue,
                SprtDecision::AcceptH0 => accepted[0] += 1,
                SprtDecision::AcceptH1 => accepted[1] += 1,
            }
            break;
        }
        pairs += counts.pairs();
    }
    let share = |count: u32| f64::from(count) / f64::from(tests);
    (share(accepted[1]), share(accepted[0]), share(pairs))
}

#[test]
fn error_rates_are_about_alpha_and_beta() {
    let strict = SprtConfig { elo0: 0.0, elo1: 60.0, alpha: 0.05, beta: 0.1, model: SprtModel::Logistic };
    let (promoted, _, _) = simulate(strict, 0.0, 2000, 1);
    let (_, rejected, _) = simulate(strict, 60.0, 2000, 2);
    assert!((0.03..0.065).contains(&promoted), "alpha 0.05: {promoted}");
    assert!((0.07..0.125).contains(&rejected), "beta 0.1: {rejected}");
    let normalized = SprtConfig { elo1: 80.0, model: SprtModel::Normalized, ..strict };
    let (promoted, _, _) = simulate(normalized, 0.0, 300, 3);
    assert!((0.01..0.09).contains(&promoted), "alpha 0.05: {promoted}");
}
