//! The training loop, top to bottom: self-play, learning, gate, results, generation by generation.
//!
//! Each phase runs once and leaves its product in the run folder. The loop is therefore written as if it never stopped,
//! and a killed run resumes when it is run again.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use selfplay_train::ReplayBuffer;

use crate::doctor::{DiagnosisInput, DiagnosticKind, Generation, diagnose};
use crate::error::RunError;
use crate::events::Event;
use crate::gate::{Incumbent, judge, measure_baselines};
use crate::learning::{learn, untrained_network};
use crate::phase::{Phase, SelfPlayReport};
use crate::provenance::Call;
use crate::results::RunOutput;
use crate::retention::{CleanedGames, Removable, check_networks};
use crate::self_play::{begin_self_play, self_play};
use crate::tablebase_targets::TablebaseTargets;
use crate::training::Training;

/// When no new generation begins any more; the last one of the config ends every run.
#[derive(Clone, Copy, Debug)]
pub enum StopCondition {
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
pub enum GateMode<'a> {
    /// Each; the run has a champion, and shows what it does.
    EachGeneration(&'a mut RunOutput),
    /// None; the run has networks alone.
    None,
}

impl GateMode<'_> {
    /// The phase that completes a generation.
    fn last_phase(&self) -> Phase {
        match self {
            GateMode::EachGeneration(_) => Phase::Gate,
            GateMode::None => Phase::Learn,
        }
    }
}

/// Goes through the run's loop as far as it has not been gone through, and returns its last generation.
///
/// # Errors
/// If a file cannot be read or written or training diverges; what is complete stays complete.
pub fn run_training(training: &Training<'_>, until: StopCondition, judging: GateMode<'_>) -> Result<u32, RunError> {
    let mut generations = Loop::open(training, until, judging)?;
    let last = generations.run()?;
    if let Some(Incumbent { generation, .. }) = generations.champion {
        training.run.name_champion(generation)?;
    }
    Ok(last)
}

/// The loop over generations, and what those behind it leave for those to come.
struct Loop<'a, 'b> {
    training: &'a Training<'b>,
    until: StopCondition,
    judging: GateMode<'a>,
    started: Instant,
    teacher: Option<TablebaseTargets>,
    /// The generation in which the call before was interrupted.
    interrupted: Option<u32>,
    cleaned: CleanedGames,
    replay: ReplayBuffer,
    /// New positions of each generation from 1 on.
    new_positions: Vec<u64>,
    history: Vec<Generation>,
    /// Mean scores against the ladder, oldest first.
    scores: Vec<f64>,
    champion: Option<Incumbent>,
    champions: BTreeSet<u32>,
    /// Symptoms that this call has warned of.
    known: Vec<DiagnosticKind>,
}

impl<'a, 'b> Loop<'a, 'b> {
    fn open(training: &'a Training<'b>, until: StopCondition, judging: GateMode<'a>) -> Result<Self, RunError> {
        let started = Instant::now();
        Call::this(training.machine, training.commit).note(training.run.path())?;
        // First, because a config may name a table or weights that do not exist or do not fit.
        check_networks(&training.run, &training.config)?;
        let teacher = TablebaseTargets::for_training(training)?;
        untrained_network(training)?;
        if let GateMode::EachGeneration(_) = judging {
            measure_baselines(training)?;
        }
        let interrupted = interrupted_generation(training, judging.last_phase());
        Ok(Loop {
            training,
            until,
            judging,
            started,
            teacher,
            interrupted,
            cleaned: CleanedGames::read(&training.run)?,
            replay: ReplayBuffer::new(),
            new_positions: Vec::new(),
            history: Vec::new(),
            scores: Vec::new(),
            champion: None,
            champions: BTreeSet::new(),
            known: Vec::new(),
        })
    }

    /// Runs all generations that are due, and returns the last.
    fn run(&mut self) -> Result<u32, RunError> {
        for generation in 0..=self.training.config.generations {
            if generation > 0 {
                if self.is_over(generation)? {
                    return Ok(generation - 1);
                }
                self.announce(generation);
                self.self_play(generation)?;
                self.learn(generation)?;
            }
            self.evaluate(generation)?;
            self.prune(generation)?;
        }
        Ok(self.training.config.generations)
    }

    /// Reports that `generation` begins or resumes, unless it is complete.
    fn announce(&self, generation: u32) {
        let Loop { training, judging, interrupted, .. } = self;
        if *interrupted == Some(generation) {
            training.observer.on_event(&Event::Resumed { generation });
        }
        if !training.run.phase_path(generation, judging.last_phase()).exists() {
            training.observer.on_event(&Event::GenerationStarted { generation });
        }
    }

