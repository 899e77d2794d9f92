//! The CPU as the backend of a program that trains.

use std::path::Path;

use selfplay_env::{GameShape, Rules};
use selfplay_mcts::Network;
use selfplay_network::training::{LearnerConfig, LearnerError};
use selfplay_network::{Backend, CpuBackend, DeviceError, DeviceKind, Learner, NetworkWeights, Precision};

use crate::cpu::CpuGradients;
use crate::learner::NetworkLearner;

/// Plays and trains on the CPU; plays as [`CpuBackend`] does.
#[derive(Clone, Copy, Debug)]
pub struct TrainingBackend;

impl Backend for TrainingBackend {
    fn check(&self, device: DeviceKind) -> Result<(), DeviceError> {
        CpuBackend.check(device)
    }

    fn evaluator(
        &self,
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Box<dyn Network>, LearnerError> {
        CpuBackend.evaluator(rules, weights, device, precision)
    }

    fn learner(
        &self,
        weights: &NetworkWeights,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        self.check(device)?;
        Ok(Box::new(NetworkLearner::new(weights, config, Box::new(CpuGradients::new(weights)))?))
    }

    fn restore(
        &self,
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        self.check(device)?;
        let computer =
            |weights: &NetworkWeights| -> Box<dyn crate::GradientComputer> { Box::new(CpuGradients::new(weights)) };
        Ok(Box::new(NetworkLearner::restore(folder, shape, config, computer)?.0))
    }
}
