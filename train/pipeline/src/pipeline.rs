//! The whole loop, top to bottom: self-play, learning, gate, results, generation by generation.
//!
//! Each phase is done once and leaves its product in the run folder, so the loop is written as if it never stopped, and a
//! killed run goes on by running it again.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use selfplay_train::ReplayBuffer;

use crate::calls::Call;
use crate::doctor::{Circumstances, Generation, Symptom, diagnose};
use crate::error::RunError;
use crate::gate::{Reigning, judge, measure_baselines};
use crate::keeping::{CleanedGames, Removable};
use crate::learning::{learn, untrained_network};
use crate::observer::{Event, Observer};
use crate::phase::{Phase, SelfPlayReport};
use crate::results::RunOutput;
use crate::self_play::{begin_self_play, self_play};
use crate::teacher::Teacher;
use crate::training::Training;

/// When no new generation begins any more; the last one of the config ends every run.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// With the config's last generation.
    LastGeneration,
    /// After this time in this call.
    Elapsed(Duration),
    /// When another generation would bring the run's CPU time of self-play and learning further beyond this than it is
    /// short of it now, taking it to cost as much as the last.
    CpuTime(Duration),
}

/// Whether generations are put to the gate.
#[derive(Debug)]
pub enum Judging<'a> {
    /// Each; the run has a champion, and shows what it does.
    EachGeneration(&'a mut RunOutput),
    /// None; the run has networks alone.
    None,
}

/// Goes through the run's loop as far as it has not been gone through, and returns its last generation.
///
/// # Errors
/// If a file refuses or training diverges; what is complete stays complete.
pub fn go_through(training: &Training<'_>, until: Until, judging: Judging<'_>) -> Result<u32, RunError> {
    let mut champion = None;
    let last = go_on(training, until, judging, &mut champion)?;
    if let Some(Reigning { generation, .. }) = champion {
        training.run.name_champion(generation)?;
    }
    Ok(last)
}

/// The loop; `champion` is the one of the generations that it has come to.
fn go_on(
    training: &Training<'_>,
    until: Until,
    mut judging: Judging<'_>,
    champion: &mut Option<Reigning>,
) -> Result<u32, RunError> {
    let started = Instant::now();
    Call::this(training.machine, training.commit).note(training.run.path())?;
    // First, because a config may name a table or weights that do not exist or do not fit.
    let teacher = Teacher::of(training)?;
    untrained_network(training)?;
    if let Judging::EachGeneration(_) = judging {
        measure_baselines(training)?;
    }
    let interrupted = interrupted_generation(training, matches!(judging, Judging::EachGeneration(_)));
    let cleaned = CleanedGames::of(&training.run)?;
    let (mut replay, mut learned_from) = (ReplayBuffer::new(), Vec::new());
    let mut champions = BTreeSet::new();
    let tidy = |last: u32, replay: &ReplayBuffer, champions: &BTreeSet<u32>, learned_from: &[u64]| {
        Removable::of(&training.run, &training.config, last, replay, champions).remove(&training.run, learned_from)
    };
    let mut scores = Vec::new();
    let mut history: Vec<Generation> = Vec::new();
    let mut known = Vec::new();
    for generation in 0..=training.config.generations {
        if generation > 0 {
            let is_new = training.run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?.is_none();
            let is_enough = |observer: &dyn Observer| {
                until.is_reached(&history, started.elapsed()) || !observer.goes_on(generation - 1)
            };
            if is_new && is_enough(training.observer) {
                if !matches!(until, Until::CpuTime(_)) {
                    training.observer.told(&Event::Stopped { after: started.elapsed() });
                }
                return Ok(generation - 1);
            }
            if interrupted == Some(generation) {
                training.observer.told(&Event::GoesOn { generation });
            }
            let before = replay.generated();
            if let Some(positions) = cleaned.positions(&training.run, generation)? {
                replay.pass_over(positions);
            } else {
                let mut records = self_play(training, generation, &replay)?;
                if let Some(teacher) = &teacher {
                    teacher.teach(&mut records)?;
                }
                replay.extend(records, &training.config.replay);
            }
            learned_from.push(replay.generated() - before);
            if training.config.selfplay.network_lag > 0 && generation < training.config.generations {
                begin_self_play(training, generation + 1, &replay)?;
            }
            learn(training, generation, &replay, replay.generated() - before, &scores)?;
            history.extend(Generation::read(&training.run, generation)?);
        }
        let Judging::EachGeneration(output) = &mut judging else {
            tidy(generation, &replay, &champions, &learned_from)?;
            continue;
        };
        let judged = judge(training, generation, champion.as_ref())?;
        scores.extend(judged.report.ladder.score().map(|found| found.score));
        if judged.report.is_promoted() {
            if judged.is_new {
                training.run.name_champion(generation)?;
            }
            champions.insert(generation);
            *champion = Some(Reigning::after(champion.take(), generation, &judged.report.ladder));
        }
        if let Some(newest) = history.last_mut() {
            newest.gate = Some(judged.report);
        }
        if judged.is_new {
            if training.observer.looks_at_each_generation() {
                output.write(training)?;
            } else {
                output.keep_up(training)?;
            }
            remark_on(training, &history, &mut known);
        }
        tidy(generation, &replay, &champions, &learned_from)?;
    }
    Ok(training.config.generations)
}

/// The first generation that is not done of a run whose games have begun, `is_judged` if each is put to the gate.
fn interrupted_generation(training: &Training<'_>, is_judged: bool) -> Option<u32> {
    let last = if is_judged { Phase::Gate } else { Phase::Learn };
    let is_undone = |&generation: &u32| !training.run.phase_path(generation, last).exists();
    let undone = (1..=training.config.generations).find(is_undone);
    undone.filter(|&generation| generation > 1 || training.run.shard(1).exists())
}

/// Warns of what is wrong with the run, each symptom once in a call.
fn remark_on(training: &Training<'_>, history: &[Generation], known: &mut Vec<Symptom>) {
    for remark in diagnose(history, Circumstances::of(&training.run, &training.config)) {
        if !known.contains(&remark.symptom) {
            training.observer.warned(&remark.to_string());
            known.push(remark.symptom);
        }
    }
}

impl Until {
    /// Whether a run that has gone through these generations, for so long in this call, begins no other.
    pub fn is_reached(self, history: &[Generation], elapsed: Duration) -> bool {
        match self {
            Until::LastGeneration => false,
            Until::Elapsed(limit) => elapsed >= limit,
            Until::CpuTime(limit) => {
                let all: f64 = history.iter().map(Generation::training_cpu_seconds).sum();
                let last = history.last().map_or(0.0, Generation::training_cpu_seconds);
                all + last / 2.0 > limit.as_secs_f64()
            }
        }
    }
}
