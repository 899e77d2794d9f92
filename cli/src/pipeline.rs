//! The whole loop, top to bottom: self-play, learning, gate, results, generation by generation.
//!
//! Each phase leaves its product in the run folder and is skipped when the product is there, so the loop is written
//! as if it never stopped, and a killed run goes on by running it again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selfplay_kit::Games;
use selfplay_train::ReplayBuffer;

use crate::args::TrainArgs;
use crate::budget::config_file;
use crate::calls::Call;
use crate::config::RunConfig;
use crate::doctor::{Circumstances, Generation, Symptom, diagnose};
use crate::error::CliError;
use crate::gate::{Judged, Reigning, judge, measure_baselines};
use crate::learning::{learn, untrained_network};
use crate::phase::{Phase, SelfPlayReport};
use crate::results::{RunOutput, print_ending};
use crate::run_folder::RunFolder;
use crate::self_play::self_play;
use crate::training::Training;

/// Runs `train`: opens the run folder and goes through the loop.
///
/// # Errors
/// If the config or the run folder is wrong, a file refuses, or training diverges; what is complete stays complete.
pub fn train(
    args: &TrainArgs,
    games: &Games,
    commit: Option<&'static str>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let until = args.hours.map(hours).transpose()?.map_or(Until::LastGeneration, Until::Elapsed);
    let file = config_file(args, games, out)?;
    let mut config = RunConfig::load(&file, &args.set, games)?;
    let path = args.checkpoints.join(run_name(args.run.as_deref(), &file, &config)?);
    let (run, _lock) = RunFolder::create_or_resume(&path, &mut config, games)?;
    writeln!(out, "{} in {}", config.game, path.display())?;
    let training = Training::new(run, config, args.machine, games, commit)?;
    let mut output = RunOutput::default();
    go_through(&training, until, Judging::EachGeneration(&mut output), out)?;
    let results = output.write(&training)?;
    print_ending(&training, &results, out)
}

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
pub fn go_through(
    training: &Training,
    until: Until,
    mut judging: Judging<'_>,
    out: &mut dyn Write,
) -> Result<u32, CliError> {
    let started = Instant::now();
    Call::this(&training.machine, training.commit).note(training.run.path())?;
    // First, because a config may name weights that do not exist or do not fit.
    untrained_network(training)?;
    if let Judging::EachGeneration(_) = judging {
        measure_baselines(training, out)?;
    }
    let mut replay = ReplayBuffer::new();
    let mut champion = None;
    let mut history: Vec<Generation> = Vec::new();
    let mut known = Vec::new();
    for generation in 0..=training.config.generations {
        if generation > 0 {
            let is_new = training.run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?.is_none();
            if is_new && until.is_reached(&history, started.elapsed()) {
                if let Until::Elapsed(_) = until {
                    let hours = started.elapsed().as_secs_f64() / 3600.0;
                    writeln!(out, "stopped after {hours:.2} hours; the same command goes on")?;
                }
                return Ok(generation - 1);
            }
            let before = replay.generated();
            let records = self_play(training, generation, &replay, out)?;
            replay.extend(records, &training.config.replay);
            learn(training, generation, &replay, replay.generated() - before, out)?;
            history.extend(Generation::read(&training.run, generation)?);
        }
        let Judging::EachGeneration(output) = &mut judging else { continue };
        let Judged { report, is_new } = judge(training, generation, champion.as_ref(), out)?;
        if report.is_promoted() {
            training.run.set_champion(generation)?;
            champion = Some(Reigning { generation, ladder: report.ladder.clone() });
        }
        if let Some(newest) = history.last_mut() {
            newest.gate = Some(report);
        }
        if is_new {
            output.keep_up(training)?;
            remark_on(&history, Circumstances::of(&training.run, &training.config), &mut known);
        }
    }
    Ok(training.config.generations)
}

/// Warns of what is wrong with the run, each symptom once in a call.
fn remark_on(history: &[Generation], circumstances: Circumstances, known: &mut Vec<Symptom>) {
    for remark in diagnose(history, circumstances) {
        if !known.contains(&remark.symptom) {
            tracing::warn!("{remark}");
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

/// A time given in hours.
///
/// # Errors
/// [`CliError::Option`] unless it is above 0 and finite.
pub fn hours(hours: f64) -> Result<Duration, CliError> {
    let error = || CliError::Option {
        option: "--hours",
        value: hours.to_string(),
        expected: "expected a number of hours above 0",
    };
    if hours > 0.0 { Duration::try_from_secs_f64(hours * 3600.0).map_err(|_| error()) } else { Err(error()) }
}

/// The run's folder name: as given, or the game and the config's file name.
fn run_name(given: Option<&str>, file: &Path, config: &RunConfig) -> Result<PathBuf, CliError> {
    let Some(name) = given else {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        // A planned config has the game in its own name.
        let is_named = stem.starts_with(&format!("{}-", config.game));
        return Ok(if is_named { stem.into_owned() } else { format!("{}-{stem}", config.game) }.into());
    };
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_plain {
        return Ok(name.into());
    }
    Err(CliError::Option {
        option: "--run",
        value: name.to_owned(),
        expected: "expected a plain folder name of letters, digits, `-`, `_` and `.`; --checkpoints DIR says where it is",
    })
}
