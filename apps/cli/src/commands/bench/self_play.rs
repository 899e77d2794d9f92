//! Self-play as a run does it: games and positions in a second on one thread and on all, where the time goes, what the
//! cache finds, and what it takes of memory.

use std::cell::Cell;
use std::fs;

use selfplay_mcts::{Stage, UniformNetwork};
use selfplay_network::{FusedEvaluator, Precision};
use selfplay_registry::GameRef;
use selfplay_train::{GameRange, SelfPlayConfig, SelfPlaySummary, summarise};

use super::measure::{Bench, Report, network_of};
use crate::error::CliError;
use selfplay_pipeline::self_play::play_for_measurement;

const SECTION: &str = "selfplay";
/// As a first serious run would have it.
const SIMULATIONS: u32 = 64;
/// Lanes of a generation for each second that a measurement should take.
const LANES_PER_SECOND: f64 = 64.0;
/// Games in flight in a lane.
const IN_FLIGHT: u32 = 16;
/// Simulations of each game after which memory is read.
const MEMORY_SIMULATIONS: u64 = 100_000;
const MEMORY_GAMES: u32 = 64;

/// Measures it all with connect4, and memory with the game that has the most moves.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let precision = Precision::fastest();
    let game = bench.game("connect4");
    let evaluator = FusedEvaluator::checked(game, &network_of(game)?, precision)?;
    // So many lanes that waiting for the last one takes little: a generation takes longer than other measurements.
    let lanes = (LANES_PER_SECOND * bench.seconds).clamp(2.0, 64.0) as u32;
    let config = SelfPlayConfig {
        games_per_generation: lanes * IN_FLIGHT,
        lanes,
        games_per_lane_in_flight: IN_FLIGHT,
        simulations: SIMULATIONS,
        ..SelfPlayConfig::default()
    };
    let last = Cell::new((SelfPlaySummary::default(), 0.0, None));
    let error = Cell::new(None);
    let generation = |threads: usize| match play_for_measurement(game, &evaluator, &config, 1, threads) {
        Ok((seconds, played)) => {
            last.set((summarise(game, &played.records), played.cache.hit_rate(), played.stages));
            config.games_per_generation as f64 / seconds
        }
        Err(failure) => {
            error.set(Some(failure));
            f64::NAN
        }
    };
    let medians = bench.medians(&mut [Box::new(|| generation(1)), Box::new(|| generation(bench.threads))]);
    if let Some(error) = error.take() {
        return Err(error.into());
    }
    let (summary, hit_rate, stages) = last.take();
    let positions = medians[1] * summary.mean_game_decisions;
    let simulations = medians[1] * summary.simulations as f64 / summary.games as f64;
    report.row(SECTION, format!("{}, {precision}, 1 thread", game.id()), medians[0], "games/s");
    report.row(SECTION, format!("{}, {precision}, {} threads", game.id(), bench.threads), medians[1], "games/s");
    report.row(SECTION, format!("{}, positions", game.id()), positions, "positions/s");
    report.row(SECTION, format!("{}, simulations", game.id()), simulations, "simulations/s");
    report.row(SECTION, format!("{}, answers from the cache", game.id()), 100.0 * hit_rate, "%");
    report.ratio("threads2_selfplay", medians[1] / medians[0]);
    report.ratio("connect4_positions_per_hour", 3600.0 * positions);
    for (stage, share) in Stage::ALL.into_iter().zip(stages.unwrap_or_default()) {
        let name = format!("{stage:?}").to_lowercase();
        report.row(SECTION, format!("{}, time in {name}", game.id()), 100.0 * share, "%");
    }
    memory(bench.game("pentago-swap"), report);
    Ok(())
}

/// Plays games at the same time until each has had its simulations, without a network or a cache, and reports the most
/// memory the process has had.
fn memory(game: GameRef, report: &mut Report) {
    // Without knowledge a game of Pentago-Swap lasts about sixteen decisions.
    let simulations = MEMORY_SIMULATIONS.div_ceil(15) as u32;
    let config = SelfPlayConfig {
        games_per_generation: MEMORY_GAMES,
        lanes: 1,
        games_per_lane_in_flight: MEMORY_GAMES,
        simulations,
        cache_mib: 0,
        ..SelfPlayConfig::default()
    };
    let range = GameRange { run_seed: 1, generation: 1, index: 0 };
    let mut actor = game.actor(Box::new(UniformNetwork(game.id())), &config, 1, 1);
    let records = actor.play(&config, range, &[], &|_| {}).records;
    let mean = records.iter().map(|record| record.simulations).sum::<u64>() / u64::from(MEMORY_GAMES);
    report.row(SECTION, format!("{}, simulations a game for memory", game.id()), mean as f64, "");
    if let Some(bytes) = peak_memory() {
        let gib = bytes / f64::from(1 << 30);
        report.row(SECTION, format!("{}, 64 games in flight, peak memory", game.id()), gib, "GiB");
        report.ratio("selfplay_memory_gib", gib);
    }
}

/// Bytes of memory that this process has had at most; `None` where the system does not say.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kib)
}
