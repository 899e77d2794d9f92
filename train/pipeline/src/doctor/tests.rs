//! What the doctor says of runs that are well or not.

use super::checks::PATIENCE;
use super::*;
use crate::phase::{GamesLosses, GateReport, LearnReport, PhaseTime, SelfPlayReport};
use selfplay_arena::{GateDecision, LadderRecord, MatchConfig, MatchSetting, MatchSummary, Verdict, play_match};
use selfplay_network::training::StepReport;
use selfplay_players::{NoCheckpoints, PlayerKinds, build_player};
use selfplay_tictactoe::TIC_TAC_TOE;
use selfplay_train::{SelfPlaySummary, ValueFit};

/// A run in which nothing is odd.
fn healthy(count: u32) -> Vec<Generation> {
    let generation = |number: u32| Generation {
        number,
        selfplay: SelfPlayReport {
            summary: SelfPlaySummary {
                games: 100,
                plies: 2000,
                positions: 2000,
                first_wins: 50,
                second_wins: 40,
                draws: 10,
                commonest_opening_share: 0.1,
                policy_entropy_nats: 2.0 / f64::from(number),
                ..SelfPlaySummary::default()
            },
            value_fit: ValueFit::default(),
            cores: None,
            simulations_per_second: None,
            cache_hit_share: None,
            time: PhaseTime { wall_seconds: 10.0, cpu_seconds: 19.0 },
        },
        learn: Some(LearnReport {
            steps: 1,
            losses: vec![StepReport { value_loss: 0.6, value_baseline_loss: 0.95, ..StepReport::default() }],
            validation: Some(GamesLosses { value_loss: 0.62, ..JUDGED }),
            neighbours: Some(JUDGED),
            replay_positions: 10_000,
            time: PhaseTime { wall_seconds: 5.0, cpu_seconds: 9.0 },
        }),
        gate: None,
    };
    (1..=count).map(generation).collect()
}

const JUDGED: GamesLosses = GamesLosses { games: 100, positions: 2000, policy_loss: 1.0, value_loss: 0.6 };
const FROM_NOTHING: DiagnosisInput = DiagnosisInput { threads: 2, is_on_cpu: true, is_continued: false };

fn diagnostics(change: impl Fn(&mut Generation)) -> Vec<DiagnosticKind> {
    let mut generations = healthy(6);
    generations.iter_mut().for_each(change);
    diagnose(&generations, FROM_NOTHING).into_iter().map(|diagnostic| diagnostic.kind).collect()
}

#[test]
fn a_healthy_run_and_an_empty_one_have_no_diagnostics() {
    assert_eq!(diagnostics(|_| ()), []);
    assert_eq!(diagnose(&[], FROM_NOTHING), []);
}

#[test]
fn each_diagnostic_is_found_by_itself() {
    use DiagnosticKind::*;
    type Spoil = fn(&mut Generation);
    let cases: [(DiagnosticKind, Spoil); 11] = [
        (Draws, |g| {
            let summary = &mut g.selfplay.summary;
            (summary.first_wins, summary.second_wins, summary.draws) = (2, 2, 96);
        }),
        (OneOpening, |g| g.selfplay.summary.commonest_opening_share = 0.8),
        (FirstShare, |g| {
            let summary = &mut g.selfplay.summary;
            (summary.first_wins, summary.second_wins, summary.draws) = (99, 1, 0);
        }),
        (Cut, |g| {
            let summary = &mut g.selfplay.summary;
            (summary.draws, summary.truncated) = (0, 10);
        }),
        (ValueCollapsed, |g| g.learn.as_mut().unwrap().losses[0].value_loss = 0.94),
        (EntropyLow, |g| g.selfplay.summary.policy_entropy_nats = 0.01),
        (Overfitting, |g| {
            let validation = g.learn.as_mut().unwrap().validation.as_mut().unwrap();
            validation.value_loss += if g.number > 5 { 0.35 } else { 0.0 };
        }),
        (StaleReplay, |g| g.learn.as_mut().unwrap().replay_positions = 500_000),
        (IdleCores, |g| g.selfplay.time.cpu_seconds = 10.0),
        (WrongResignations, |g| {
            let summary = &mut g.selfplay.summary;
            (summary.resignations_checked, summary.resignations_wrong) = (40, 10);
        }),
        (IdleCores, |g| g.learn.as_mut().unwrap().time = PhaseTime { wall_seconds: 30.0, cpu_seconds: 9.0 }),
    ];
    for (kind, spoil) in cases {
        assert_eq!(diagnostics(spoil), [kind]);
    }
}

