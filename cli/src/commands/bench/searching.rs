//! Simulations in a second: with an evaluator that costs nothing, which is the tree alone, and with the real one.

use std::cell::Cell;

use selfplay_env::games::connect4::Connect4;
use selfplay_env::games::pentago_swap::PentagoSwap;
use selfplay_env::{AuxiliaryTargets, Game};
use selfplay_mcts::{Evaluator, UniformEvaluator};
use selfplay_network::{DeviceKind, NetworkEvaluator, Precision};
use selfplay_train::{LaneSeed, SelfPlayConfig, play_lane};

use super::measure::{Bench, Report, network_of};
use crate::error::CliError;

const SECTION: &str = "search";
/// Games in flight where the real evaluator works: the size of its batches.
const IN_FLIGHT: u32 = 32;

/// Measures both.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let null = SelfPlayConfig {
        games_per_generation: 1,
        lanes: 1,
        games_per_lane_in_flight: 1,
        simulations: 800,
        cache_mib: 0,
        ..SelfPlayConfig::default()
    };
    let medians = bench.medians(&mut [
        Box::new(|| simulations_rate::<PentagoSwap, _>(bench, &UniformEvaluator, &null, 1)),
        Box::new(|| simulations_rate::<Connect4, _>(bench, &UniformEvaluator, &null, 1)),
    ]);
    report.row(SECTION, "pentago-swap, no evaluator, one thread", medians[0], "simulations/s");
    report.row(SECTION, "connect4, no evaluator, one thread", medians[1], "simulations/s");
    report.ratio("null_sims_pentago_swap", medians[0]);
    report.ratio("null_sims_connect4", medians[1]);
    for (precision, ratio) in [(Precision::F32, "search_eval_f32"), (Precision::fastest(), "search_eval")] {
        real::<PentagoSwap>(bench, report, precision, ratio)?;
    }
    Ok(())
}

fn real<G: AuxiliaryTargets>(
    bench: &Bench,
    report: &mut Report,
    precision: Precision,
    ratio: &'static str,
) -> Result<(), CliError> {
    let device = DeviceKind::Flex.open()?;
    let evaluator = NetworkEvaluator::new::<G>(&network_of::<G>(&device)?, DeviceKind::Flex, &device, precision);
    let config = SelfPlayConfig {
        games_per_generation: IN_FLIGHT,
        lanes: 1,
        games_per_lane_in_flight: IN_FLIGHT,
        simulations: 32,
        cache_mib: 0,
        ..SelfPlayConfig::default()
    };
    let medians = bench.medians(&mut [
        Box::new(|| bench.positions_rate::<G, _>(&evaluator, IN_FLIGHT as usize, bench.threads)),
        Box::new(|| simulations_rate::<G, _>(bench, &evaluator, &config, bench.threads)),
    ]);
    report.row(SECTION, format!("{}, {precision} evaluator alone", G::ID), medians[0], "positions/s");
    report.row(SECTION, format!("{}, self-play with it, no cache", G::ID), medians[1], "simulations/s");
    report.ratio(ratio, medians[1] / medians[0]);
    Ok(())
}

/// Simulations in a second of self-play lanes, one on each thread.
fn simulations_rate<G: Game, E: Evaluator<G> + Clone + Sync>(
    bench: &Bench,
    evaluator: &E,
    config: &SelfPlayConfig,
    threads: usize,
) -> f64 {
    bench.rate_on(threads, || {
        let (mut evaluator, generation) = (evaluator.clone(), Cell::new(0));
        move || {
            generation.set(generation.get() + 1);
            let seed = LaneSeed { run_seed: 1, generation: generation.get(), lane: 0 };
            let (records, _) = play_lane::<G, E>(&mut evaluator, config, seed, &[], &|_| {});
            records.iter().map(|record| record.simulations).sum()
        }
    })
}
