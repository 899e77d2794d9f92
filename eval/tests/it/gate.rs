//! The gate's decisions, case by case, and the ladder that feeds it.

use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_eval::GateDecision::{Promote, Reject};
use selfplay_eval::{
    Champion, EvalError, GateConfig, LadderRecord, MatchConfig, PairCounts, PlayerSpec, RungScore, play_ladder,
};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};

use crate::{NoCheckpoints, player};

fn record(rungs: &[(&str, [u32; 5])]) -> LadderRecord {
    let rung =
        |&(player, counts): &(&str, [u32; 5])| RungScore { player: player.into(), pair_counts: PairCounts(counts) };
    LadderRecord { rungs: rungs.iter().map(rung).collect() }
}

/// A record with this mean score over two baselines, of ten pairs each.
fn ladder(won: u32) -> LadderRecord {
    record(&[("random", [0, 0, 0, 0, 10]), ("alphabeta:depth=2", [10 - won, 0, 0, 0, won])])
}

#[test]
fn decisions_case_by_case() {
    let config = GateConfig { min_score: 0.5, ladder_tolerance: 0.05, ..GateConfig::default() };
    // Ladder scores: 0.5 + won / 20.
    for (case, pair_counts, candidate, champion, expected) in [
        ("better in both", [0, 0, 10, 0, 10], 8, 6, Promote),
        ("exactly even in both", [5, 0, 10, 0, 5], 6, 6, Promote),
        ("half a point short of the champion", [5, 1, 10, 0, 4], 9, 6, Reject),
        ("ladder exactly at the tolerance", [0, 0, 10, 0, 10], 5, 6, Promote),
        ("ladder beyond the tolerance", [0, 0, 10, 0, 10], 4, 6, Reject),
        ("worse in both", [10, 0, 10, 0, 0], 2, 6, Reject),
    ] {
        let (pair_counts, champion) = (PairCounts(pair_counts), ladder(champion));
        let champion = Champion { pair_counts: &pair_counts, ladder: &champion };
        let verdict = config.decide(&ladder(candidate), Some(champion)).unwrap();
        assert_eq!(verdict.decision, expected, "{case}: {verdict}");
        assert_eq!(verdict.reasons.len(), 2, "{case}");
    }
    let strict = GateConfig { min_score: 0.55, ..config };
    let (pair_counts, champion) = (PairCounts([5, 0, 10, 0, 5]), ladder(6));
    let champion = Champion { pair_counts: &pair_counts, ladder: &champion };
    assert_eq!(strict.decide(&ladder(6), Some(champion)).unwrap().decision, Reject);
}

// Ten pairs all won: smoothed mean 10.5/11, standard error 0.0540; two such baselines: 0.0540/√2, times 1.96 = 0.075.
#[test]
fn the_first_candidate_becomes_champion() {
    let verdict = GateConfig::default().decide(&ladder(0), None).unwrap();
    assert_eq!(verdict.decision, Promote);
    assert_eq!(verdict.to_string(), "promoted: there is no champion yet; ladder 0.500 [0.425, 0.575]");
    let verdict = GateConfig::default().decide(&LadderRecord::default(), None).unwrap();
    assert_eq!(verdict.to_string(), "promoted: there is no champion yet");
}

#[test]
fn the_sentence_holds_all_numbers() {
    let pair_counts = PairCounts([0, 0, 2, 3, 3]);
    let champion = Champion { pair_counts: &pair_counts, ladder: &ladder(10) };
    let verdict = GateConfig::default().decide(&ladder(0), Some(champion)).unwrap();
    assert_eq!(
        verdict.to_string(),
        "rejected: champion 0.781 [0.627, 0.935] ≥ 0.500 in 8 game pairs; \
         ladder 0.500 [0.425, 0.575] < champion's 1.000 [0.925, 1.000] − 0.050"
    );
}

#[test]
fn an_empty_ladder_leaves_the_match() {
    let pair_counts = PairCounts([0, 0, 1, 0, 1]);
    let empty = LadderRecord::default();
    let champion = Champion { pair_counts: &pair_counts, ladder: &empty };
    let verdict = GateConfig::default().decide(&empty, Some(champion)).unwrap();
    assert_eq!((verdict.decision, verdict.reasons.len()), (Promote, 1));
    let error = GateConfig::default().decide(&ladder(3), Some(champion)).unwrap_err();
    assert!(matches!(&error, EvalError::LadderChanged { champion, .. } if champion.is_empty()), "{error}");
}

#[test]
fn configurations_are_checked() {
    GateConfig::default().validate().unwrap();
    for (config, message) in [
        (GateConfig { pairs: 0, ..GateConfig::default() }, "`pairs` is 0: expected 1 to 1,000,000"),
        (GateConfig { min_score: 1.5, ..GateConfig::default() }, "`min_score` is 1.5: expected a score in 0..=1"),
        (
            GateConfig { ladder_tolerance: f64::NAN, ..GateConfig::default() },
            "`ladder_tolerance` is NaN: expected a difference of scores in 0..=1",
        ),
        (
            GateConfig { ladder: vec![PlayerSpec::Random; 2], ..GateConfig::default() },
            "`ladder` holds `random`: expected each baseline once",
        ),
        (
            GateConfig { ladder: vec!["alphabeta:time=1s".parse().unwrap()], ..GateConfig::default() },
            "`ladder` holds `alphabeta:time=1000ms`: expected baselines limited by depth, nodes or simulations: verdicts must \
             not depend on the machine",
        ),
        (GateConfig { ladder_pairs: 0, ..GateConfig::default() }, "`ladder_pairs` is 0: expected 1 to 1,000,000"),
    ] {
        assert_eq!(config.validate().unwrap_err().to_string(), message);
    }
    let read =
        |key: &'static str| GateConfig::deserialize(MapDeserializer::<_, Error>::new([(key, 30_u32)].into_iter()));
    assert_eq!(read("pairs").unwrap().pairs, 30);
    assert!(read("pears").unwrap_err().to_string().contains("unknown field `pears`"));
    let ladder = MapDeserializer::<_, Error>::new([("ladder", vec!["alphabet"])].into_iter());
    let message = GateConfig::deserialize(ladder).unwrap_err().to_string();
    assert!(message.contains("there is no kind `alphabet`"), "{message}");
}

#[test]
fn a_ladder_is_climbed_rung_by_rung() {
    let rungs: Vec<PlayerSpec> = ["random", "alphabeta:depth=2"].map(|spec| spec.parse().unwrap()).into();
    let config = MatchConfig { pairs: 6, opening_decisions: 1, ..MatchConfig::default() };
    let climb = |spec: &str| {
        let climber = || player::<TicTacToe>(spec);
        LadderRecord::from_reports(&play_ladder(climber, &rungs, &NoCheckpoints, &config, |_, _| ()).unwrap())
    };
    let (strong, weak) = (climb("alphabeta:depth=9"), climb("random"));
    assert_eq!(strong.players(), ["random", "alphabeta:depth=2"]);
    assert!(strong.rungs.iter().all(|rung| rung.pair_counts.pairs() == 6));
    assert!(strong.score().unwrap().score > weak.score().unwrap().score + 0.2);
    assert_eq!(strong, climb("alphabeta:depth=9"));
    assert_eq!(LadderRecord::default().score(), None);
}
