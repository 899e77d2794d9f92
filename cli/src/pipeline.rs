//! The whole loop, top to bottom: self-play, learning, gate, results, generation by generation.
//!
//! Each phase leaves its product in the run folder and is skipped when the product is there, so the loop is written
//! as if it never stopped, and a killed run goes on by running it again.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_network::BurnEvaluator;
use selfplay_network::checkpoint::load_network;
use selfplay_train::{GameRecord, Generation, ReplayBuffer, SelfPlaySummary, play_generation};
use serde::{Deserialize, Serialize};

use crate::args::{MachineArgs, TrainArgs};
use crate::config::RunConfig;
use crate::error::CliError;
use crate::gate::{judge, measure_baselines};
use crate::learning::{learn, untrained_network};
use crate::progress::PhaseBar;
use crate::results::{print_ending, write_results};
use crate::run_folder::{Phase, RunFolder};

/// What every phase knows.
pub struct Training {
    /// Where everything is kept.
    pub run: RunFolder,
    /// What the run is a function of.
    pub config: RunConfig,
    /// What to compute with.
    pub machine: MachineArgs,
}

/// Time a phase took.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Elapsed seconds.
    pub wall_seconds: f64,
    /// CPU seconds of all threads.
    pub cpu_seconds: f64,
}

/// Measures a phase.
pub struct PhaseClock(Instant, ProcessTime);

impl PhaseClock {
    /// Starts now.
    pub fn start() -> Self {
        PhaseClock(Instant::now(), ProcessTime::now())
    }

    /// The time since the start.
    pub fn stop(&self) -> PhaseTime {
        PhaseTime { wall_seconds: self.0.elapsed().as_secs_f64(), cpu_seconds: self.1.elapsed().as_secs_f64() }
    }
}

/// What the self-play phase leaves beside its shard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayReport {
    /// What the games look like.
    pub summary: SelfPlaySummary,
    /// Time the phase took, in the call that completed it.
    pub time: PhaseTime,
}

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
    let config = RunConfig::load(&args.config, &args.set)?;
    let path = args.checkpoints.join(run_name(args, &config)?);
    let (run, _lock) = RunFolder::create_or_resume(&path, &config)?;
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
            replay.extend(self_play::<G>(training, generation, out)?, &training.config.replay);
            learn::<G>(training, generation, &replay, replay.generated() - before, out)?;
        }
        if judge::<G>(training, generation, out)? {
            write_results(&training.run, &training.config)?;
        }
    }
    let files = write_results(&training.run, &training.config)?;
    print_ending(training, &files, out)
}

/// Plays the generation's games with the newest network, or reads them back.
fn self_play<G: PlayableGame>(
    training: &Training,
    generation: u32,
    out: &mut dyn Write,
) -> Result<Vec<GameRecord>, CliError> {
    let Training { run, config, machine } = training;
    let completed: Option<SelfPlayReport> = run.completed(generation, Phase::SelfPlay)?;
    let clock = PhaseClock::start();
    let device = machine.device.open()?;
    let (network, _) = load_network::<G>(&run.network(generation - 1), &device)?;
    let evaluator = BurnEvaluator::new(&network, &device);
    let bar = completed.is_none().then(|| {
        let games = u64::from(config.selfplay.games_per_generation);
        PhaseBar::new(&format!("generation {generation} self-play"), games, "games")
    });
    let shard = run.shard(generation);
    let which = Generation { shard: &shard, run_seed: config.seed, generation, threads: machine.thread_count() };
    let records = play_generation::<G, _>(which, &config.selfplay, || evaluator.clone(), &|_decisions| {
        if let Some(bar) = &bar {
            bar.tick();
        }
    })?;
    drop(bar);
    if completed.is_none() {
        let report = SelfPlayReport { summary: SelfPlaySummary::of(&records), time: clock.stop() };
        run.complete(generation, Phase::SelfPlay, &report)?;
        warn_if_many_are_cut(generation, &report.summary);
        writeln!(out, "generation {generation:>3}  self-play  {}", describe(&report))?;
    }
    Ok(records)
}

/// Games stopped at the cap count as draws that nobody played: many of them teach the wrong values.
fn warn_if_many_are_cut(generation: u32, summary: &SelfPlaySummary) {
    if summary.truncated * 20 > summary.games {
        let SelfPlaySummary { truncated, games, .. } = summary;
        tracing::warn!("generation {generation}: {truncated} of {games} games were cut; raise selfplay.max_decisions");
    }
}

fn describe(report: &SelfPlayReport) -> String {
    let SelfPlayReport { summary, time } = report;
    let share = |games: u64| 100.0 * games as f64 / summary.games.max(1) as f64;
    format!(
        "{} games, {} positions, {:.0} simulations/s, first/draw/second {:.0}/{:.0}/{:.0} %, {} cut at the cap, {:.1} s",
        summary.games,
        summary.positions,
        summary.simulations as f64 / time.wall_seconds,
        share(summary.first_wins),
        share(summary.draws),
        share(summary.second_wins),
        summary.truncated,
        time.wall_seconds,
    )
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
    let is_plain = !name.starts_with('.') && !name.is_empty() && !name.contains(['/', '\\']);
    if is_plain {
        return Ok(name.into());
    }
    Err(CliError::Option {
        option: "--run",
        value: name.clone(),
        expected: "expected a plain folder name; --checkpoints DIR says where it is",
    })
}
