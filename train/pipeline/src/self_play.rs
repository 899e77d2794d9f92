//! The self-play phase: the generation's games, played with the newest network.

use std::io::ErrorKind;
use std::time::Instant;

use selfplay_mcts::{EvaluationCache, Network};
use selfplay_registry::GameRef;
use selfplay_train::{
    Actors, Batching, GameContext, GameQueue, GameRecord, PlayStats, Played, ReplayBuffer, SelfPlayConfig,
    SelfPlaySummary, TrainError, ValueFit, play_generation, summarise,
};

use crate::error::RunError;
use crate::executor::SelfPlayWork;
use crate::phase::{CoreUse, Phase, PhaseTime, SelfPlayReport};
use crate::run_folder::RunFolder;
use crate::training::Training;

/// Share of games cut at the cap above which an event is reported.
const MAX_CUT: f64 = 0.05;

/// Plays the generation's games with the newest network, or reads them back. Games may restart in the newest ones of
/// `before`.
///
/// # Errors
/// If a checkpoint or the shard cannot be read or written.
pub fn self_play(training: &Training<'_>, generation: u32, before: &ReplayBuffer) -> Result<Vec<GameRecord>, RunError> {
    let Training { run, config, machine, game, .. } = training;
    let mut played = None;
    let phase = training.run_phase(generation, config.selfplay.games_per_generation.into(), |progress| {
        let started = Instant::now();
        let earlier = earlier_games(training, before);
        let work = self_play_work(training, generation, &earlier);
        let found = training.executor.play_games(work, &|_decisions| progress.tick())?;
        let seconds = started.elapsed().as_secs_f64();
        let Played { records, new_simulations, stats: PlayStats { cache, stages, .. }, cpu_seconds_elsewhere } = found;
        let (summary, value_fit) = (summarise(*game, &records), ValueFit::measure(*game, &records));
        played = Some(records);
        let threads = machine.threads;
        // Others may have begun before this did.
        let is_clocked = stages.is_some() || config.selfplay.policy_lag == 0;
        Ok(move |time: PhaseTime| SelfPlayReport {
            summary,
            value_fit,
            cores: stages.map(|stages| CoreUse::new(threads, time, stages)),
            simulations_per_second: is_clocked.then_some(new_simulations as f64 / seconds),
            cache_hit_share: (cache.lookups > 0).then(|| cache.hit_rate()),
            time: PhaseTime { cpu_seconds: time.cpu_seconds + cpu_seconds_elsewhere, ..time },
        })
    })?;
    match played {
        Some(records) => {
            warn_if_many_are_cut(training, generation, &phase.report.summary);
            Ok(records)
        }
        None => read_games(run, generation, &phase.report.summary),
    }
}

/// The games of a generation that was played before, as its report has them.
///
/// # Errors
/// If the shard cannot be read, is of another run or generation, or [`RunError::LostGames`] if it holds other games.
pub fn read_games(run: &RunFolder, generation: u32, summary: &SelfPlaySummary) -> Result<Vec<GameRecord>, RunError> {
    let mut records = match run.own_games(generation) {
        // What is damaged or gone cannot be moved away to be played again: its report stands.
        Err(RunError::Train(TrainError::NotAShard { path })) => return Err(RunError::LostGames { path }),
        Err(RunError::Train(TrainError::Io { path, source })) if source.kind() == ErrorKind::NotFound => {
            return Err(RunError::LostGames { path });
        }
        other => other?,
    };
    records.sort_by_key(|record| record.game_number);
    // Counts alone: means may change in the last place on their way through a file, and openings take replaying.
    let positions: u64 = records.iter().map(|record| record.target_count() as u64).sum();
    let simulations: u64 = records.iter().map(|record| record.simulations).sum();
    let is_whole =
        (records.len() as u64, positions, simulations) == (summary.games, summary.positions, summary.simulations);
    if is_whole { Ok(records) } else { Err(RunError::LostGames { path: run.shard(generation) }) }
}

/// Has the generation's games begun, if they can be played beside what follows. `before` are the games before it, all of them.
///
/// # Errors
/// Those of [`self_play`].
pub fn begin_self_play(training: &Training<'_>, generation: u32, before: &ReplayBuffer) -> Result<(), RunError> {
    if training.run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)?.is_some() {
        return Ok(());
    }
    let earlier = earlier_games(training, before);
    training.executor.begin_games(self_play_work(training, generation, &earlier))
}

/// The newest games of `before`, where games may restart.
fn earlier_games<'a>(training: &Training<'_>, before: &'a ReplayBuffer) -> Vec<&'a GameRecord> {
    before.games().rev().take(training.config.selfplay.games_per_generation as usize).collect()
}

fn self_play_work<'a>(training: &'a Training<'_>, generation: u32, earlier: &'a [&'a GameRecord]) -> SelfPlayWork<'a> {
    let Training { run, config, machine, game, .. } = training;
    let network = config.selfplay.network_of(generation);
    SelfPlayWork { game: *game, run, config, machine: *machine, generation, network, earlier, cache: training.cache() }
}

/// Plays generation 1 of a run that leaves nothing behind, for measurements; the seconds it took and the games.
///
/// # Errors
/// If the folder for temporary files cannot be written.
pub fn play_for_measurement(
    game: GameRef,
    evaluator: &dyn Network,
    config: &SelfPlayConfig,
    run_seed: u64,
    threads: usize,
) -> Result<(f64, Played), RunError> {
    let folder = tempfile::tempdir().map_err(RunError::io(&std::env::temp_dir()))?;
    let shard = folder.path().join("games.shard");
    let context = GameContext { config, run_seed, generation: 1, earlier: &[] };
    let cache = EvaluationCache::new(config.cache_mib);
    let actors = Actors { threads, batching: Batching::PerThread, cache: &cache };
    let start = Instant::now();
    let play = |queue: &dyn GameQueue| game.play_games(evaluator, context, actors, queue);
    let played = play_generation(game, &shard, context, play, &|_| {});
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, played?))
}

/// Warns if many games were truncated at the cap. They count as draws that did not happen, so many of them teach wrong
/// values.
fn warn_if_many_are_cut(training: &Training<'_>, generation: u32, summary: &SelfPlaySummary) {
    let SelfPlaySummary { truncated, games, .. } = summary;
    if *truncated as f64 > MAX_CUT * *games as f64 {
        training.observer.warn(format!(
            "generation {generation}: {truncated} of {games} games were truncated; raise selfplay.max_plies"
        ));
    }
}
