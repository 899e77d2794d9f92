//! Training steps, and the share of the cores' peak that is.

use std::cell::RefCell;

use selfplay_env::Rules;
use selfplay_env::rng::rng_for;
use selfplay_learner::{CpuGradients, NetworkLearner};
use selfplay_mcts::SearchConfig;
use selfplay_network::training::{LearnerConfig, LearnerError, TrainingBatch};
use selfplay_network::{AuxiliaryConfig, Learner, NetworkConfig, NetworkWeights};
use selfplay_train::{GameEnd, GameRecord, PlyRecord, ReplayBuffer, ReplayConfig, SearchTarget, sample_batch};

use super::measure::{Bench, Rate, Report};
use crate::error::CliError;

const SECTION: &str = "train";
/// A backward pass costs two forward passes: gradients of the inputs and of the weights.
const PASSES: f64 = 3.0;
const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true };

/// Measures steps of the default learner with batches of 256, without auxiliary heads and with all, and what it takes to
/// make such a batch.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    let game = bench.game("pentago-swap");
    let (config, buffer) = (LearnerConfig::default(), random_games(game));
    let mut learners = Vec::new();
    for auxiliary in [AuxiliaryConfig::default(), ALL_HEADS] {
        let make = NetworkConfig { auxiliary, ..NetworkConfig::default() };
        let network = NetworkWeights::fresh(game.shape(), make, 1)?;
        let mut learner = NetworkLearner::new(&network, config.clone(), Box::new(CpuGradients::new(&network)))?;
        let batch = sample_batch(game, &buffer, &config, auxiliary, &SearchConfig::default(), 1)?;
        learner.step(&batch)?;
        learners.push((learner, batch));
    }
    let failure = RefCell::new(None);
    let mut rates: Vec<Rate<'_>> = vec![
        Box::new(|| bench.peak()),
        Box::new(|| {
            let sampled = || sample_batch(game, &buffer, &config, ALL_HEADS, &SearchConfig::default(), 1);
            bench.rate(|| sampled().map_or(0, |batch| batch.rows as u64))
        }),
    ];
    for (learner, batch) in &mut learners {
        let (failure, rows) = (&failure, batch.rows as u64);
        rates.push(Box::new(move || bench.rate(|| rows * step(learner, batch, &mut failure.borrow_mut()))));
    }
    let medians = bench.medians(&mut rates);
    drop(rates);
    if let Some(error) = failure.into_inner() {
        return Err(error.into());
    }
    let (peak, sampled, plain, with_heads) = (medians[0], medians[1], medians[2], medians[3]);
    let operations = PASSES * NetworkConfig::default().flops_per_position(&game.shape()) as f64;
    report.row(SECTION, "6×6, batch 256", plain, "positions/s");
    report.row(SECTION, "6×6, batch 256", plain * operations / 1e9, "GFLOP/s");
    report.row(SECTION, "6×6, batch 256, all auxiliary heads", with_heads, "positions/s");
    report.row(SECTION, "6×6, sampled and encoded with all targets", sampled, "positions/s");
    report.ratio("train_peak", plain * operations / peak);
    Ok(())
}

/// One step on the program's threads; returns 1 unless it fails.
fn step(learner: &mut NetworkLearner, batch: &TrainingBatch, failure: &mut Option<LearnerError>) -> u64 {
    match learner.step(batch) {
        Ok(_) => 1,
        Err(error) => {
            *failure = Some(error);
            0
        }
    }
}

/// Records of random games, each move of which has a target.
fn random_games(rules: &dyn Rules) -> ReplayBuffer {
    let mut buffer = ReplayBuffer::new();
    for game_number in 0..50 {
        let mut position = rules.initial();
        let actions = position.play_random(500, &mut rng_for(&[u64::from(game_number)]));
        let plies = actions.iter().map(|action| PlyRecord {
            action: action.0,
            target: Some(SearchTarget {
                policy: vec![(action.0, 1)],
                win: 0.5,
                loss: 0.5,
                proven: None,
                surprise: 0.0,
            }),
        });
        let end = position.outcome().map_or(GameEnd::CAPPED, GameEnd::by_rules);
        let record = GameRecord { plies: plies.collect(), end, ..GameRecord::new(game_number) };
        buffer.extend([record], &ReplayConfig::default());
    }
    buffer
}
