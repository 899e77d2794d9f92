//! The gate's decisions, case by case, and the ladder that feeds it.

use selfplay_env::Typed;
use selfplay_eval::GateDecision::{Promote, Reject, Undecided};
use selfplay_eval::{
    AtCap, Champion, EvalError, GateConfig, LadderRecord, MatchConfig, MatchSetting, RungScore, Verdict, play_match,
};
use selfplay_tictactoe::TicTacToe;

use crate::{pairs, player};

fn record(rungs: &[(&str, [u32; 5])]) -> LadderRecord {
    let rung = |&(player, counts): &(&str, [u32; 5])| RungScore { player: player.into(), pair_counts: pairs(counts) };
    LadderRecord { rungs: rungs.iter().map(rung).collect() }
}

/// A record with this mean score over two baselines, of ten pairs each.
fn ladder(won: u32) -> LadderRecord {
    record(&[("random", [0, 0, 0, 0, 10]), ("alphabeta:depth=2", [10 - won, 0, 0, 0, won])])
}

fn decide(config: &GateConfig, counts: [u32; 5], candidate: &LadderRecord, champion: &LadderRecord) -> Verdict {
    let champion = Champion { pair_counts: &pairs(counts), ladder: champion };
    config.decide(candidate, Some(champion)).unwrap()
}

fn by_score(min_score: f64) -> GateConfig {
    GateConfig { min_score: Some(min_score), sprt: None, ..GateConfig::default() }
}

#[test]
fn decisions_by_score_case_by_case() {
    let config = by_score(0.5);
    // Ladder scores: 0.5 + won / 20.
    for (case, counts, candidate, champion, expected) in [
        ("better in both", [0, 0, 10, 0, 10], 8, 6, Promote),
        ("exactly even in both", [5, 0, 10, 0, 5], 6, 6, Promote),
        ("half a point short of the champion", [5, 1, 10, 0, 4], 9, 6, Reject),
        ("ladder exactly at the tolerance", [0, 0, 10, 0, 10], 5, 6, Promote),
        ("ladder beyond the tolerance", [0, 0, 10, 0, 10], 4, 6, Reject),
        ("worse in both", [10, 0, 10, 0, 0], 2, 6, Reject),
    ] {
        let verdict = decide(&config, counts, &ladder(candidate), &ladder(champion));
        assert_eq!((verdict.decision, verdict.reasons.len()), (expected, 2), "{case}: {verdict}");
    }
    assert_eq!(decide(&by_score(0.55), [5, 0, 10, 0, 5], &ladder(6), &ladder(6)).decision, Reject);
}

#[test]
fn decisions_by_test_case_by_case() {
    for (case, counts, candidate, unless_worse, if_better, if_kept) in [
        ("clearly better", [0, 0, 5, 5, 9], 6, Promote, Promote, Promote),
        ("clearly better, but the ladder is lost", [0, 0, 5, 5, 9], 4, Reject, Reject, Reject),
        ("clearly worse", [9, 5, 5, 0, 0], 6, Reject, Reject, Reject),
        ("ahead when the pairs were played", [10, 5, 19, 5, 11], 6, Promote, Promote, Undecided),
        ("even when the pairs were played", [10, 5, 20, 5, 10], 6, Promote, Undecided, Undecided),
        ("even in every pair", [0, 0, 50, 0, 0], 6, Promote, Undecided, Undecided),
        ("behind when the pairs were played", [11, 5, 19, 5, 10], 6, Undecided, Undecided, Undecided),
        ("undecided, and the ladder is lost", [10, 5, 20, 5, 10], 4, Reject, Reject, Reject),
    ] {
        for (at_cap, expected) in [
            (AtCap::PromoteUnlessWorse, unless_worse),
            (AtCap::PromoteIfBetter, if_better),
            (AtCap::KeepChampion, if_kept),
        ] {
            let config = GateConfig { at_cap, ..GateConfig::default() };
            let verdict = decide(&config, counts, &ladder(candidate), &ladder(6));
            assert_eq!((verdict.decision, verdict.reasons.len()), (expected, 2), "{case}, {at_cap:?}: {verdict}");
        }
    }
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
    let sentence = |config: &GateConfig, counts| decide(config, counts, &ladder(0), &ladder(10)).to_string();
    let ladder_part = "; ladder 0.500 [0.425, 0.575] < champion's 1.000 [0.925, 1.000] − 0.050";
    assert_eq!(
        sentence(&by_score(0.5), [0, 0, 2, 3, 3]),
        format!("rejected: against the champion 0.781 [0.627, 0.935] ≥ 0.500 in 8 game pairs{ladder_part}")
    );
    assert_eq!(
        sentence(&GateConfig::default(), [0, 0, 2, 3, 3]),
        format!(
            "rejected: against the champion 0.781 [0.627, 0.935], Elo +191 [+48, +334] in 8 game pairs, SPRT [-50, 50] \
             llr 2.30 between -2.94 and 2.94, so the score decides: ≥ 0.500{ladder_part}"
        )
    );
    let undecided = decide(
        &GateConfig { at_cap: AtCap::KeepChampion, ..GateConfig::default() },
        [0, 0, 2, 3, 3],
        &LadderRecord::default(),
        &LadderRecord::default(),
    );
    assert_eq!(
        undecided.to_string(),
        "undecided, the champion stays: against the champion 0.781 [0.627, 0.935], Elo +191 [+48, +334] in 8 game pairs, \
         SPRT [-50, 50] llr 2.30 between -2.94 and 2.94"
    );
}

#[test]
fn an_empty_ladder_leaves_the_match() {
    let empty = LadderRecord::default();
    let verdict = decide(&by_score(0.5), [0, 0, 1, 0, 1], &empty, &empty);
    assert_eq!((verdict.decision, verdict.reasons.len()), (Promote, 1));
    let champion = Champion { pair_counts: &pairs([0, 0, 1, 0, 1]), ladder: &empty };
    let error = GateConfig::default().decide(&ladder(3), Some(champion)).unwrap_err();
    assert!(matches!(&error, EvalError::LadderChanged { champion, .. } if champion.is_empty()), "{error}");
}

#[test]
fn a_ladder_is_climbed_rung_by_rung() {
    const RUNGS: [&str; 2] = ["random", "alphabeta:depth=2"];
    let config = MatchConfig { pairs: 6, opening_decisions: 1, ..MatchConfig::default() };
    let climb = |spec: &str| {
        let rung = |rung: &&str| {
            let players = [spec, rung].map(|spec| move || player::<TicTacToe>(spec));
            let [climber, baseline] = players;
            play_match(&Typed::<TicTacToe>::IT, climber, baseline, &config, &MatchSetting::default(), |_| ()).unwrap()
        };
        LadderRecord::from_reports(&RUNGS.iter().map(rung).collect::<Vec<_>>())
    };
    let (strong, weak) = (climb("alphabeta:depth=9"), climb("random"));
    assert_eq!(strong.players(), RUNGS);
    assert!(strong.rungs.iter().all(|rung| rung.pair_counts.pairs() == 6));
    assert!(strong.score().unwrap().score > weak.score().unwrap().score + 0.2);
    assert_eq!(strong, climb("alphabeta:depth=9"));
    assert_eq!(LadderRecord::default().score(), None);
}
