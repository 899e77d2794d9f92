//! The checks of the doctor: a threshold, what is seen beyond it, and what to try.

use selfplay_arena::MatchSummary;

use super::history::{Generation, History};
use crate::phase::{GateReport, LearnReport, PhaseTime};

/// Before this generation a run is too young for most diagnostics.
const YOUNG: u32 = 5;
/// Share of draws above which draws have taken over.
const MAX_DRAWS: f64 = 0.9;
/// Share of games with the same first actions above which one opening has taken over.
const MAX_COMMON_OPENING: f64 = 0.5;
/// The first player's share of the points outside of which something is odd.
const PLAUSIBLE_FIRST_SHARE: std::ops::RangeInclusive<f64> = 0.05..=0.95;
/// Share of games cut at the cap above which they teach the wrong values.
const MAX_CUT: f64 = 0.05;
/// Entropy of the mean value target in nats below which nearly all games end alike, so that there is nothing to learn.
const MIN_VALUE_ENTROPY: f64 = 0.2;
/// A value head that knows nothing has the entropy of the mean target as its loss; this much less is knowledge.
const MIN_VALUE_GAIN: f64 = 0.02;
/// Policy targets below this entropy (nats) leave nothing to explore.
const MIN_ENTROPY_NATS: f64 = 0.03;
/// Networks whose cross-entropy with the targets keeps this share of the first generation's have learned no policy.
const MAX_CROSS_ENTROPY_SHARE: f64 = 0.95;
/// How far the gap between the losses on validation games and on their neighbours may grow, in nats. (KataGomo's training
/// notes allow this for the gap itself; but runs that get stronger all the time had gaps of 0.3 here, docs/research/recipe.md.)
const MAX_GAP_GROWTH: f64 = 0.05;
/// Standard deviation of the value loss of a game, in nats, about: its positions share one result.
const VALUE_LOSS_DEVIATION: f64 = 0.5;
/// Generations in the replay window above which it is stale.
const STALE_GENERATIONS: f64 = 50.0;
/// Share of the cores' time below which cores are idle.
const MIN_CPU_SHARE: f64 = 0.75;
/// Phases shorter than this say nothing about idle cores.
const MIN_PHASE_SECONDS: f64 = 5.0;
/// Share of a match's games that repeat another above which it is reported.
const MAX_REPEATED: f64 = 0.25;
/// Generations without a new champion after which something is wrong.
pub const PATIENCE: u32 = 12;
/// Share of resignations that were wrong above which too much is given up.
const MAX_WRONG_RESIGNATIONS: f64 = 0.05;
/// Resignations to be checked before they are judged.
const MIN_RESIGNATIONS: u64 = 20;

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiagnosticKind {
    /// Nearly all games are drawn.
    Draws,
    /// Nearly all games begin alike.
    OneOpening,
    /// The value head says the same of everything.
    ValueCollapsed,
    /// Policy targets are nearly certain.
    EntropyLow,
    /// Policies do not sharpen.
    EntropyHigh,
    /// The network knows the games it learned from better than others.
    Overfitting,
    /// The replay window reaches far back.
    StaleReplay,
    /// One side wins nearly always.
    FirstShare,
    /// Many games are cut.
    Cut,
    /// Cores wait.
    IdleCores,
    /// No candidate becomes champion.
    GateNeverPasses,
    /// Candidate and champion make the same of every opening.
    GateCannotTell,
    /// Games are given up that were not lost.
    WrongResignations,
    /// Many games of a gate's match repeat another.
    RepeatedGames,
}

