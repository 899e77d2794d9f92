//! What is wrong with a run, in words, and what to try: rules of thumb over the numbers that its phases left.

use std::fmt;

use selfplay_arena::MatchSummary;
use selfplay_notebooks_export::RemarkRow;

use crate::calls::Call;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::phase::{GateReport, LearnReport, Phase, PhaseTime, SelfPlayReport};
use crate::run_folder::RunFolder;

/// Generations in a row that must show a symptom before it is one.
const LASTING: usize = 3;
/// Before this generation a run is too young for most symptoms.
const YOUNG: u32 = 5;
/// Share of draws above which draws have taken over.
const MOST_DRAWS: f64 = 0.9;
/// Share of games with the same first decisions above which one opening has taken over.
const MOST_COMMON_OPENING: f64 = 0.5;
/// The first player's share of the points outside of which something is odd.
const PLAUSIBLE_FIRST_SHARE: std::ops::RangeInclusive<f64> = 0.05..=0.95;
/// Share of games cut at the cap above which they teach the wrong values.
const MOST_CUT: f64 = 0.05;
/// A value head that knows nothing has the entropy of the mean target as its loss; this much less is knowledge.
const LEAST_VALUE_GAIN: f64 = 0.02;
/// Policy targets below this entropy (nats) leave nothing to explore.
const LEAST_ENTROPY_NATS: f64 = 0.03;
/// Networks whose cross-entropy with the targets keeps this share of the first generation's have learned no policy.
const MOST_CROSS_ENTROPY_SHARE: f64 = 0.95;
/// How far the gap between the losses on held-out games and on their neighbours may grow, in nats. (KataGomo's training
/// notes allow this for the gap itself; but runs that get stronger all the time had gaps of 0.3 here, docs/recipe.md.)
const MOST_GAP_GROWTH: f64 = 0.05;
/// Standard deviation of the value loss of a game, in nats, about: its positions share one result.
const VALUE_LOSS_DEVIATION: f64 = 0.5;
/// Generations in the replay window above which it is stale.
const STALE_GENERATIONS: f64 = 50.0;
/// Share of the cores' time below which cores are idle.
const LEAST_CPU_SHARE: f64 = 0.75;
/// Phases shorter than this say nothing about idle cores.
const LEAST_PHASE_SECONDS: f64 = 5.0;
/// Share of a match's games that repeat another above which it is told.
const MOST_REPEATED: f64 = 0.25;
/// Generations without a new champion after which something is wrong.
const PATIENCE: u32 = 12;
/// Share of resignations that were wrong above which too much is given up.
const MOST_WRONG_RESIGNATIONS: f64 = 0.05;
/// Resignations to be checked before they are judged.
const LEAST_RESIGNATIONS: u64 = 20;

/// What a generation left.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u32,
    /// Self-play.
    pub selfplay: SelfPlayReport,
    /// Learning, if that is done.
    pub learn: Option<LearnReport>,
    /// The gate, if that is done.
    pub gate: Option<GateReport>,
}

/// What the finished generations of a run left, in order from 1.
///
/// # Errors
/// If a phase file is damaged.
pub fn generations_of(run: &RunFolder) -> Result<Vec<Generation>, RunError> {
    let mut generations = Vec::new();
    while let Some(generation) = Generation::read(run, generations.len() as u32 + 1)? {
        generations.push(generation);
    }
    Ok(generations)
}

impl Generation {
    /// What generation `number`, from 1, left in the run folder; `None` before its self-play is done.
    ///
    /// # Errors
    /// If a phase file is damaged.
    pub fn read(run: &RunFolder, number: u32) -> Result<Option<Self>, RunError> {
        let Some(selfplay) = run.completed(number, Phase::SelfPlay)? else { return Ok(None) };
        let (learn, gate) = (run.completed(number, Phase::Learn)?, run.completed(number, Phase::Gate)?);
        Ok(Some(Generation { number, selfplay, learn, gate }))
    }

