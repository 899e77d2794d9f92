//! Where the CPU time of a run goes: its first generations, phase by phase.

use selfplay_pipeline::phase::{Phase, PhaseTime};
use selfplay_pipeline::{
    GateMode, Machine, RunConfig, RunError, RunFolder, RunOutput, StopCondition, Training, Unwatched, run_training,
};
use serde::Deserialize;

use super::measure::{Bench, Report};
use crate::args::BACKEND;
use crate::error::CliError;

const SECTION: &str = "run";
/// A training run as it is meant for two cores.
const CONFIG: &str = include_str!("whole_run.toml");
const GENERATIONS: u32 = 3;

/// Trains for three generations in a folder of its own, which is removed, and adds up what each phase took.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let folder = tempfile::tempdir().map_err(CliError::io(&std::env::temp_dir()))?;
    let mut config = RunConfig::parse(CONFIG, &bench.games)?;
    config.generations = GENERATIONS;
    let (run, _lock) = RunFolder::create_or_resume(&folder.path().join("run"), &mut config, &bench.games)?;
    let machine = Machine { threads: bench.threads, backend: BACKEND, ..Machine::default() };
    let training = Training::new(run, config, machine, &bench.games, &Unwatched)?;
    run_training(&training, StopCondition::LastGeneration, GateMode::EachGeneration(&mut RunOutput::default()))?;
    let run = RunFolder::open(&folder.path().join("run"))?;
    let phases = [Phase::Baselines, Phase::SelfPlay, Phase::Learn, Phase::Gate];
    let mut times = [PhaseTime::default(); 4];
    for (phase, time) in phases.into_iter().zip(&mut times) {
        *time = time_of(&run, phase)?;
    }
    let all: f64 = times.iter().map(|time| time.cpu_seconds).sum();
    for (phase, PhaseTime { wall_seconds, cpu_seconds }) in phases.into_iter().zip(times) {
        report.row(SECTION, format!("{}, share of the CPU time", phase.title()), cpu_seconds / all, "");
        report.row(SECTION, format!("{}, cores at work", phase.title()), cpu_seconds / wall_seconds, "");
        if phase == Phase::Learn {
            report.ratio("learner_share", cpu_seconds / all);
        }
    }
    Ok(())
}

/// What a phase took in all generations.
fn time_of(run: &RunFolder, phase: Phase) -> Result<PhaseTime, RunError> {
    /// What the reports of all phases hold.
    #[derive(Deserialize)]
    struct Timed {
        time: PhaseTime,
    }
    let mut sum = PhaseTime::default();
    for generation in 0..=GENERATIONS {
        if let Some(Timed { time }) = run.completed(generation, phase)? {
            sum.wall_seconds += time.wall_seconds;
            sum.cpu_seconds += time.cpu_seconds;
        }
    }
    Ok(sum)
}