    /// Whether `generation` is not to begin any more.
    fn is_over(&self, generation: u32) -> Result<bool, RunError> {
        let Loop { training, until, .. } = self;
        if training.run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?.is_some() {
            return Ok(false);
        }
        let is_over =
            until.is_reached(&self.history, self.started.elapsed()) || !training.observer.goes_on(generation - 1);
        if is_over && !matches!(until, StopCondition::CpuTime(_)) {
            training.observer.on_event(&Event::Stopped { seconds: self.started.elapsed().as_secs_f64() });
        }
        Ok(is_over)
    }

    fn self_play(&mut self, generation: u32) -> Result<(), RunError> {
        let training = self.training;
        let before = self.replay.generated();
        if let Some(positions) = self.cleaned.positions(&training.run, generation)? {
            self.replay.pass_over(positions);
        } else {
            let mut records = self_play(training, generation, &self.replay)?;
            if let Some(teacher) = &self.teacher {
                teacher.teach(&mut records)?;
            }
            self.replay.extend(records, &training.config.replay);
        }
        self.new_positions.push(self.replay.generated() - before);
        if training.config.selfplay.policy_lag > 0 && generation < training.config.generations {
            begin_self_play(training, generation + 1, &self.replay)?;
        }
        Ok(())
    }

    fn learn(&mut self, generation: u32) -> Result<(), RunError> {
        let new_positions = self.new_positions.last().copied().unwrap_or(0);
        learn(self.training, generation, &self.replay, new_positions, &self.scores)?;
        self.history.extend(Generation::read(&self.training.run, generation)?);
        Ok(())
    }

    /// Puts the generation to the gate, if the run has one, and reports what it shows.
    fn evaluate(&mut self, generation: u32) -> Result<(), RunError> {
        let training = self.training;
        let GateMode::EachGeneration(output) = &mut self.judging else { return Ok(()) };
        let judged = judge(training, generation, self.champion.as_ref())?;
        self.scores.extend(judged.report.ladder.score().map(|found| found.score));
        if judged.report.is_promoted() {
            if judged.is_new {
                training.run.name_champion(generation)?;
                let checkpoint = training.run.network(generation).display().to_string();
                training.observer.on_event(&Event::ChampionChanged { generation, checkpoint });
            }
            self.champions.insert(generation);
            self.champion = Some(Incumbent::after(self.champion.take(), generation, &judged.report.ladder));
        }
        if let Some(newest) = self.history.last_mut() {
            newest.gate = Some(judged.report);
        }
        if judged.is_new {
            if training.observer.looks_at_each_generation() {
                output.write(training)?;
            } else {
                output.keep_up(training)?;
            }
            diagnostic_of(training, &self.history, &mut self.known);
        }
        Ok(())
    }

    /// Removes what the run need not keep after `generation`.
    fn prune(&self, generation: u32) -> Result<(), RunError> {
        let Loop { training, replay, champions, .. } = self;
        Removable::find(&training.run, &training.config, generation, replay, champions)
            .remove(&training.run, &self.new_positions)
    }
}

/// The first generation that is not complete, which it is with its `last` phase, of a run whose games have begun.
fn interrupted_generation(training: &Training<'_>, last: Phase) -> Option<u32> {
    let is_undone = |&generation: &u32| !training.run.phase_path(generation, last).exists();
    let undone = (1..=training.config.generations).find(is_undone);
    undone.filter(|&generation| generation > 1 || training.run.shard(1).exists())
}

/// Warns of what is wrong with the run, each kind once in a call.
fn diagnostic_of(training: &Training<'_>, history: &[Generation], known: &mut Vec<DiagnosticKind>) {
    for diagnostic in diagnose(history, DiagnosisInput::for_run(&training.run, &training.config)) {
        if !known.contains(&diagnostic.kind) {
            training.observer.warn(diagnostic.to_string());
            known.push(diagnostic.kind);
        }
    }
}

impl StopCondition {
    /// Whether a run that has gone through these generations, for so long in this call, begins no other.
    pub fn is_reached(self, history: &[Generation], elapsed: Duration) -> bool {
        match self {
            StopCondition::LastGeneration => false,
            StopCondition::Elapsed(limit) => elapsed >= limit,
            StopCondition::CpuTime(limit) => {
                let all: f64 = history.iter().map(Generation::training_cpu_seconds).sum();
                let last = history.last().map_or(0.0, Generation::training_cpu_seconds);
                all + last / 2.0 > limit.as_secs_f64()
            }
        }
    }
}