    /// CPU time of its self-play and learning.
    pub fn training_cpu_seconds(&self) -> f64 {
        self.selfplay.time.cpu_seconds + self.learn.as_ref().map_or(0.0, |learn| learn.time.cpu_seconds)
    }
}

/// What has to be known of a run besides its generations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Circumstances {
    /// Threads that work.
    pub threads: usize,
    /// Whether networks are computed on the CPU; where they are not, cores wait for another device.
    pub is_on_cpu: bool,
    /// Whether it went on from another run's weights, so that its policies were sharp from the start.
    pub is_continued: bool,
}

impl Circumstances {
    /// Those of this run, by its last call.
    pub fn of(run: &RunFolder, config: &RunConfig) -> Self {
        let calls = Call::noted(run.path());
        Circumstances {
            threads: Call::last_threads(&calls),
            is_on_cpu: calls.last().is_none_or(Call::is_on_cpu),
            is_continued: config.start_from.is_some(),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Remark {
    /// What it is about; at most one remark for each.
    pub symptom: Symptom,
    /// What was seen, with numbers.
    pub seen: String,
    /// What to try.
    pub advice: &'static str,
}

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symptom {
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

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.seen, self.advice)
    }
}

/// When each symptom first showed, in the order of these generations.
pub fn remarks_of(generations: &[Generation], circumstances: Circumstances) -> Vec<RemarkRow> {
    let mut known: Vec<Symptom> = Vec::new();
    let mut rows = Vec::new();
    for count in 1..=generations.len() {
        for remark in diagnose(&generations[..count], circumstances) {
            if !known.contains(&remark.symptom) {
                known.push(remark.symptom);
                let generation = generations[count - 1].number;
                rows.push(RemarkRow { generation, symptom: format!("{:?}", remark.symptom), text: remark.to_string() });
            }
        }
    }
    rows
}

/// What is wrong after these generations, in order from 1.
pub fn diagnose(generations: &[Generation], circumstances: Circumstances) -> Vec<Remark> {
    let Some(newest) = generations.last() else { return Vec::new() };
    let recent = &generations[generations.len().saturating_sub(LASTING)..];
    let mut remarks = Vec::new();
    let mut remark = |symptom, seen: String, advice| remarks.push(Remark { symptom, seen, advice });

    let lasts = |shows: &dyn Fn(&Generation) -> bool| recent.len() == LASTING && recent.iter().all(shows);
    let share_of = |count: u64, generation: &Generation| count as f64 / generation.selfplay.summary.games.max(1) as f64;
    let draws = |generation: &Generation| share_of(generation.selfplay.summary.draws, generation);
    if lasts(&|generation| draws(generation) > MOST_DRAWS) {
        remark(
            Symptom::Draws,
            format!("{:.0} % of the games are drawn", 100.0 * draws(newest)),
            "that may be the truth of the game; if the ladder is still lost, try more exploration \
             (selfplay.temperature.initial, selfplay.starts.random_share)",
        );
    }
    let opening = |generation: &Generation| generation.selfplay.summary.commonest_opening_share;
    if lasts(&|generation| opening(generation) > MOST_COMMON_OPENING) {
        remark(
            Symptom::OneOpening,
            format!("{:.0} % of the games begin with the same four decisions or their image", 100.0 * opening(newest)),
            "raise selfplay.temperature.initial or selfplay.starts.random_share, or the share of root noise",
        );
    }
    let first_share = |generation: &Generation| {
        let summary = &generation.selfplay.summary;
        share_of(summary.first_wins, generation) + 0.5 * share_of(summary.draws + summary.truncated, generation)
    };
    if lasts(&|generation| !PLAUSIBLE_FIRST_SHARE.contains(&first_share(generation))) {
        remark(
            Symptom::FirstShare,
            format!("the first player makes {:.0} % of the points", 100.0 * first_share(newest)),
            "if the game is not that one-sided, look at its rules (`selfplay doctor` replays games with the sides \
             exchanged); otherwise begin games at random positions (selfplay.starts)",
        );
    }
    let cut = |generation: &Generation| share_of(generation.selfplay.summary.truncated, generation);
    if cut(newest) > MOST_CUT {
        remark(
            Symptom::Cut,
            format!("{:.0} % of the games were cut and count as draws", 100.0 * cut(newest)),
            "raise selfplay.max_decisions",
        );
    }
    let wrong = wrong_resignations(generations);
    if wrong > MOST_WRONG_RESIGNATIONS {
        remark(
            Symptom::WrongResignations,
            format!("{:.0} % of the resignations that were played on were not lost", 100.0 * wrong),
            "lower selfplay.resign.value or raise selfplay.resign.searches",
        );
    }
    entropy(generations, circumstances.is_continued, &mut remark);
    if newest.number >= YOUNG {
        value_head(newest, &mut remark);
    }
    learning(generations, &mut remark);
    if circumstances.is_on_cpu {
        idle_cores(recent, circumstances.threads, &mut remark);
    }
    let since = generations.iter().rev().take_while(|generation| !is_promoted(generation)).count() as u32;
    if since >= PATIENCE && generations.iter().any(|generation| generation.gate.is_some()) {
        remark(
            Symptom::GateNeverPasses,
            format!("no candidate of the last {since} generations became champion"),
            "if the ladder score stands still as well: a lower learner.learning_rate, a larger window, more \
             simulations; if it rises, gate.pairs is too small to show it",
        );
    }
    if lasts(&|generation| generation.gate.as_ref().is_some_and(GateReport::is_even)) {
        remark(
            Symptom::GateCannotTell,
            "in every game pair of the last gates candidate and champion came out even: they show nothing".into(),
            "that may be the truth of the game; if the ladder is still lost, change gate.opening_decisions, so that \
             openings ask more of both, or lower gate.simulations",
        );
    }
    let matches = newest.gate.iter().flat_map(|gate| &gate.matches);
    if let Some(MatchSummary { a, b, duplicates, .. }) = matches.max_by(|x, y| x.duplicates.total_cmp(&y.duplicates))
        && *duplicates > MOST_REPEATED
    {
        remark(
            Symptom::RepeatedGames,
            format!("{:.0} % of the games of {a} against {b} repeat another", 100.0 * duplicates),
            "verdict and ratings look surer than they are: raise gate.opening_decisions",
        );
    }
    remarks
}

/// Share of the newest played-on resignations, as many as it takes to judge, that were wrong; 0 where there are too few.
fn wrong_resignations(generations: &[Generation]) -> f64 {
    let (mut checked, mut wrong) = (0, 0);
    for Generation { selfplay, .. } in generations.iter().rev() {
        checked += selfplay.summary.resignations_checked;
        wrong += selfplay.summary.resignations_wrong;
        if checked >= LEAST_RESIGNATIONS {
            return wrong as f64 / checked as f64;
        }
    }
    0.0
}

fn is_promoted(generation: &Generation) -> bool {
    generation.gate.as_ref().is_some_and(GateReport::is_promoted)
}

fn entropy(generations: &[Generation], is_continued: bool, remark: &mut impl FnMut(Symptom, String, &'static str)) {
    let (Some(first), Some(newest)) = (generations.first(), generations.last()) else { return };
    let entropy = newest.selfplay.summary.policy_entropy_nats;
    // Not the entropy of the targets: untrained searches with forced results in sight are certain of much.
    let [then, now] = [first, newest].map(|Generation { selfplay, .. }| {
        selfplay.summary.policy_entropy_nats + selfplay.summary.policy_surprise_nats
    });
    if entropy < LEAST_ENTROPY_NATS {
        remark(
            Symptom::EntropyLow,
            format!("policy targets have an entropy of {entropy:.3} nats: they are nearly certain"),
            "more root noise, a higher selfplay.search.c_puct, or more random starts",
        );
    } else if !is_continued && newest.number >= 2 * YOUNG && now > MOST_CROSS_ENTROPY_SHARE * then {
        remark(
            Symptom::EntropyHigh,
            format!("networks guess what searches find no better than at the start ({now:.2} of {then:.2} nats)"),
            "a higher learning rate; or more simulations and less noise, if the search prefers nothing",
        );
    }
}

/// A head that says the same of every position does best with the mean of the targets, whose entropy is then its loss.
fn value_head(newest: &Generation, remark: &mut impl FnMut(Symptom, String, &'static str)) {
    let Some(last) = newest.learn.as_ref().and_then(|learn| learn.losses.last()) else { return };
    let ignorance = last.value_ignorance;
    // Where nearly all games end alike there is nothing to know.
    if ignorance > 0.2 && last.value_loss > ignorance - LEAST_VALUE_GAIN {
        remark(
            Symptom::ValueCollapsed,
            format!("the value loss, {:.3}, is that of a head that knows nothing ({ignorance:.3})", last.value_loss),
            "raise learner.value_loss_weight or the learning rate, or begin again with another seed",
        );
    }
}

/// How much greater the value loss is on held-out games than on the games beside them, and the standard error of that.
fn value_gap(learn: &LearnReport) -> Option<(f64, f64)> {
    let (held_out, neighbours) = (learn.held_out?, learn.neighbours?);
    let games = held_out.games.min(neighbours.games).max(1) as f64;
    Some((held_out.value_loss - neighbours.value_loss, VALUE_LOSS_DEVIATION * (2.0 / games).sqrt()))
}

fn learning(generations: &[Generation], remark: &mut impl FnMut(Symptom, String, &'static str)) {
    let Some(newest) = generations.last() else { return };
    let Some(learn) = &newest.learn else { return };
    let grown_up = generations.iter().filter(|generation| generation.number >= YOUNG);
    let gaps: Vec<(f64, f64)> = grown_up.filter_map(|generation| value_gap(generation.learn.as_ref()?)).collect();
    if let (Some(&(gap, error)), Some(least)) = (gaps.last(), gaps.iter().map(|gap| gap.0).reduce(f64::min))
        && gap - least > MOST_GAP_GROWTH + 3.0 * error
    {
        remark(
            Symptom::Overfitting,
            format!(
                "the value loss on held-out games is {gap:.3} above that on the games beside them, and was {least:.3} above"
            ),
            "lower replay.replay_ratio, raise learner.root_value_share, or play more games in a generation",
        );
    }
    let positions: u64 = generations.iter().map(|generation| generation.selfplay.summary.positions).sum();
    let for_each = positions as f64 / generations.len() as f64;
    let depth = learn.replay_positions as f64 / for_each.max(1.0);
    if depth > STALE_GENERATIONS {
        remark(
            Symptom::StaleReplay,
            format!("the replay window holds the last {depth:.0} generations"),
            "lower replay.window_start_positions or replay.capacity_positions, or play more games in a generation",
        );
    }
}

fn idle_cores(recent: &[Generation], threads: usize, remark: &mut impl FnMut(Symptom, String, &'static str)) {
    let times = recent.iter().flat_map(|generation| {
        [Some(generation.selfplay.time), generation.learn.as_ref().map(|learn| learn.time)].into_iter().flatten()
    });
    let (mut wall, mut cpu) = (0.0, 0.0);
    for PhaseTime { wall_seconds, cpu_seconds } in times {
        wall += wall_seconds;
        cpu += cpu_seconds;
    }
    let share = cpu / (wall * threads as f64);
    if wall >= LEAST_PHASE_SECONDS && share < LEAST_CPU_SHARE {
        remark(
            Symptom::IdleCores,
            format!("self-play and learning used {:.0} % of {threads} cores", 100.0 * share),
            "other programs may be running; otherwise raise selfplay.lanes and selfplay.games_per_generation, so that \
             no core waits for the last lane",
        );
    }
}

#[cfg(test)]
mod tests;