/// One check.
pub struct Check {
    /// What it looks for.
    pub kind: DiagnosticKind,
    /// What that is called in `metrics.jsonl`.
    pub name: &'static str,
    /// What is seen in a run that has the kind.
    pub seen: fn(&History<'_>) -> Option<String>,
    /// What to try.
    pub advice: &'static str,
}

/// All checks, in the order in which their diagnostics are made.
pub const CHECKS: [Check; 14] = [
    Check {
        kind: DiagnosticKind::Draws,
        name: "Draws",
        seen: draws,
        advice: "this may be correct for the game; if the score against the baselines is low, increase exploration \
                 (selfplay.temperature.initial, selfplay.starts.random_opening_prob)",
    },
    Check {
        kind: DiagnosticKind::OneOpening,
        name: "OneOpening",
        seen: one_opening,
        advice: "raise selfplay.temperature.initial or selfplay.starts.random_opening_prob, or the share of root noise",
    },
    Check {
        kind: DiagnosticKind::FirstShare,
        name: "FirstShare",
        seen: first_share,
        advice: "if the game is not this one-sided, check its rules (`selfplay doctor` replays games with the sides \
                 exchanged); otherwise start games from random positions (selfplay.starts)",
    },
    Check { kind: DiagnosticKind::Cut, name: "Cut", seen: cut, advice: "raise selfplay.max_plies" },
    Check {
        kind: DiagnosticKind::WrongResignations,
        name: "WrongResignations",
        seen: wrong_resignations,
        advice: "lower selfplay.resign.threshold or raise selfplay.resign.consecutive_searches",
    },
    Check {
        kind: DiagnosticKind::EntropyLow,
        name: "EntropyLow",
        seen: entropy_low,
        advice: "increase root noise, selfplay.search.c_puct or random starts",
    },
    Check {
        kind: DiagnosticKind::EntropyHigh,
        name: "EntropyHigh",
        seen: entropy_high,
        advice: "raise the learning rate; if the policy targets are flat, use more simulations and less noise",
    },
    Check {
        kind: DiagnosticKind::ValueCollapsed,
        name: "ValueCollapsed",
        seen: value_collapsed,
        advice: "raise learner.value_loss_weight or the learning rate, or restart with another seed",
    },
    Check {
        kind: DiagnosticKind::Overfitting,
        name: "Overfitting",
        seen: overfitting,
        advice: "lower replay.replay_ratio, raise learner.q_ratio, or play more games in a generation",
    },
    Check {
        kind: DiagnosticKind::StaleReplay,
        name: "StaleReplay",
        seen: stale_replay,
        advice: "lower replay.window_start_positions or replay.capacity_positions, or play more games in a generation",
    },
    Check {
        kind: DiagnosticKind::IdleCores,
        name: "IdleCores",
        seen: idle_cores,
        advice: "other programs may be running; otherwise raise selfplay.games_per_generation, so that threads wait less for the last games of a generation",
    },
    Check {
        kind: DiagnosticKind::GateNeverPasses,
        name: "GateNeverPasses",
        seen: gate_never_passes,
        advice: "if the score against the baselines does not rise either, lower learner.learning_rate, enlarge the window or raise simulations; if it rises, gate.pairs is too small",
    },
    Check {
        kind: DiagnosticKind::GateCannotTell,
        name: "GateCannotTell",
        seen: gate_cannot_tell,
        advice: "this may be correct for the game; if the score against the baselines is low, change gate.opening_plies for less balanced openings, or lower gate.num_simulations",
    },
    Check {
        kind: DiagnosticKind::RepeatedGames,
        name: "RepeatedGames",
        seen: repeated_games,
        advice: "verdict and rating intervals are too narrow; raise gate.opening_plies",
    },
];

/// Share of the games of a generation.
fn share_of(count: u64, generation: &Generation) -> f64 {
    count as f64 / generation.selfplay.summary.games.max(1) as f64
}

fn draws(history: &History<'_>) -> Option<String> {
    let share = |generation: &Generation| share_of(generation.selfplay.summary.draws, generation);
    let shows = history.lasts(|generation| share(generation) > MAX_DRAWS);
    shows.then(|| format!("{:.0} % of the games are drawn", 100.0 * share(history.newest)))
}

fn one_opening(history: &History<'_>) -> Option<String> {
    let share = |generation: &Generation| generation.selfplay.summary.commonest_opening_share;
    let shows = history.lasts(|generation| share(generation) > MAX_COMMON_OPENING);
    let percent = 100.0 * share(history.newest);
    shows.then(|| format!("{percent:.0} % of the games begin with the same four plies or their image"))
}

fn first_share(history: &History<'_>) -> Option<String> {
    let share = |generation: &Generation| {
        let summary = &generation.selfplay.summary;
        share_of(summary.first_wins, generation) + 0.5 * share_of(summary.draws + summary.truncated, generation)
    };
    let shows = history.lasts(|generation| !PLAUSIBLE_FIRST_SHARE.contains(&share(generation)));
    shows.then(|| format!("the first player makes {:.0} % of the points", 100.0 * share(history.newest)))
}

fn cut(history: &History<'_>) -> Option<String> {
    let share = share_of(history.newest.selfplay.summary.truncated, history.newest);
    (share > MAX_CUT).then(|| format!("{:.0} % of the games were truncated and count as draws", 100.0 * share))
}

/// By the newest resignations that were played on, as many as it takes to judge.
fn wrong_resignations(history: &History<'_>) -> Option<String> {
    let (mut checked, mut wrong) = (0, 0);
    for Generation { selfplay, .. } in history.generations.iter().rev() {
        checked += selfplay.summary.resignations_checked;
        wrong += selfplay.summary.resignations_wrong;
        if checked >= MIN_RESIGNATIONS {
            break;
        }
    }
    let share = wrong as f64 / checked.max(1) as f64;
    let shows = checked >= MIN_RESIGNATIONS && share > MAX_WRONG_RESIGNATIONS;
    shows.then(|| format!("{:.0} % of the checked resignations were wrong", 100.0 * share))
}

fn entropy_low(history: &History<'_>) -> Option<String> {
    let entropy = history.newest.selfplay.summary.policy_entropy_nats;
    let seen = || format!("the policy targets are nearly deterministic: entropy {entropy:.3} nats");
    (entropy < MIN_ENTROPY_NATS).then(seen)
}

fn entropy_high(history: &History<'_>) -> Option<String> {
    let History { first, newest, circumstances, .. } = history;
    // Not the entropy of the targets: untrained searches with forced results in sight are certain of much.
    let [then, now] = [first, newest].map(|Generation { selfplay, .. }| {
        selfplay.summary.policy_entropy_nats + selfplay.summary.policy_surprise_nats
    });
    let is_grown = !circumstances.is_continued && newest.number >= 2 * YOUNG;
    let shows = is_grown && now > MAX_CROSS_ENTROPY_SHARE * then && entropy_low(history).is_none();
    shows.then(|| format!("the policy loss has not improved since the start ({now:.2} of {then:.2} nats)"))
}

/// A head that says the same of every position does best with the mean of the targets, whose entropy is then its loss.
fn value_collapsed(history: &History<'_>) -> Option<String> {
    let last = history.newest.learn.as_ref()?.losses.last()?;
    let (loss, ignorance) = (last.value_loss, last.value_baseline_loss);
    let is_collapsed = ignorance > MIN_VALUE_ENTROPY && loss > ignorance - MIN_VALUE_GAIN;
    let seen = || format!("the value loss {loss:.3} is no better than that of a constant prediction ({ignorance:.3})");
    (history.newest.number >= YOUNG && is_collapsed).then(seen)
}

fn overfitting(history: &History<'_>) -> Option<String> {
    history.newest.learn.as_ref()?;
    let grown_up = history.generations.iter().filter(|generation| generation.number >= YOUNG);
    let gaps: Vec<(f64, f64)> = grown_up.filter_map(|generation| value_gap(generation.learn.as_ref()?)).collect();
    let (&(gap, error), least) = (gaps.last()?, gaps.iter().map(|gap| gap.0).reduce(f64::min)?);
    (gap - least > MAX_GAP_GROWTH + 3.0 * error).then(|| {
        format!(
            "the validation value loss exceeds the training value loss by {gap:.3}; the smallest gap was {least:.3}"
        )
    })
}

/// How much greater the value loss is on validation games than on the games beside them, and the standard error of that.
fn value_gap(learn: &LearnReport) -> Option<(f64, f64)> {
    let (validation, neighbours) = (learn.validation?, learn.neighbours?);
    let games = validation.games.min(neighbours.games).max(1) as f64;
    Some((validation.value_loss - neighbours.value_loss, VALUE_LOSS_DEVIATION * (2.0 / games).sqrt()))
}

fn stale_replay(history: &History<'_>) -> Option<String> {
    let learn = history.newest.learn.as_ref()?;
    let positions: u64 = history.generations.iter().map(|generation| generation.selfplay.summary.positions).sum();
    let for_each = positions as f64 / history.generations.len() as f64;
    let depth = learn.replay_positions as f64 / for_each.max(1.0);
    (depth > STALE_GENERATIONS).then(|| format!("the replay window holds the last {depth:.0} generations"))
}

fn idle_cores(history: &History<'_>) -> Option<String> {
    let times = history.recent().iter().flat_map(|generation| {
        [Some(generation.selfplay.time), generation.learn.as_ref().map(|learn| learn.time)].into_iter().flatten()
    });
    let (mut wall, mut cpu) = (0.0, 0.0);
    for PhaseTime { wall_seconds, cpu_seconds } in times {
        wall += wall_seconds;
        cpu += cpu_seconds;
    }
    let threads = history.circumstances.threads;
    let share = cpu / (wall * threads as f64);
    let shows = history.circumstances.is_on_cpu && wall >= MIN_PHASE_SECONDS && share < MIN_CPU_SHARE;
    shows.then(|| format!("self-play and learning used {:.0} % of {threads} cores", 100.0 * share))
}

fn gate_never_passes(history: &History<'_>) -> Option<String> {
    let generations = history.generations;
    let is_promoted = |generation: &&Generation| generation.gate.as_ref().is_some_and(GateReport::is_promoted);
    let since = generations.iter().rev().take_while(|generation| !is_promoted(generation)).count() as u32;
    let shows = since >= PATIENCE && generations.iter().any(|generation| generation.gate.is_some());
    shows.then(|| format!("no candidate of the last {since} generations became champion"))
}

fn gate_cannot_tell(history: &History<'_>) -> Option<String> {
    let shows = history.lasts(|generation| generation.gate.as_ref().is_some_and(GateReport::is_even));
    let seen = "candidate and champion tied every game pair of the last gates, so these matches are uninformative";
    shows.then(|| seen.to_owned())
}

fn repeated_games(history: &History<'_>) -> Option<String> {
    let matches = &history.newest.gate.as_ref()?.matches;
    let worst = matches.iter().max_by(|x, y| x.duplicates.total_cmp(&y.duplicates))?;
    let MatchSummary { a, b, duplicates, .. } = worst;
    let seen = || format!("{:.0} % of the games of {a} against {b} are duplicates", 100.0 * duplicates);
    (*duplicates > MAX_REPEATED).then(seen)
}
