//! The gate's configuration: choices, ranges, and when a match may end.

use selfplay_arena::{Champion, GateConfig, GateDecision, IfInconclusive, LadderRecord};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_mcts::Limits;
use selfplay_players::spec::RandomSpec;
use selfplay_players::{PlayerKinds, PlayerSpec};
use selfplay_ratings::elo::expected_score;
use selfplay_ratings::{PairCounts, SprtConfig, SprtModel};

use crate::pairs;

fn fixed(pairs: usize, min_score: f64) -> GateConfig {
    GateConfig { pairs, min_score: Some(min_score), sprt: None, ..GateConfig::default() }
}

fn timed(time_ms: u64) -> GateConfig {
    GateConfig { num_simulations: None, time_ms: Some(time_ms), ..GateConfig::default() }
}

#[test]
fn configurations_are_checked() {
    GateConfig::default().validate().unwrap();
    let good = GateConfig::default;
    let wrong_test = SprtConfig { elo0: 10.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: SprtModel::Logistic };
    for (config, message) in [
        (GateConfig { pairs: 0, ..good() }, "`pairs` is 0: expected 1 to 1,000,000"),
        (GateConfig { num_simulations: Some(0), ..good() }, "`num_simulations` is 0: expected at least 1"),
        (timed(0), "`time_ms` is 0: expected at least 1"),
        (
            GateConfig { time_ms: Some(50), ..good() },
            "`time_ms` is set like `num_simulations`: expected exactly one of the two",
        ),
        (
            GateConfig { min_score: Some(0.5), ..good() },
            "`sprt` is set like `min_score`: expected exactly one of the two",
        ),
        (fixed(50, 1.5), "`min_score` is 1.5: expected 0 to 1"),
        (GateConfig { sprt: Some(wrong_test), ..good() }, "`sprt.elo1` is 5: expected more than `elo0`"),
        (GateConfig { eval_tolerance: f64::NAN, ..good() }, "`eval_tolerance` is NaN: expected 0 to 1"),
        (
            GateConfig { eval_opponents: vec![PlayerSpec::new(RandomSpec::default()); 2], ..good() },
            "`eval_opponents` is random twice: expected each baseline once",
        ),
        (GateConfig { eval_pairs: 0, ..good() }, "`eval_pairs` is 0: expected 1 to 1,000,000"),
    ] {
        assert_eq!(config.validate().unwrap_err().to_string(), message);
    }
    let timed = PlayerKinds::built_in().parse("alphabeta:time=1s").unwrap();
    GateConfig { eval_opponents: vec![timed], ..good() }.validate().unwrap();
}

