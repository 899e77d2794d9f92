//! Training steps, and the share of the cores' peak that is.

use std::cell::RefCell;

use selfplay_env::Rules;
use selfplay_network::DeviceKind;
use selfplay_train::{Learner, LearnerConfig, LearnerError, TrainingBatch};

use super::measure::{Bench, Report, network_of, positions};
use crate::error::CliError;

const SECTION: &str = "train";
const BATCH: usize = 256;
/// A backward pass costs two forward passes: gradients of the inputs and of the weights.
const PASSES: f64 = 3.0;

/// Measures steps of the default learner with batches of 256.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let game = bench.game("pentago-swap");
    let device = DeviceKind::Flex.open()?;
    let network = network_of(game, &device)?;
    let mut learner = Learner::new(&network, LearnerConfig::default(), &device)?;
    let batch = training_batch(game, BATCH);
    learner.step(&batch)?;
    let learner = RefCell::new(learner);
    let failure = RefCell::new(None);
    let medians = bench.medians(&mut [
        Box::new(|| bench.peak()),
        Box::new(|| bench.rate(|| step(&mut learner.borrow_mut(), &batch, &mut failure.borrow_mut()))),
    ]);
    if let Some(error) = failure.into_inner() {
        return Err(error.into());
    }
    let (peak, positions) = (medians[0], medians[1] * BATCH as f64);
    let operations = PASSES * network.config().flops_per_position(network.shape()) as f64;
    report.row(SECTION, "6×6, batch 256", positions, "positions/s");
    report.row(SECTION, "6×6, batch 256", positions * operations / 1e9, "GFLOP/s");
    report.ratio("train_peak", positions * operations / peak);
    Ok(())
}

/// One step on the program's threads; returns 1 unless it fails.
fn step(learner: &mut Learner, batch: &TrainingBatch, failure: &mut Option<LearnerError>) -> u64 {
    match learner.step(batch) {
        Ok(_) => 1,
        Err(error) => {
            *failure = Some(error);
            0
        }
    }
}

/// Positions of random games with even targets.
fn training_batch(rules: &dyn Rules, rows: usize) -> TrainingBatch {
    let shape = rules.shape();
    let mut batch = TrainingBatch { rows, ..TrainingBatch::default() };
    for leaf in positions(rules, rows) {
        let start = batch.planes.len();
        batch.planes.resize(start + shape.encoded_len(), 0.0);
        leaf.position.encode(&mut batch.planes[start..]);
        let mut candidates = vec![0.0; shape.action_count];
        for action in &leaf.actions {
            candidates[action.index()] = 1.0;
        }
        batch.policy.extend(candidates.iter().map(|candidate| candidate / leaf.actions.len() as f32));
        batch.candidates.extend(candidates);
        batch.wdl.extend([0.5, 0.25, 0.25]);
    }
    batch
}
