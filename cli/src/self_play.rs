//! The self-play phase: the generation's games, played with the newest network.

use std::fs;
use std::io::Write;
use std::time::Instant;

use selfplay_kit::GameRef;
use selfplay_mcts::{CacheStats, Network};
use selfplay_network::NetworkEvaluator;
use selfplay_network::checkpoint::load_network;
use selfplay_train::shard::read_shard;
use selfplay_train::{
    GameRecord, Generation, Played, ReplayBuffer, SelfPlayConfig, SelfPlaySummary, TrainError, ValueFit,
    play_generation,
};

use crate::error::CliError;
use crate::phase::{CoreUse, Phase, PhaseClock, SelfPlayReport};
use crate::progress::PhaseBar;
use crate::training::Training;

/// Plays the generation's games with the newest network, or reads them back. Games may restart in the newest ones of
/// `before`.
///
/// # Errors
/// If a checkpoint or the shard cannot be read or written.
pub fn self_play(
    training: &Training,
    generation: u32,
    before: &ReplayBuffer,
    out: &mut dyn Write,
) -> Result<Vec<GameRecord>, CliError> {
    let Training { run, config, machine, game, .. } = training;
    let shard = run.shard(generation);
    if let Some(report) = run.completed::<SelfPlayReport>(generation, Phase::SelfPlay)? {
        let (_, mut records) = read_shard(&shard)?;
        records.sort_by_key(|record| record.game_number);
        // Counts alone: means may change in the last place on their way through a file, and openings take replaying.
        let positions: u64 = records.iter().map(|record| record.target_count() as u64).sum();
        let simulations: u64 = records.iter().map(|record| record.simulations).sum();
        let summary = &report.summary;
        let expected = (summary.games, summary.positions, summary.simulations);
        let is_whole = (records.len() as u64, positions, simulations) == expected;
        return if is_whole { Ok(records) } else { Err(CliError::LostGames { path: shard }) };
    }
    let clock = PhaseClock::start();
    let device = machine.device.open()?;
    let (network, _) = load_network(&run.network(generation - 1), game.shape(), &device)?;
    let evaluator = NetworkEvaluator::new(*game, &network, machine.device, &device, config.precision.resolve());
    let games = u64::from(config.selfplay.games_per_generation);
    let bar = PhaseBar::of_phase(run.path(), "self-play", generation, games, "games");
    let newest = before.games().rev().take(config.selfplay.games_per_generation as usize);
    let earlier: Vec<&GameRecord> = newest.collect();
    let which = Generation {
        shard: &shard,
        run_seed: config.seed,
        generation,
        earlier: &earlier,
        threads: machine.thread_count(),
    };
    let Played { mut records, found, cache, stages } =
        play(*game, which, &config.selfplay, &evaluator, &|_decisions| bar.tick())?;
    drop(bar);
    let time = clock.stop();
    let simulations: u64 = records[found..].iter().map(|record| record.simulations).sum();
    records.sort_by_key(|record| record.game_number);
    let report = SelfPlayReport {
        summary: SelfPlaySummary::of(*game, &records),
        value_fit: ValueFit::of(*game, &records),
        cores: Some(CoreUse::new(machine.thread_count(), time, stages)),
        time,
    };
    run.complete(generation, Phase::SelfPlay, &report)?;
    warn_if_many_are_cut(generation, &report.summary);
    let rate = simulations as f64 / time.wall_seconds;
    writeln!(
        out,
        "generation {generation:>3}  self-play  {}, {rate:.0} simulations/s{}",
        describe(&report),
        known(cache)
    )?;
    Ok(records)
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
) -> Result<(f64, Played), CliError> {
    let folder = std::env::temp_dir().join(format!("selfplay-measurement-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(CliError::io(&folder))?;
    let shard = folder.join("games.shard");
    let which = Generation { shard: &shard, run_seed, generation: 1, earlier: &[], threads };
    let start = Instant::now();
    let played = play(game, which, config, evaluator, &|_| {});
    let seconds = start.elapsed().as_secs_f64();
    fs::remove_dir_all(&folder).map_err(CliError::io(&folder))?;
    Ok((seconds, played?))
}

/// Games stopped at the cap count as draws that nobody played: many of them teach the wrong values.
fn warn_if_many_are_cut(generation: u32, summary: &SelfPlaySummary) {
    if summary.truncated * 20 > summary.games {
        let SelfPlaySummary { truncated, games, .. } = summary;
        tracing::warn!("generation {generation}: {truncated} of {games} games were cut; raise selfplay.max_decisions");
    }
}

/// How much the caches knew, if there were any.
fn known(cache: CacheStats) -> String {
    if cache.lookups == 0 { String::new() } else { format!(", {:.0} % from the cache", 100.0 * cache.hit_rate()) }
}

fn describe(report: &SelfPlayReport) -> String {
    let SelfPlayReport { summary, time, .. } = report;
    let share = |games: u64| 100.0 * games as f64 / summary.games.max(1) as f64;
    format!(
        "{} games, {} positions, first/draw/second {:.0}/{:.0}/{:.0} %, {} cut at the cap, {:.1} s",
        summary.games,
        summary.positions,
        share(summary.first_wins),
        share(summary.draws),
        share(summary.second_wins),
        summary.truncated,
        time.wall_seconds,
    )
}
