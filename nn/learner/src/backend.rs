//! Burn as the backend of a program that trains.

use std::path::Path;

use selfplay_env::{GameShape, Rules};
use selfplay_mcts::Network;
use selfplay_network::training::{LearnerConfig, LearnerError};
use selfplay_network::{Backend, CpuBackend, DeviceKind, Learner, NetworkWeights, Precision};

use crate::device::open;
use crate::evaluator::BurnEvaluator;
use crate::learner::BurnLearner;
use crate::model::PolicyValueNetwork;

/// Trains on every device, and plays on any other than the CPU through Burn; on the CPU it plays as [`CpuBackend`].
///
/// On a GPU Burn wants batches as large as memory allows: many games in flight for each worker.
#[derive(Clone, Copy, Debug)]
pub struct BurnBackend;

impl Backend for BurnBackend {
    fn evaluator(
        &self,
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Box<dyn Network>, LearnerError> {
        if device == DeviceKind::Flex {
            return CpuBackend.evaluator(rules, weights, device, precision);
        }
        assert_eq!(weights.shape().game, rules.id(), "the network plays another game");
        let device = open(device)?;
        Ok(Box::new(BurnEvaluator::new(&PolicyValueNetwork::of_weights(weights, &device), &device)))
    }

    fn learner(
        &self,
        weights: &NetworkWeights,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        let device = open(device)?;
        Ok(Box::new(BurnLearner::new(&PolicyValueNetwork::of_weights(weights, &device), config, &device)?))
    }

    fn restore(
        &self,
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        Ok(Box::new(BurnLearner::restore(folder, shape, config, &open(device)?)?.0))
    }
}
