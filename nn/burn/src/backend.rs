//! Burn as the backend of a program that trains.

use std::path::Path;

use selfplay_env::{GameShape, Rules};
use selfplay_learner::{GradientComputer, NetworkLearner, TrainingBackend};
use selfplay_mcts::Network;
use selfplay_network::training::{LearnerConfig, LearnerError};
use selfplay_network::{Backend, DeviceError, DeviceKind, Learner, NetworkWeights, Precision};

use crate::device::open;
use crate::evaluator::BurnEvaluator;
use crate::gradients::BurnGradients;
use crate::model::PolicyValueNetwork;

/// Plays and trains on every device: on the CPU as [`TrainingBackend`], on the others by Burn.
///
/// On a GPU Burn wants batches as large as memory allows: many games in flight for each worker.
#[derive(Clone, Copy, Debug)]
pub struct BurnBackend;

impl Backend for BurnBackend {
    fn check(&self, device: DeviceKind) -> Result<(), DeviceError> {
        open(device).map(drop)
    }

    fn evaluator(
        &self,
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Box<dyn Network>, LearnerError> {
        if device == DeviceKind::Cpu {
            return TrainingBackend.evaluator(rules, weights, device, precision);
        }
        assert_eq!(weights.shape().game, rules.id(), "the network plays another game");
        let device = open(device)?;
        Ok(Box::new(BurnEvaluator::new(&PolicyValueNetwork::from_weights(weights, &device), &device)))
    }

    fn learner(
        &self,
        weights: &NetworkWeights,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        if device == DeviceKind::Cpu {
            return TrainingBackend.learner(weights, config, device);
        }
        let computer = BurnGradients::new(weights, &open(device)?);
        Ok(Box::new(NetworkLearner::new(weights, config, Box::new(computer))?))
    }

    fn restore(
        &self,
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        if device == DeviceKind::Cpu {
            return TrainingBackend.restore(folder, shape, config, device);
        }
        let device = open(device)?;
        let computer =
            |weights: &NetworkWeights| -> Box<dyn GradientComputer> { Box::new(BurnGradients::new(weights, &device)) };
        Ok(Box::new(NetworkLearner::restore(folder, shape, config, computer)?.0))
    }
}
