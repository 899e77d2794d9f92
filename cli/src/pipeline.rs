//! The whole loop, top to bottom: self-play, learning, gate, results, generation by generation.
//!
//! Each phase leaves its product in the run folder and is skipped when the product is there, so the loop is written
//! as if it never stopped, and a killed run goes on by running it again.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_train::ReplayBuffer;

use crate::args::TrainArgs;
use crate::config::RunConfig;
use crate::error::CliError;
use crate::gate::{Judged, Reigning, judge, measure_baselines};
use crate::learning::{learn, untrained_network};
use crate::phase::{Phase, SelfPlayReport};
use crate::results::{print_ending, write_results};
use crate::run_folder::RunFolder;
use crate::self_play::self_play;
use crate::training::Training;

/// Runs `train`: opens the run folder and goes through the loop.
///
/// # Errors
/// If the config or the run folder is wrong, a file refuses, or training diverges; what is complete stays complete.
pub fn train(args: &TrainArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Train<'a>(Training, Option<Duration>, &'a mut dyn Write);
    impl GameVisitor for Train<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Train(training, time_limit, out) = self;
            run_generations::<G>(&training, time_limit, out)
        }
    }
    let time_limit = args.hours.map(hours).transpose()?;
    let mut config = RunConfig::load(&args.config, &args.set)?;
    let path = args.checkpoints.join(run_name(args, &config)?);
    let (run, _lock) = RunFolder::create_or_resume(&path, &mut config)?;
    writeln!(out, "{} in {}", config.game, path.display())?;
    let game = config.game.clone();
    with_game(&game, Train(Training { run, config, machine: args.machine }, time_limit, out))?
}

fn run_generations<G: PlayableGame>(
    training: &Training,
    time_limit: Option<Duration>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let started = Instant::now();
    measure_baselines::<G>(training, out)?;
    untrained_network::<G>(training)?;
    let mut replay = ReplayBuffer::new();
    let mut champion = None;
    for generation in 0..=training.config.generations {
        if generation > 0 {
            let is_new = training.run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?.is_none();
            if is_new && time_limit.is_some_and(|limit| started.elapsed() >= limit) {
                writeln!(
                    out,
                    "stopped after {:.2} hours; the same command goes on",
                    started.elapsed().as_secs_f64() / 3600.0
                )?;
                break;
            }
            let before = replay.generated();
            let records = self_play::<G>(training, generation, &replay, out)?;
            replay.extend(records, &training.config.replay);
            learn::<G>(training, generation, &replay, replay.generated() - before, out)?;
        }
        let Judged { report, is_new } = judge::<G>(training, generation, champion.as_ref(), out)?;
        if report.is_promoted() {
            training.run.set_champion(generation)?;
            champion = Some(Reigning { generation, ladder: report.ladder });
        }
        if is_new {
            write_results(&training.run, &training.config)?;
        }
    }
    let results = write_results(&training.run, &training.config)?;
    print_ending(training, &results, out)
}

fn hours(hours: f64) -> Result<Duration, CliError> {
    let error = || CliError::Option {
        option: "--hours",
        value: hours.to_string(),
        expected: "expected a number of hours above 0",
    };
    if hours > 0.0 { Duration::try_from_secs_f64(hours * 3600.0).map_err(|_| error()) } else { Err(error()) }
}

/// The run's folder name: as given, or the game and the config's file name.
fn run_name(args: &TrainArgs, config: &RunConfig) -> Result<PathBuf, CliError> {
    let Some(name) = &args.run else {
        let stem = args.config.file_stem().unwrap_or_default().to_string_lossy();
        return Ok(format!("{}-{stem}", config.game).into());
    };
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if is_plain {
        return Ok(name.into());
    }
    Err(CliError::Option {
        option: "--run",
        value: name.clone(),
        expected: "expected a plain folder name of letters, digits, `-`, `_` and `.`; --checkpoints DIR says where it is",
    })
}
