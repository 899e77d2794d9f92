//! Positions judged in a second by every path, and the share of the cores' peak that is.

use selfplay_env::Rules;
use selfplay_network::{FusedEvaluator, NetworkWeights, Precision};

#[cfg(feature = "burn")]
use super::measure::positions;
use super::measure::{Bench, Rate, Report, network_of};
use crate::error::CliError;

const SECTION: &str = "network";
const BATCHES: [usize; 3] = [1, 8, 64];
/// A game, its board by columns and rows, and how many positions are judged together.
const OTHER_BOARDS: [(&str, &str, usize); 4] =
    [("sum15-4", "4×4", 8), ("connect4", "7×6", 8), ("pente-9", "9×9", 8), ("pente", "19×19", 4)];

/// Measures it all.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    small_board(bench, report)?;
    other_boards(bench, report)?;
    Ok(())
}

/// The network in f32 and in int8.
fn fused(rules: &dyn Rules, network: &NetworkWeights) -> [FusedEvaluator; 2] {
    [Precision::F32, Precision::Int8].map(|precision| FusedEvaluator::from_weights(rules, network, precision))
}

/// Operations of one position.
fn operations(network: &NetworkWeights) -> f64 {
    network.config().flops_per_position(network.shape()) as f64
}

fn small_board(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let game = bench.game("pentago-swap");
    let network = network_of(game)?;
    let [floats, bytes] = fused(game, &network);
    let threads = bench.threads;
    let mut rates: Vec<Rate<'_>> = vec![Box::new(|| bench.peak())];
    for evaluator in [&floats, &bytes] {
        for batch in BATCHES {
            rates.push(Box::new(move || bench.positions_rate(game, evaluator, batch, threads)));
        }
    }
    #[cfg(feature = "burn")]
    rates.extend(burn_rates(bench, &network)?);
    let medians = bench.medians(&mut rates);
    let (peak, fused) = (medians[0], &medians[1..=2 * BATCHES.len()]);

    report.row(SECTION, "peak of the cores, multiply-adds", peak / 1e9, "GFLOP/s");
    let share = |rate: f64| rate * operations(&network) / peak;
    let names = ["f32", "int8"].into_iter().flat_map(|name| BATCHES.map(|batch| (name, batch)));
    for ((precision, batch), &rate) in names.zip(fused) {
        report.row(SECTION, format!("6×6 fused {precision}, batch {batch}"), rate, "positions/s");
        report.row(SECTION, format!("6×6 fused {precision}, batch {batch}, share of peak"), share(rate), "");
    }
    report.ratio("winograd_peak_6x6", share(fused[1]));
    report.ratio("reduced_fused", fused[4] / fused[1]);
    // Behind the others, where the build has Burn.
    if let [flex_workers, flex] = medians[1 + fused.len()..] {
        report.row(SECTION, "6×6 Burn flex, batch 64 on all threads", flex, "positions/s");
        report.row(SECTION, "6×6 Burn flex, batch 64, share of peak", share(flex), "");
        report.row(SECTION, "6×6 Burn flex, batch 64 for each thread", flex_workers, "positions/s");
        report.ratio("fused_flex_6x6", fused[2] / flex);
        report.ratio("fused_flex_workers_6x6", fused[2] / flex_workers);
        report.ratio("reduced_flex_6x6", fused[5] / flex);
    }
    Ok(())
}

/// Burn's CPU device, with a batch for each thread, and with one on all threads.
#[cfg(feature = "burn")]
fn burn_rates<'a>(bench: &'a Bench, network: &NetworkWeights) -> Result<[Rate<'a>; 2], CliError> {
    use selfplay_burn::{BurnEvaluator, PolicyValueNetwork};
    use selfplay_mcts::Network;

    let game = bench.game("pentago-swap");
    let device = selfplay_burn::device::open(selfplay_network::DeviceKind::Flex)?;
    let for_workers = BurnEvaluator::new(&PolicyValueNetwork::from_weights(network, &device), &device);
    let (mut evaluator, mut batch) = (for_workers.clone(), positions(game, 64));
    let on_all_threads = move || {
        bench.rate(|| {
            evaluator.evaluate_batch(&mut batch);
            batch.len() as u64
        })
    };
    Ok([Box::new(move || bench.positions_rate(game, &for_workers, 64, bench.threads)), Box::new(on_all_threads)])
}

/// The floats of other boards, whose convolutions are cut into other tiles, and the bytes beside them.
fn other_boards(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    for (game, board, batch) in OTHER_BOARDS {
        let game = bench.game(game);
        let network = network_of(game)?;
        let [floats, bytes] = fused(game, &network);
        let medians = bench.medians(&mut [
            Box::new(|| bench.peak()),
            Box::new(|| bench.positions_rate(game, &floats, batch, bench.threads)),
            Box::new(|| bench.positions_rate(game, &bytes, batch, bench.threads)),
        ]);
        let share = medians[1] * operations(&network) / medians[0];
        report.row(SECTION, format!("{board} fused f32, batch {batch}"), medians[1], "positions/s");
        report.row(SECTION, format!("{board} fused f32, batch {batch}, share of peak"), share, "");
        report.row(SECTION, format!("{board} fused int8, batch {batch}"), medians[2], "positions/s");
        let board = board.replace('×', "x");
        report.ratio(format!("winograd_peak_{board}"), share);
        report.ratio(format!("reduced_fused_{board}"), medians[2] / medians[1]);
    }
    Ok(())
}
