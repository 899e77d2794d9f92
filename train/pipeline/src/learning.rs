//! The learning phase: as many steps as the replay ratio owes, from the checkpoint before to the generation's own.

use selfplay_env::Rules;
use selfplay_env::rng::derive_seed;
use selfplay_network::growth::grow_checkpoint;
use selfplay_network::training::{LearnerError, Schedule, StepReport};
use selfplay_network::{BatchLosses, Learner, NetworkError, NetworkWeights, Provenance, checkpoint};
use selfplay_registry::GameRef;
use selfplay_train::{GameRecord, ReplayBuffer, batch_of_games, sample_batch};

use crate::agents::checkpoint_of;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::events::Event;
use crate::phase::{GamesLosses, LearnReport, Phase, PhaseTime};
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
pub fn untrained_network(training: &Training<'_>) -> Result<(), RunError> {
    let Training { run, config, machine, game, .. } = training;
    let folder = run.network(0);
    if folder.exists() {
        return Ok(());
    }
    let seed = derive_seed(&[config.seed, WEIGHTS_STREAM]);
    let known = |id: &str| training.games.find(id).ok().map(|game| game as &dyn Rules);
    let weights = match &config.init_from {
        Some(path) => grow_checkpoint(&checkpoint_of(path)?, *game, known, config.network.clone(), seed)?.0,
        None => NetworkWeights::fresh(game.shape(), config.network.clone(), seed)?,
    };
    let learner = machine.backend.learner(&weights, config.learner.clone(), machine.device)?;
    learner.save(&folder, &provenance(training, 0))?;
    report_checkpoint(training, 0);
    Ok(())
}

/// Trains the generation's network on the replay window, which grew by `new_positions`, unless that is done. `scores` are
/// the mean scores of the generations before against the ladder, oldest first: what a schedule of plateaus looks at.
///
/// # Errors
/// If a checkpoint cannot be read or written, or a loss stops being a number.
pub fn learn(
    training: &Training<'_>,
    generation: u32,
    replay: &ReplayBuffer,
    new_positions: u64,
    scores: &[f64],
) -> Result<(), RunError> {
    let Training { run, config, .. } = training;
    let last_good = run.network(generation - 1);
    let steps = config.replay.steps_for(new_positions, config.learner.batch_size);
    let learned = training.run_phase(generation, steps, |progress| {
        let mut learned = LearnReport { steps, replay_positions: replay.positions(), ..LearnReport::default() };
        if is_learned(training, generation) {
            // The report alone was lost: the network stands, its losses are unknown.
            let path = run.phase_path(generation, Phase::Learn);
            training.observer.warn(format!("{}: missing, so its losses are unknown", path.display()));
            return Ok(timed(learned));
        }
        let diverged = |error| match error {
            source @ (LearnerError::NotFinite { .. } | LearnerError::Network(NetworkError::NotFinite { .. })) => {
                RunError::Diverged { generation, last_good: last_good.clone(), source }
            }
            other => other.into(),
        };
        let mut learner = restored(training, generation, scores)?;
        let reports = take_steps(training, replay, &mut *learner, steps, &diverged, &mut || progress.tick())?;
        // A checkpoint whose phase was never marked complete is from a run that was killed between the two.
        run.discard_network(generation)?;
        learner.save(&run.network(generation), &provenance(training, generation)).map_err(diverged)?;
        let steps_of_row = reports.len().div_ceil(LOSS_ROWS).max(1);
        learned.losses = reports.chunks(steps_of_row).map(StepReport::together).collect();
        learned.validation = losses_on(training.game, replay.validation(), &*learner, config)?;
        learned.neighbours = losses_on(training.game, replay.neighbours(), &*learner, config)?;
        Ok(timed(learned))
    })?;
    if learned.is_new {
        report_checkpoint(training, generation);
    }
    // Nothing will be trained from the checkpoint before any more; its weights stay for play. A kill may have come between
    // the report and this. Of long ago the checkpoint itself may be gone.
    if last_good.exists() { Ok(checkpoint::discard_training_state(&last_good)?) } else { Ok(()) }
}

fn report_checkpoint(training: &Training<'_>, generation: u32) {
    let checkpoint = training.run.network(generation).display().to_string();
    training.observer.on_event(&Event::CheckpointWritten { generation, checkpoint });
}

/// Whether the network of `generation` is there and nothing is left to train it from.
fn is_learned(training: &Training<'_>, generation: u32) -> bool {
    let last = training.run.network(generation - 1);
    let can_be_trained = || last.exists() && checkpoint::has_training_state(&last).unwrap_or(true);
    training.run.network(generation).exists() && !can_be_trained()
}

/// The learner as the generation before left it.
fn restored(training: &Training<'_>, generation: u32, scores: &[f64]) -> Result<Box<dyn Learner>, RunError> {
    let Training { run, config, machine, game, .. } = training;
    let last = run.own_network(generation - 1)?;
    let mut learner = machine.backend.restore(&last, game.shape(), config.learner.clone(), machine.device)?;
    if let Schedule::Plateau { .. } = config.learner.schedule {
        learner.set_rate_drops(config.learner.schedule.plateau_drops(scores));
    }
    Ok(learner)
}

/// Takes so many `steps`, each announced to `on_step`; what they tell.
fn take_steps(
    training: &Training<'_>,
    replay: &ReplayBuffer,
    learner: &mut dyn Learner,
    steps: u64,
    diverged: &impl Fn(LearnerError) -> RunError,
    on_step: &mut impl FnMut(),
) -> Result<Vec<StepReport>, RunError> {
    let Training { config, game, .. } = training;
    let end = learner.steps() + steps;
    let sample = |step: u64| {
        let seed = derive_seed(&[config.seed, SAMPLING_STREAM, step]);
        let heads = config.network.auxiliary;
        let batch = || sample_batch(*game, replay, &config.learner, heads, &config.selfplay.search, seed);
        (step < end).then(batch).transpose()
    };
    let mut reports = Vec::new();
    let mut batch = sample(learner.steps())?;
    while let Some(shown) = batch {
        // A batch depends on the number of its step alone: the next one is drawn while this one is learned.
        let mut next = Ok(None);
        let next_step = learner.steps() + 1;
        let step = rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = sample(next_step));
            learner.step(&shown)
        });
        reports.push(step.map_err(diverged)?);
        on_step();
        batch = next?;
    }
    Ok(reports)
}

/// The report as it is once its time is known.
fn timed(report: LearnReport) -> impl FnOnce(PhaseTime) -> LearnReport {
    move |time| LearnReport { time, ..report }
}

/// How well the network does on `games`; `None` without any.
fn losses_on<'a>(
    game: GameRef,
    games: impl ExactSizeIterator<Item = &'a GameRecord>,
    learner: &dyn Learner,
    config: &RunConfig,
) -> Result<Option<GamesLosses>, RunError> {
    let (heads, search) = (config.network.auxiliary, &config.selfplay.search);
    let count = games.len() as u64;
    let Some(batch) = batch_of_games(game, games, learner.config(), heads, search) else { return Ok(None) };
    let BatchLosses { policy_loss, value_loss } = learner.losses_on(&batch)?;
    Ok(Some(GamesLosses { games: count, positions: batch.rows as u64, policy_loss, value_loss }))
}

fn provenance(training: &Training<'_>, generation: u32) -> Provenance {
    Provenance {
        step: 0,
        generation: generation.into(),
        seed: training.config.seed,
        git_commit: training.commit.map(str::to_owned),
    }
}
