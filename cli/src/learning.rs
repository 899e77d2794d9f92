//! The learning phase: as many steps as the replay ratio owes, from the checkpoint before to the generation's own.

use std::collections::VecDeque;
use std::io::Write;

use selfplay_env::Rules;
use selfplay_env::rng::derive_seed;
use selfplay_kit::GameRef;
use selfplay_network::growth::grow_checkpoint;
use selfplay_network::{PolicyValueNetwork, Provenance, checkpoint};
use selfplay_train::{
    BatchLosses, GameRecord, Learner, LearnerError, ReplayBuffer, Schedule, StepReport, batch_of_games, sample_batch,
};

use crate::agents::checkpoint_of;
use crate::config::RunConfig;
use crate::error::CliError;
use crate::phase::{GamesLosses, GateReport, LearnReport, Phase, PhaseClock, PhaseTime};
use crate::progress::PhaseBar;
use crate::training::Training;

/// Keeps the streams of learning and of the first weights apart from the run's other random choices.
const SAMPLING_STREAM: u64 = 0x5A3B;
const WEIGHTS_STREAM: u64 = 0x3E1;
/// Rows of the loss table for each generation, at most: each tells the steps since the last.
const LOSS_ROWS: usize = 20;

/// Makes the checkpoint of generation 0: the run's first weights, which know nothing, or what those of another run know.
///
/// # Errors
/// If the checkpoint cannot be written.
pub fn untrained_network(training: &Training) -> Result<(), CliError> {
    let Training { run, config, machine, game, .. } = training;
    let folder = run.network(0);
    if folder.exists() {
        return Ok(());
    }
    let device = machine.device.open()?;
    let seed = derive_seed(&[config.seed, WEIGHTS_STREAM]);
    let known = |id: &str| training.games.find(id).ok().map(|game| game as &dyn Rules);
    let network = match &config.start_from {
        Some(path) => grow_checkpoint(&checkpoint_of(path)?, *game, known, config.network.clone(), seed, &device)?.0,
        None => PolicyValueNetwork::new(game.shape(), config.network.clone(), seed, &device)?,
    };
    let learner = Learner::new(&network, config.learner.clone(), &device)?;
    learner.save(&folder, &provenance(training, 0))?;
    Ok(())
}

/// Trains the generation's network on the replay window, which grew by `new_positions`, unless that is done.
///
/// # Errors
/// If a checkpoint cannot be read or written, or a loss stops being a number.
pub fn learn(
    training: &Training,
    generation: u32,
    replay: &ReplayBuffer,
    new_positions: u64,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let Training { run, config, machine, game, .. } = training;
    let last_good = run.network(generation - 1);
    if run.completed::<LearnReport>(generation, Phase::Learn)?.is_some() {
        // A kill may have come between the report and this.
        return Ok(checkpoint::discard_training_state(&last_good)?);
    }
    let is_trained = run.network(generation).exists();
    if is_trained && !checkpoint::has_training_state(&last_good)? {
        // The report alone was lost: the network stands, its losses are unknown.
        let replay_positions = replay.positions();
        let report = LearnReport {
            losses: Vec::new(),
            held_out: None,
            neighbours: None,
            replay_positions,
            time: PhaseTime::default(),
        };
        return run.complete(generation, Phase::Learn, &report);
    }
    let clock = PhaseClock::start();
    let device = machine.device.open()?;
    let (mut learner, _) = Learner::restore(&last_good, game.shape(), config.learner.clone(), &device)?;
    if let Schedule::Plateau { .. } = config.learner.schedule {
        learner.set_rate_drops(config.learner.schedule.plateau_drops(&ladder_scores(training, generation)?));
    }
    let steps = config.replay.steps_for(new_positions, config.learner.batch_size);
    let bar = PhaseBar::of_phase(run.path(), "learning", generation, steps, "steps");
    let mut reports: Vec<StepReport> = Vec::new();
    let end = learner.steps() + steps;
    let sample = |step: u64| {
        let seed = derive_seed(&[config.seed, SAMPLING_STREAM, step]);
        let heads = config.network.auxiliary;
        let batch = || sample_batch(*game, replay, &config.learner, heads, &config.selfplay.search, seed);
        (step < end).then(batch).transpose()
    };
    let mut batch = sample(learner.steps())?;
    while let Some(shown) = batch {
        // A batch depends on the number of its step alone: the next one is drawn while this one is learned.
        let mut next = Ok(None);
        let next_step = learner.steps() + 1;
        let step = rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = sample(next_step));
            learner.step(&shown)
        });
        let step = step.map_err(|source| match source {
            LearnerError::NotFinite { .. } => CliError::Diverged { generation, last_good: last_good.clone(), source },
            other => other.into(),
        })?;
        reports.push(step);
        bar.tick();
        batch = next?;
    }
    drop(bar);
    // A checkpoint whose phase was never marked complete is from a run that was killed between the two.
    run.discard_network(generation)?;
    learner.save(&run.network(generation), &provenance(training, generation))?;
    let steps_of_row = reports.len().div_ceil(LOSS_ROWS).max(1);
    let report = LearnReport {
        losses: reports.chunks(steps_of_row).map(StepReport::together).collect(),
        held_out: losses_on(*game, replay.held_out(), &learner, config)?,
        neighbours: losses_on(*game, replay.neighbours(), &learner, config)?,
        replay_positions: replay.positions(),
        time: clock.stop(),
    };
    run.complete(generation, Phase::Learn, &report)?;
    // Nothing will be trained from the checkpoint before any more; its weights stay for play.
    checkpoint::discard_training_state(&last_good)?;
    writeln!(out, "generation {generation:>3}  learning   {}", describe(&report, steps))?;
    Ok(())
}

/// Mean scores of the generations before `generation` against the ladder, oldest first.
fn ladder_scores(training: &Training, generation: u32) -> Result<Vec<f64>, CliError> {
    let reports = (0..generation).map(|before| training.run.completed::<GateReport>(before, Phase::Gate));
    let mut scores = Vec::new();
    for report in reports {
        scores.extend(report?.and_then(|report| report.ladder.score()).map(|found| found.score));
    }
    Ok(scores)
}

/// How well the network does on `games`; `None` without any.
fn losses_on(
    game: GameRef,
    games: &VecDeque<GameRecord>,
    learner: &Learner,
    config: &RunConfig,
) -> Result<Option<GamesLosses>, CliError> {
    let (heads, search) = (config.network.auxiliary, &config.selfplay.search);
    let Some(batch) = batch_of_games(game, games, learner.config(), heads, search) else { return Ok(None) };
    let BatchLosses { policy_loss, value_loss } = learner.losses_on(&batch)?;
    Ok(Some(GamesLosses { games: games.len() as u64, positions: batch.rows as u64, policy_loss, value_loss }))
}

fn provenance(training: &Training, generation: u32) -> Provenance {
    Provenance {
        step: 0,
        generation: generation.into(),
        seed: training.config.seed,
        git_commit: training.commit.map(str::to_owned),
    }
}

fn describe(report: &LearnReport, steps: u64) -> String {
    let last = report.losses.last().copied().unwrap_or_default();
    format!(
        "{steps} steps, policy loss {:.3}, value loss {:.3}, window {} positions, {:.1} s",
        last.policy_loss, last.value_loss, report.replay_positions, report.time.wall_seconds,
    )
}
