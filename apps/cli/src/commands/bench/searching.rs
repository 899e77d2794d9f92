//! Simulations in a second: with an evaluator that costs nothing, which is the tree alone, and with the real one.

use std::cell::Cell;

use selfplay_mcts::{EvaluationCache, Network, UniformNetwork};
use selfplay_network::{FusedEvaluator, Precision};
use selfplay_registry::GameRef;
use selfplay_train::{Actors, Batching, GameContext, GameRange, SelfPlayConfig};

use super::measure::{Bench, Report, network_of};
use crate::error::CliError;

const SECTION: &str = "search";
/// Games in flight where the real evaluator works: the size of its batches.
const IN_FLIGHT: u32 = 32;

/// Measures both.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let null = SelfPlayConfig {
        games_per_generation: 1,
        concurrent_games: 1,
        num_simulations: 800,
        ..SelfPlayConfig::default()
    };
    let (pentago, connect4) = (bench.game("pentago-swap"), bench.game("connect4"));
    let medians = bench.medians(&mut [
        Box::new(|| simulations_rate(bench, pentago, &UniformNetwork(pentago.id()), &null, 1)),
        Box::new(|| simulations_rate(bench, connect4, &UniformNetwork(connect4.id()), &null, 1)),
    ]);
    report.row(SECTION, format!("{}, no evaluator, one thread", pentago.id()), medians[0], "simulations/s");
    report.row(SECTION, format!("{}, no evaluator, one thread", connect4.id()), medians[1], "simulations/s");
    report.ratio("null_sims_pentago_swap", medians[0]);
    report.ratio("null_sims_connect4", medians[1]);
    for (precision, ratio) in [(Precision::F32, "search_eval_f32"), (Precision::fastest(), "search_eval")] {
        real(bench, pentago, report, precision, ratio)?;
    }
    Ok(())
}

fn real(
    bench: &Bench,
    game: GameRef,
    report: &mut Report,
    precision: Precision,
    ratio: &'static str,
) -> Result<(), CliError> {
    let evaluator = FusedEvaluator::from_weights(game, &network_of(game)?, precision);
    let config = SelfPlayConfig {
        games_per_generation: IN_FLIGHT,
        concurrent_games: IN_FLIGHT,
        num_simulations: 32,
        ..SelfPlayConfig::default()
    };
    let medians = bench.medians(&mut [
        Box::new(|| bench.positions_rate(game, &evaluator, IN_FLIGHT as usize, bench.threads)),
        Box::new(|| simulations_rate(bench, game, &evaluator, &config, bench.threads)),
    ]);
    report.row(SECTION, format!("{}, {precision} evaluator alone", game.id()), medians[0], "positions/s");
    report.row(SECTION, format!("{}, self-play with it, no cache", game.id()), medians[1], "simulations/s");
    report.ratio(ratio, medians[1] / medians[0]);
    Ok(())
}

/// Simulations in a second of self-play actors, one on each thread.
fn simulations_rate(
    bench: &Bench,
    game: GameRef,
    network: &impl Network,
    config: &SelfPlayConfig,
    threads: usize,
) -> f64 {
    bench.rate_on(threads, || {
        let (network, generation) = (network.clone_box(), Cell::new(0));
        move || {
            generation.set(generation.get() + 1);
            let context = GameContext { config, run_seed: 1, generation: generation.get(), earlier: &[] };
            let actors = Actors { threads: 1, batching: Batching::PerThread, cache: &EvaluationCache::new(0) };
            let queue = GameRange::new(0..config.games_per_generation);
            game.play_games(&*network, context, actors, &queue);
            let records = queue.into_records();
            records.iter().map(|record| record.simulations).sum()
        }
    })
}