#[test]
fn what_chance_or_a_device_explains_is_no_symptom() {
    let gap = |games: u64, before: f64, now: f64| {
        diagnostics(|generation| {
            let value_loss = JUDGED.value_loss + if generation.number > 5 { now } else { before };
            let learn = generation.learn.as_mut().unwrap();
            learn.validation = Some(GamesLosses { games, value_loss, ..JUDGED });
            learn.neighbours = Some(GamesLosses { games, ..JUDGED });
        })
    };
    assert_eq!((gap(100, 0.1, 0.4), gap(20, 0.1, 0.4)), (vec![DiagnosticKind::Overfitting], vec![]));
    assert_eq!(gap(100, 0.4, 0.4), [], "a gap that stays is that of a small window");

    // Few resignations are checked in a generation; together they tell.
    let wrong = |checked: u64| {
        diagnostics(|generation| {
            let summary = &mut generation.selfplay.summary;
            (summary.resignations_checked, summary.resignations_wrong) = (checked, 1);
        })
    };
    assert_eq!((wrong(4), wrong(3)), (vec![DiagnosticKind::WrongResignations], vec![]));

    let mut waiting = healthy(6);
    waiting.iter_mut().for_each(|generation| generation.selfplay.time.cpu_seconds = 10.0);
    assert_eq!(diagnose(&waiting, FROM_NOTHING).len(), 1);
    assert_eq!(diagnose(&waiting, DiagnosisInput { is_on_cpu: false, ..FROM_NOTHING }), []);
}

#[test]
fn a_gate_that_no_candidate_passes_is_told() {
    let gate = |decision: GateDecision| GateReport {
        matches: Vec::new(),
        ladder: LadderRecord::default(),
        champion: Some(1),
        verdict: Verdict { decision, comparison: None },
        time: PhaseTime::default(),
    };
    let mut generations = healthy(PATIENCE + 1);
    generations.iter_mut().for_each(|generation| generation.gate = Some(gate(GateDecision::Undecided)));
    generations[0].gate = Some(gate(GateDecision::Promote));
    let told =
        |generations: &[Generation]| diagnose(generations, FROM_NOTHING).into_iter().map(|diagnostic| diagnostic.kind);
    assert_eq!(told(&generations[..PATIENCE as usize]).collect::<Vec<_>>(), []);
    assert_eq!(told(&generations).collect::<Vec<_>>(), [DiagnosticKind::GateNeverPasses]);
    generations[6].gate = Some(gate(GateDecision::Promote));
    assert_eq!(told(&generations).collect::<Vec<_>>(), []);
}

/// A gate's report of a perfect player's three game pairs.
fn gate_against(opponent: &str) -> GateReport {
    let player = |spec: &str| build_player(TIC_TAC_TOE, &PlayerKinds::built_in().parse(spec).unwrap(), &NoCheckpoints);
    let config = MatchConfig { pairs: 3, opening_plies: 1, ..MatchConfig::default() };
    let perfect = || player("alphabeta:depth=9");
    let played = play_match(TIC_TAC_TOE, perfect, || player(opponent), &config, &MatchSetting::default(), |_| ());
    GateReport {
        matches: vec![MatchSummary { duplicates: 0.0, ..MatchSummary::from(&played.unwrap()) }],
        ladder: LadderRecord::default(),
        champion: Some(1),
        verdict: Verdict::FIRST,
        time: PhaseTime::default(),
    }
}

#[test]
fn a_gate_whose_pairs_are_all_even_tells_nothing() {
    let told = |gate: &GateReport| {
        let mut generations = healthy(6);
        generations.iter_mut().for_each(|generation| generation.gate = Some(gate.clone()));
        diagnose(&generations, FROM_NOTHING).into_iter().map(|diagnostic| diagnostic.kind).collect::<Vec<_>>()
    };
    assert_eq!(told(&gate_against("alphabeta:depth=9")), [DiagnosticKind::GateCannotTell]);
    assert_eq!(told(&gate_against("random")), []);
}

#[test]
fn games_of_a_gate_that_repeat_another_are_told() {
    let mut generations = healthy(6);
    for (duplicates, told) in [(0.2, false), (0.5, true)] {
        let mut gate = gate_against("random");
        gate.matches[0].duplicates = duplicates;
        generations[5].gate = Some(gate);
        let diagnostics = diagnose(&generations, FROM_NOTHING);
        let seen = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.seen.starts_with("50 % of the games of alphabeta:depth=9 against"));
        assert_eq!(seen, told, "{diagnostics:?}");
    }
}

#[test]
fn targets_that_never_sharpen_take_time_to_tell() {
    let mut generations = healthy(14);
    generations.iter_mut().for_each(|generation| generation.selfplay.summary.policy_entropy_nats = 2.0);
    let told = |generations: &[Generation], circumstances| {
        diagnose(generations, circumstances).into_iter().map(|diagnostic| diagnostic.kind).collect::<Vec<_>>()
    };
    assert_eq!(told(&generations[..9], FROM_NOTHING), []);
    assert_eq!(told(&generations, FROM_NOTHING), [DiagnosticKind::EntropyHigh]);
    // The targets are as uncertain as before, but the network soon predicts them: it learns.
    let mut learned = generations.clone();
    learned[0].selfplay.summary.policy_surprise_nats = 2.5;
    assert_eq!(told(&learned, FROM_NOTHING), []);
    // Weights that another run trained have sharp policies from the start.
    assert_eq!(told(&generations, DiagnosisInput { is_continued: true, ..FROM_NOTHING }), []);
}
