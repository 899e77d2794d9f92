//! The gate's verdicts, case by case, and the ladder that feeds it.

use selfplay_arena::GateDecision::{Promote, Reject, Undecided};
use selfplay_arena::{
    ArenaError, BaselineScore, Champion, GateConfig, IfInconclusive, LadderRecord, MatchConfig, MatchSetting, Verdict,
    play_match,
};
use selfplay_env::Typed;
use selfplay_tictactoe::TicTacToe;

use crate::{pairs, player};

fn record(baselines: &[(&str, [u32; 5])]) -> LadderRecord {
    let baseline =
        |&(player, counts): &(&str, [u32; 5])| BaselineScore { player: player.into(), pair_counts: pairs(counts) };
    LadderRecord { baselines: baselines.iter().map(baseline).collect() }
}

/// A record with this mean score over two baselines, of ten pairs each.
fn ladder(won: u32) -> LadderRecord {
    record(&[("random", [0, 0, 0, 0, 10]), ("alphabeta:depth=2", [10 - won, 0, 0, 0, won])])
}

fn decide(config: &GateConfig, counts: [u32; 5], candidate: &LadderRecord, best: &LadderRecord) -> Verdict {
    let champion = Champion { pair_counts: &pairs(counts), best_ladder: best };
    config.decide(candidate, Some(champion)).unwrap()
}

/// Allows two points less in the 40 games against the ladder here.
fn by_test() -> GateConfig {
    GateConfig { eval_tolerance: 0.05, ..GateConfig::default() }
}

fn by_score(min_score: f64) -> GateConfig {
    GateConfig { min_score: Some(min_score), sprt: None, ..by_test() }
}

#[test]
fn decisions_by_score_case_by_case() {
    let config = by_score(0.5);
    // A pair that is won against the ladder counts two points.
    for (case, counts, candidate, best, expected) in [
        ("better in both", [0, 0, 10, 0, 10], 8, 6, Promote),
        ("even in both", [5, 0, 10, 0, 5], 6, 6, Promote),
        ("half a point short of the champion", [5, 1, 10, 0, 4], 9, 6, Reject),
        ("the ladder lost as much as the match won", [0, 0, 10, 0, 1], 5, 6, Promote),
        ("the ladder lost more than the match won", [0, 0, 10, 1, 0], 5, 6, Reject),
        ("worse in both", [10, 0, 10, 0, 0], 2, 6, Reject),
    ] {
        assert_eq!(decide(&config, counts, &ladder(candidate), &ladder(best)).decision, expected, "{case}");
    }
    assert_eq!(decide(&by_score(0.55), [5, 0, 10, 0, 5], &ladder(6), &ladder(6)).decision, Reject);
}

#[test]
fn decisions_by_test_case_by_case() {
    for (case, counts, candidate, unless_worse, if_better, if_kept) in [
        ("clear win", [0, 0, 5, 5, 9], 6, Promote, Promote, Promote),
        ("clear win, the ladder within the tolerance", [0, 0, 5, 5, 9], 5, Promote, Promote, Promote),
        ("clear win, the ladder beyond the tolerance", [0, 0, 5, 5, 9], 4, Reject, Reject, Reject),
        ("clear loss", [9, 5, 5, 0, 0], 6, Reject, Reject, Reject),
        ("clear loss, whatever the ladder gains", [6, 0, 5, 0, 0], 10, Reject, Reject, Reject),
        ("inconclusive and ahead", [10, 5, 19, 5, 11], 6, Promote, Promote, Undecided),
        ("inconclusive, behind in the match, ahead in points", [11, 5, 19, 5, 10], 8, Promote, Promote, Undecided),
        ("inconclusive and even", [10, 5, 20, 5, 10], 6, Promote, Undecided, Undecided),
        ("even in every pair", [0, 0, 50, 0, 0], 6, Promote, Undecided, Undecided),
        ("even in every pair, the ladder ahead", [0, 0, 50, 0, 0], 7, Promote, Promote, Undecided),
        ("inconclusive and behind", [11, 5, 19, 5, 10], 6, Reject, Reject, Undecided),
        ("inconclusive, the ladder behind", [10, 5, 20, 5, 10], 5, Reject, Reject, Undecided),
    ] {
        for (if_inconclusive, expected) in [
            (IfInconclusive::PromoteUnlessWorse, unless_worse),
            (IfInconclusive::PromoteIfBetter, if_better),
            (IfInconclusive::KeepChampion, if_kept),
        ] {
            let config = GateConfig { if_inconclusive, ..by_test() };
            let verdict = decide(&config, counts, &ladder(candidate), &ladder(6));
            assert_eq!(verdict.decision, expected, "{case}, {if_inconclusive:?}: {verdict}");
        }
    }
}

