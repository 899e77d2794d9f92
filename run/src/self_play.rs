//! The self-play phase: the generation's games, played with the newest network.

use std::fs;
use std::path::Path;
use std::time::Instant;

use selfplay_kit::GameRef;
use selfplay_mcts::Network;
use selfplay_network::NetworkEvaluator;
use selfplay_network::checkpoint::load_network;
use selfplay_train::shard::read_shard;
use selfplay_train::{
    GameRecord, Generation, Played, ReplayBuffer, SelfPlayConfig, SelfPlaySummary, TrainError, ValueFit,
    play_generation,
};

use crate::error::RunError;
use crate::phase::{CoreUse, SelfPlayReport};
use crate::training::Training;

/// Share of games cut at the cap above which whoever follows is told.
const MOST_CUT: f64 = 0.05;

/// Plays the generation's games with the newest network, or reads them back. Games may restart in the newest ones of
/// `before`.
///
/// # Errors
/// If a checkpoint or the shard cannot be read or written.
pub fn self_play(training: &Training<'_>, generation: u32, before: &ReplayBuffer) -> Result<Vec<GameRecord>, RunError> {
    let Training { run, config, machine, game, .. } = training;
    let shard = run.shard(generation);
    let mut played = None;
    let phase = training.once(generation, config.selfplay.games_per_generation.into(), |progress| {
        let device = machine.device.open()?;
        let (network, _) = load_network(&run.network(generation - 1), game.shape(), &device)?;
        let evaluator = NetworkEvaluator::new(*game, &network, machine.device, &device, config.precision.resolve());
        let newest = before.games().rev().take(config.selfplay.games_per_generation as usize);
        let earlier: Vec<&GameRecord> = newest.collect();
        let (threads, run_seed) = (machine.threads, config.seed);
        let which = Generation { shard: &shard, run_seed, generation, earlier: &earlier, threads };
        let started = Instant::now();
        let on_game = |_decisions| progress.tick();
        let Played { mut records, found, cache, stages } = play(*game, which, &config.selfplay, &evaluator, &on_game)?;
        let seconds = started.elapsed().as_secs_f64();
        let simulations: u64 = records[found..].iter().map(|record| record.simulations).sum();
        records.sort_by_key(|record| record.game_number);
        let (summary, value_fit) = (SelfPlaySummary::of(*game, &records), ValueFit::of(*game, &records));
        played = Some(records);
        Ok(move |time| SelfPlayReport {
            summary,
            value_fit,
            cores: Some(CoreUse::new(threads, time, stages)),
            simulations_per_second: Some(simulations as f64 / seconds),
            cache_hit_share: (cache.lookups > 0).then(|| cache.hit_rate()),
            time,
        })
    })?;
    match played {
        Some(records) => {
            warn_if_many_are_cut(training, generation, &phase.report.summary);
            Ok(records)
        }
        None => read_games(&shard, &phase.report.summary),
    }
}

/// The games of a generation that was played before, as they are told in its report.
fn read_games(shard: &Path, summary: &SelfPlaySummary) -> Result<Vec<GameRecord>, RunError> {
    let (_, mut records) = read_shard(shard)?;
    records.sort_by_key(|record| record.game_number);
    // Counts alone: means may change in the last place on their way through a file, and openings take replaying.
    let positions: u64 = records.iter().map(|record| record.target_count() as u64).sum();
    let simulations: u64 = records.iter().map(|record| record.simulations).sum();
    let is_whole =
        (records.len() as u64, positions, simulations) == (summary.games, summary.positions, summary.simulations);
    if is_whole { Ok(records) } else { Err(RunError::LostGames { path: shard.into() }) }
}

/// Plays a generation, each worker with a network of its own.
fn play(
    game: GameRef,
    which: Generation<'_>,
    config: &SelfPlayConfig,
    network: &NetworkEvaluator,
    on_game: &(dyn Fn(usize) + Sync),
) -> Result<Played, TrainError> {
    let Generation { run_seed, generation, .. } = which;
    let player = || game.lane_player(network.another(), config, run_seed, generation);
    play_generation(game, which, config, &player, on_game)
}

/// Plays generation 1 of a run that leaves nothing behind, for measurements; the seconds it took and the games.
///
/// # Errors
/// If the folder for temporary files refuses.
pub fn play_for_measurement(
    game: GameRef,
    evaluator: &NetworkEvaluator,
    config: &SelfPlayConfig,
    run_seed: u64,
    threads: usize,
) -> Result<(f64, Played), RunError> {
    let folder = std::env::temp_dir().join(format!("selfplay-measurement-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(RunError::io(&folder))?;
    let shard = folder.join("games.shard");
    let which = Generation { shard: &shard, run_seed, generation: 1, earlier: &[], threads };
    let start = Instant::now();
    let played = play(game, which, config, evaluator, &|_| {});
    let seconds = start.elapsed().as_secs_f64();
    fs::remove_dir_all(&folder).map_err(RunError::io(&folder))?;
    Ok((seconds, played?))
}

/// Games stopped at the cap count as draws that nobody played: many of them teach the wrong values.
fn warn_if_many_are_cut(training: &Training<'_>, generation: u32, summary: &SelfPlaySummary) {
    let SelfPlaySummary { truncated, games, .. } = summary;
    if *truncated as f64 > MOST_CUT * *games as f64 {
        training.observer.warned(&format!(
            "generation {generation}: {truncated} of {games} games were cut; raise selfplay.max_decisions"
        ));
    }
}
