//! The checks of the doctor: a threshold, what is seen beyond it, and what to try.

use selfplay_arena::MatchSummary;

use super::history::{Generation, History};
use crate::phase::{GateReport, LearnReport, PhaseTime};

/// Before this generation a run is too young for most symptoms.
const YOUNG: u32 = 5;
/// Share of draws above which draws have taken over.
const MAX_DRAWS: f64 = 0.9;
/// Share of games with the same first decisions above which one opening has taken over.
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
pub enum Diagnostic {
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
    pub symptom: Diagnostic,
    /// What that is called in `metrics.jsonl`.
    pub name: &'static str,
    /// What is seen in a run that has the symptom.
    pub seen: fn(&History<'_>) -> Option<String>,
    /// What to try.
    pub advice: &'static str,
}

/// All checks, in the order in which their remarks are made.
pub const CHECKS: [Check; 14] = [
    Check {
        symptom: Diagnostic::Draws,
        name: "Draws",
        seen: draws,
        advice: "that may be the truth of the game; if the ladder is still lost, try more exploration \
                 (selfplay.temperature.initial, selfplay.starts.random_opening_prob)",
    },
    Check {
        symptom: Diagnostic::OneOpening,
        name: "OneOpening",
        seen: one_opening,
        advice: "raise selfplay.temperature.initial or selfplay.starts.random_opening_prob, or the share of root noise",
    },
    Check {
        symptom: Diagnostic::FirstShare,
        name: "FirstShare",
        seen: first_share,
        advice: "if the game is not that one-sided, look at its rules (`selfplay doctor` replays games with the sides \
                 exchanged); otherwise begin games at random positions (selfplay.starts)",
    },
    Check { symptom: Diagnostic::Cut, name: "Cut", seen: cut, advice: "raise selfplay.max_plies" },
    Check {
        symptom: Diagnostic::WrongResignations,
        name: "WrongResignations",
        seen: wrong_resignations,
        advice: "lower selfplay.resign.threshold or raise selfplay.resign.consecutive_searches",
    },
    Check {
        symptom: Diagnostic::EntropyLow,
        name: "EntropyLow",
        seen: entropy_low,
        advice: "more root noise, a higher selfplay.search.c_puct, or more random starts",
    },
    Check {
        symptom: Diagnostic::EntropyHigh,
        name: "EntropyHigh",
        seen: entropy_high,
        advice: "a higher learning rate; or more simulations and less noise, if the search prefers nothing",
    },
    Check {
        symptom: Diagnostic::ValueCollapsed,
        name: "ValueCollapsed",
        seen: value_collapsed,
        advice: "raise learner.value_loss_weight or the learning rate, or begin again with another seed",
    },
    Check {
        symptom: Diagnostic::Overfitting,
        name: "Overfitting",
        seen: overfitting,
        advice: "lower replay.replay_ratio, raise learner.q_ratio, or play more games in a generation",
    },
    Check {
        symptom: Diagnostic::StaleReplay,
        name: "StaleReplay",
        seen: stale_replay,
        advice: "lower replay.window_start_positions or replay.capacity_positions, or play more games in a generation",
    },
    Check {
        symptom: Diagnostic::IdleCores,
        name: "IdleCores",
        seen: idle_cores,
        advice: "other programs may be running; otherwise raise selfplay.games_per_generation, so that its last games, in \
                 which cores wait for each other, count less",
    },
    Check {
        symptom: Diagnostic::GateNeverPasses,
        name: "GateNeverPasses",
        seen: gate_never_passes,
        advice: "if the ladder score stands still as well: a lower learner.learning_rate, a larger window, more \
                 simulations; if it rises, gate.pairs is too small to show it",
    },
    Check {
        symptom: Diagnostic::GateCannotTell,
        name: "GateCannotTell",
        seen: gate_cannot_tell,
        advice: "that may be the truth of the game; if the ladder is still lost, change gate.opening_plies, so that \
                 openings ask more of both, or lower gate.num_simulations",
    },
    Check {
        symptom: Diagnostic::RepeatedGames,
        name: "RepeatedGames",
        seen: repeated_games,
        advice: "verdict and ratings look surer than they are: raise gate.opening_plies",
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
    shows.then(|| format!("{percent:.0} % of the games begin with the same four decisions or their image"))
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
    (share > MAX_CUT).then(|| format!("{:.0} % of the games were cut and count as draws", 100.0 * share))
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
    shows.then(|| format!("{:.0} % of the resignations that were played on were not lost", 100.0 * share))
}

fn entropy_low(history: &History<'_>) -> Option<String> {
    let entropy = history.newest.selfplay.summary.policy_entropy_nats;
    let seen = || format!("policy targets have an entropy of {entropy:.3} nats: they are nearly certain");
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
    shows.then(|| format!("networks guess what searches find no better than at the start ({now:.2} of {then:.2} nats)"))
}

/// A head that says the same of every position does best with the mean of the targets, whose entropy is then its loss.
fn value_collapsed(history: &History<'_>) -> Option<String> {
    let last = history.newest.learn.as_ref()?.losses.last()?;
    let (loss, ignorance) = (last.value_loss, last.value_baseline_loss);
    let is_collapsed = ignorance > MIN_VALUE_ENTROPY && loss > ignorance - MIN_VALUE_GAIN;
    let seen = || format!("the value loss, {loss:.3}, is that of a head that knows nothing ({ignorance:.3})");
    (history.newest.number >= YOUNG && is_collapsed).then(seen)
}

fn overfitting(history: &History<'_>) -> Option<String> {
    history.newest.learn.as_ref()?;
    let grown_up = history.generations.iter().filter(|generation| generation.number >= YOUNG);
    let gaps: Vec<(f64, f64)> = grown_up.filter_map(|generation| value_gap(generation.learn.as_ref()?)).collect();
    let (&(gap, error), least) = (gaps.last()?, gaps.iter().map(|gap| gap.0).reduce(f64::min)?);
    (gap - least > MAX_GAP_GROWTH + 3.0 * error).then(|| {
        format!(
            "the value loss on validation games is {gap:.3} above that on the games beside them, and was {least:.3} above"
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
    let seen = "in every game pair of the last gates candidate and champion came out even: they show nothing";
    shows.then(|| seen.to_owned())
}

fn repeated_games(history: &History<'_>) -> Option<String> {
    let matches = &history.newest.gate.as_ref()?.matches;
    let worst = matches.iter().max_by(|x, y| x.duplicates.total_cmp(&y.duplicates))?;
    let MatchSummary { a, b, duplicates, .. } = worst;
    let seen = || format!("{:.0} % of the games of {a} against {b} repeat another", 100.0 * duplicates);
    (*duplicates > MAX_REPEATED).then(seen)
}