/// 40 ladder games: a tolerance of 0.05 allows 2 points less than the best record, whatever the match gains.
#[test]
fn the_tolerance_bounds_what_the_match_may_make_up_for() {
    for (tolerance, won, expected) in [(0.05, 5, Promote), (0.05, 4, Reject), (0.1, 4, Promote), (0.0, 5, Reject)] {
        let config = GateConfig { eval_tolerance: tolerance, ..GateConfig::default() };
        let verdict = decide(&config, [0, 0, 5, 5, 9], &ladder(won), &ladder(6));
        assert_eq!(verdict.decision, expected, "{tolerance} {won}: {verdict}");
    }
}

// Ten pairs all won: smoothed mean 10.5/11, standard error 0.0540; two such baselines: 0.0540/√2, times 1.96 = 0.075.
#[test]
fn the_first_candidate_becomes_champion() {
    let verdict = GateConfig::default().decide(&ladder(0), None).unwrap();
    assert_eq!((verdict.decision, verdict.to_string().as_str()), (Promote, "promoted: first candidate"));
    assert_eq!(ladder(0).score().unwrap().to_string(), "0.500 [0.425, 0.575]");
    assert_eq!((ladder(0).points(), record(&[("random", [1, 1, 1, 1, 1])]).points()), (20.0, 5.0));
}

#[test]
fn the_verdict_is_half_a_line() {
    let sentence = |config: &GateConfig, counts, won| decide(config, counts, &ladder(won), &ladder(6)).to_string();
    let default = by_test();
    assert_eq!(sentence(&default, [0, 0, 2, 3, 3], 5), "promoted: +7.0 points (match +9.0, ladder -2.0)");
    assert_eq!(sentence(&default, [9, 5, 5, 0, 0], 7), "rejected: -21.0 points (match -23.0, ladder +2.0)");
    let by_sprt = decide(&default, [5, 0, 6, 0, 0], &ladder(10), &ladder(5)).to_string();
    assert_eq!(by_sprt, "rejected by SPRT: +0.0 points (match -10.0, ladder +10.0)");
    assert_eq!(
        sentence(&by_score(0.8), [0, 0, 2, 3, 3], 6),
        "rejected by min_score: +9.0 points (match +9.0, ladder +0.0)"
    );
    assert_eq!(sentence(&default, [0, 0, 2, 3, 3], 4), "rejected by ladder: +5.0 points (match +9.0, ladder -4.0)");
    let keep = GateConfig { if_inconclusive: IfInconclusive::KeepChampion, ..default };
    assert_eq!(sentence(&keep, [0, 0, 50, 0, 0], 6), "undecided: +0.0 points (match +0.0, ladder +0.0)");
}

#[test]
fn an_empty_ladder_leaves_the_match() {
    let empty = LadderRecord::default();
    assert_eq!(decide(&by_score(0.5), [0, 0, 1, 0, 1], &empty, &empty).decision, Promote);
    assert_eq!(decide(&GateConfig::default(), [1, 0, 9, 0, 0], &empty, &empty).decision, Reject);
    let champion = Champion { pair_counts: &pairs([0, 0, 1, 0, 1]), best_ladder: &empty };
    let error = GateConfig::default().decide(&ladder(3), Some(champion)).unwrap_err();
    assert!(matches!(&error, ArenaError::LadderChanged { champion, .. } if champion.is_empty()), "{error}");
}

/// A gate report of an earlier version has reasons instead of a comparison.
#[test]
fn a_verdict_of_an_earlier_version_is_read() {
    let old = r#"{ "decision": "reject", "reasons": [{ "first_candidate": { "ladder": null } }] }"#;
    let verdict: Verdict = serde_json::from_str(old).unwrap();
    assert_eq!(verdict, Verdict { decision: Reject, comparison: None });
}

#[test]
fn a_ladder_is_climbed_rung_by_rung() {
    const BASELINES: [&str; 2] = ["random", "alphabeta:depth=2"];
    let config = MatchConfig { pairs: 6, opening_plies: 1, ..MatchConfig::default() };
    let climb = |spec: &str| {
        let baseline = |baseline: &&str| {
            let players = [spec, baseline].map(|spec| move || player::<TicTacToe>(spec));
            let [climber, baseline] = players;
            play_match(&Typed::<TicTacToe>::IT, climber, baseline, &config, &MatchSetting::default(), |_| ()).unwrap()
        };
        LadderRecord::from_reports(&BASELINES.iter().map(baseline).collect::<Vec<_>>())
    };
    let (strong, weak) = (climb("alphabeta:depth=9"), climb("random"));
    assert_eq!(strong.players(), BASELINES);
    assert!(strong.baselines.iter().all(|baseline| baseline.pair_counts.pairs() == 6));
    assert!(strong.score().unwrap().score > weak.score().unwrap().score + 0.2);
    assert_eq!(strong, climb("alphabeta:depth=9"));
    assert_eq!(LadderRecord::default().score(), None);
}