#[test]
fn what_is_left_open_gets_its_default_and_what_is_unknown_is_refused() {
    let read = |json: &str| serde_json::from_str::<GateConfig>(json);
    assert_eq!(read("{}").unwrap(), GateConfig::default());
    let config = read(r#"{ "pairs": 30 }"#).unwrap();
    assert_eq!(config, GateConfig { pairs: 30, ..GateConfig::default() });
    assert_eq!((config.num_simulations, config.time_ms, config.min_score), (Some(100), None, None));
    assert_eq!(config.limits(), Limits::simulations(100));
    // Either key of a choice replaces the default of the other.
    let both = read(r#"{ "time_ms": 30, "min_score": 0.55, "if_inconclusive": "keep_champion" }"#).unwrap();
    assert_eq!((both.num_simulations, both.time_ms), (None, Some(30)));
    assert_eq!((both.min_score, both.sprt, both.if_inconclusive), (Some(0.55), None, IfInconclusive::KeepChampion));
    assert_eq!(both.limits(), Limits { time_ms: Some(30), ..Limits::default() });
    both.validate().unwrap();
    // Both are for `validate` to reject, which says why.
    assert!(read(r#"{ "time_ms": 30, "num_simulations": 8 }"#).unwrap().validate().is_err());
    for (json, message) in [
        (r#"{ "pears": 30 }"#, "unknown field `pears`"),
        (r#"{ "sprt": { "elo0": 0, "elo1": 5, "alpha": 0.05 } }"#, "missing field `beta`"),
        (r#"{ "sprt": { "elo0": 0, "elo1": 5, "alpha": 0.05, "beta": 0.05, "gamma": 1 } }"#, "unknown field `gamma`"),
    ] {
        let found = read(json).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
    let mut timed = read(r#"{ "eval_opponents": ["random", "alphabeta:time=1s"] }"#).unwrap();
    timed.resolve_players(&PlayerKinds::built_in()).unwrap();
    assert_eq!(timed.eval_opponents[1].to_string(), "alphabeta:time=1000ms");
    let error =
        read(r#"{ "eval_opponents": ["alphabet"] }"#).unwrap().resolve_players(&PlayerKinds::built_in()).unwrap_err();
    assert!(error.to_string().contains("there is no kind `alphabet`"), "{error}");
}

/// A run's folder keeps its configuration with every choice made, and reads the same from it.
#[test]
fn what_is_written_reads_back() {
    for config in [GateConfig::default(), fixed(7, 0.6), timed(20)] {
        let written = serde_json::to_value(&config).unwrap();
        let keys = ["num_simulations", "time_ms", "sprt", "min_score"].map(|key| written.get(key).is_some());
        assert!(keys[0] != keys[1] && keys[2] != keys[3], "{written}");
        assert_eq!(serde_json::from_value::<GateConfig>(written).unwrap(), config);
    }
}

#[test]
fn a_test_stops_its_match_when_it_has_decided() {
    let config = GateConfig::default();
    for (counts, stops) in [([0; 5], false), ([0, 0, 0, 0, 3], false), ([0, 0, 1, 3, 9], true), ([9, 3, 1, 0, 0], true)]
    {
        assert_eq!(config.should_stop(&pairs(counts)), stops, "{counts:?}");
    }
}

#[test]
fn a_match_for_a_score_stops_when_nothing_can_change() {
    // 10 pairs, 11 of 20 points needed.
    let config = fixed(10, 0.55);
    for (counts, stops) in [
        ([0, 0, 0, 0, 5], false),
        ([0, 0, 0, 1, 5], true),
        // 5 pairs lost: 10 points are left; one drawn pair less lost, and 11 can be made.
        ([5, 0, 0, 0, 0], true),
        ([4, 0, 1, 0, 0], false),
        ([0, 0, 9, 0, 0], false),
        ([0, 0, 8, 2, 0], true),
    ] {
        assert_eq!(config.should_stop(&pairs(counts)), stops, "{counts:?}");
    }
    // A pair more than the cap is no reason to go on, and what always suffices needs no game.
    assert!(config.should_stop(&pairs([0, 0, 11, 0, 0])));
    assert!(fixed(10, 0.0).should_stop(&PairCounts::default()));
}

/// Every way in which six pairs can come: stopping where it is allowed never changes whether the score is reached.
#[test]
fn stopping_early_never_changes_the_answer() {
    let is_met = |counts: &PairCounts, needed: f64| counts.score() + 1e-9 >= needed;
    for min_score in [0.3, 0.5, 0.55, 0.75] {
        let config = fixed(6, min_score);
        for line in 0..5usize.pow(6) {
            let results = (0..6).map(|pair| line / 5usize.pow(pair) % 5);
            let (mut pentanomial, mut at_stop) = ([0; 5], None);
            for half_points in results {
                pentanomial[half_points] += 1;
                if at_stop.is_none() && config.should_stop(&pairs(pentanomial)) {
                    at_stop = Some(pairs(pentanomial));
                }
            }
            let at_stop = at_stop.expect("with all pairs played, the match is over");
            assert_eq!(is_met(&at_stop, min_score), is_met(&pairs(pentanomial), min_score), "{line} {min_score}");
        }
    }
}

/// What the defaults promise: of 2000 simulated candidates of each strength, how many pass, and after how many pairs.
/// A quarter of the games is drawn.
#[test]
fn the_defaults_decide_as_often_and_as_soon_as_they_say() {
    let config = GateConfig { eval_opponents: Vec::new(), ..GateConfig::default() };
    let empty = LadderRecord::default();
    for (elo, passing, mean_pairs) in [
        (-50.0, 0.03..0.09, 20.0..30.0),
        (0.0, 0.43..0.52, 29.0..38.0),
        (50.0, 0.90..0.96, 20.0..30.0),
        (200.0, 0.995..1.01, 10.0..14.0),
    ] {
        let mut rng = rng_for(&[6]);
        let win = expected_score(elo) - 0.125;
        let mut game = || match rng.random_range(0.0..1.0) {
            share if share < win => 1,
            share if share < win + 0.25 => 0,
            _ => -1,
        };
        let (mut promoted, mut pairs) = (0, 0);
        for _ in 0..2000 {
            let mut counts = PairCounts::default();
            while counts.pairs() < config.pairs as u32 && !config.should_stop(&counts) {
                counts.add_pair(game(), game());
            }
            pairs += counts.pairs();
            let champion = Champion { pair_counts: &counts, best_ladder: &empty };
            promoted += u32::from(config.decide(&empty, Some(champion)).unwrap().decision == GateDecision::Promote);
        }
        let (share, mean) = (f64::from(promoted) / 2000.0, f64::from(pairs) / 2000.0);
        assert!(passing.contains(&share) && mean_pairs.contains(&mean), "{elo}: {share} promoted after {mean} pairs");
    }
}
