//! Self-play as a run does it: games and positions in a second on one thread and on all, where the time goes, what the
//! cache finds, and what it takes of memory.

use std::cell::Cell;
use std::fs;

use selfplay_mcts::{EvaluationCache, Stage, UniformNetwork};
use selfplay_network::{FusedEvaluator, Precision};
use selfplay_registry::GameRef;
use selfplay_train::{Actors, Batching, GameContext, GameRange, PlayStats, SelfPlayConfig, SelfPlaySummary, summarise};

use super::measure::{Bench, Report, network_of};
use crate::error::CliError;
use selfplay_pipeline::self_play::play_for_measurement;

const SECTION: &str = "selfplay";
/// As a first serious run would have it.
const SIMULATIONS: u32 = 64;
/// Games of a generation for each second that a measurement should take.
const GAMES_PER_SECOND: f64 = 1024.0;
/// Simulations of each game after which memory is read.
const MEMORY_SIMULATIONS: u64 = 100_000;
const MEMORY_GAMES: u32 = 64;

/// Measures it all with connect4, and memory with the game that has the most moves.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let precision = Precision::fastest();
    let game = bench.game("connect4");
    let evaluator = FusedEvaluator::checked(game, &network_of(game)?, precision)?;
    // So many games that the last ones, in smaller batches, take little: a generation takes longer than other measurements.
    let config = SelfPlayConfig {
        games_per_generation: (GAMES_PER_SECOND * bench.seconds).clamp(32.0, 1024.0) as u32,
        num_simulations: SIMULATIONS,
        ..SelfPlayConfig::default()
    };
    let last = Cell::new((SelfPlaySummary::default(), PlayStats::default()));
    let error = Cell::new(None);
    let generation = |threads: usize| match play_for_measurement(game, &evaluator, &config, 1, threads) {
        Ok((seconds, played)) => {
            last.set((summarise(game, &played.records), played.stats));
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
    let (summary, PlayStats { cache, batches, stages, .. }) = last.take();
    let positions = medians[1] * summary.mean_game_plies;
    let simulations = medians[1] * summary.simulations as f64 / summary.games as f64;
    report.row(SECTION, format!("{}, {precision}, 1 thread", game.id()), medians[0], "games/s");
    report.row(SECTION, format!("{}, {precision}, {} threads", game.id(), bench.threads), medians[1], "games/s");
    report.row(SECTION, format!("{}, positions", game.id()), positions, "positions/s");
    report.row(SECTION, format!("{}, simulations", game.id()), simulations, "simulations/s");
    report.row(SECTION, format!("{}, answers from the cache", game.id()), 100.0 * cache.hit_rate(), "%");
    let evaluated: u64 = batches.iter().zip(0..).map(|(count, size)| count * size).sum();
    let mean_batch = evaluated as f64 / batches.iter().sum::<u64>().max(1) as f64;
    report.row(SECTION, format!("{}, mean batch", game.id()), mean_batch, "positions");
    // By powers of two; the last games of a generation leave smaller batches.
    for (largest, in_batches) in by_size(&batches) {
        let name = format!("{}, positions in batches of up to {largest}", game.id());
        report.row(SECTION, name, 100.0 * in_batches as f64 / evaluated.max(1) as f64, "%");
    }
    report.ratio("threads2_selfplay", medians[1] / medians[0]);
    report.ratio("connect4_positions_per_hour", 3600.0 * positions);
    for (stage, share) in Stage::ALL.into_iter().zip(stages.unwrap_or_default()) {
        let name = format!("{stage:?}").to_lowercase();
        report.row(SECTION, format!("{}, time in {name}", game.id()), 100.0 * share, "%");
    }
    memory(bench.game("pentago-swap"), report);
    Ok(())
}

/// Of the batches with each number of positions: how many positions were in those of 1, of 2, of 3 or 4, of 5 to 8 and so on,
/// by the largest number.
fn by_size(batches: &[u64]) -> Vec<(usize, u64)> {
    let positions_in = |sizes: std::ops::Range<usize>| sizes.map(|size| size as u64 * batches[size]).sum();
    let largest = std::iter::successors(Some(1), |largest| Some(2 * largest));
    let is_used = |largest: &usize| largest / 2 + 1 < batches.len();
    let class = |largest: usize| (largest, positions_in(largest / 2 + 1..(largest + 1).min(batches.len())));
    largest.take_while(is_used).map(class).collect()
}

/// Plays games at the same time until each has had its simulations, without a network or a cache, and reports the most
/// memory the process has had.
fn memory(game: GameRef, report: &mut Report) {
    // Without knowledge a game of Pentago-Swap lasts about sixteen plies.
    let simulations = MEMORY_SIMULATIONS.div_ceil(15) as u32;
    let config = SelfPlayConfig {
        games_per_generation: MEMORY_GAMES,
        concurrent_games: MEMORY_GAMES,
        num_simulations: simulations,
        ..SelfPlayConfig::default()
    };
    let context = GameContext { config: &config, run_seed: 1, generation: 1, earlier: &[] };
    let actors = Actors { threads: 1, batching: Batching::PerThread, cache: &EvaluationCache::new(0) };
    let queue = GameRange::new(0..MEMORY_GAMES);
    game.play_games(&UniformNetwork(game.id()), context, actors, &queue);
    let records = queue.into_records();
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

#[cfg(test)]
mod tests {
    use super::by_size;

    #[test]
    fn every_position_is_in_one_class_of_batches() {
        // No batch of 0, one of 1, two of 2, none of 3, one of 4 and three of 5.
        assert_eq!(by_size(&[0, 1, 2, 0, 1, 3]), [(1, 1), (2, 4), (4, 4), (8, 15)]);
        assert_eq!(by_size(&[0, 1, 0, 0, 0]), [(1, 1), (2, 0), (4, 0)]);
        assert_eq!(by_size(&[]), []);
    }
}
