//! What computes networks: it opens them to play and trains them.

use std::path::Path;

use selfplay_env::{GameShape, Rules};
use selfplay_mcts::Network;

use crate::device::{DeviceError, DeviceKind};
use crate::fused::{FusedEvaluator, Precision};
use crate::manifest::{Manifest, Provenance};
use crate::training::{LearnerConfig, LearnerError, StepReport, TrainingBatch};
use crate::weights::NetworkWeights;

/// Losses on positions without learning from them, means in nats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BatchLosses {
    /// Cross-entropy between target and predicted policy over the moves that a search looks at.
    pub policy_loss: f64,
    /// Cross-entropy between target and predicted win, draw and loss.
    pub value_loss: f64,
}

/// A network in training, with the running average of its weights that plays.
pub trait Learner {
    /// The configuration.
    fn config(&self) -> &LearnerConfig;

    /// Steps taken.
    fn steps(&self) -> u64;

    /// Sets how often the learning rate has fallen so far, for a schedule that waits for plateaus.
    fn set_rate_drops(&mut self, drops: u32);

    /// Learns from one batch.
    ///
    /// # Errors
    /// [`LearnerError::Batch`] if the batch does not fit the network; [`LearnerError::NotFinite`] if a loss or the gradient
    /// is infinite or not a number. The learner is then as before the call.
    fn step(&mut self, batch: &TrainingBatch) -> Result<StepReport, LearnerError>;

    /// How well the network that plays does on positions, without learning from them.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    fn losses_on(&self, batch: &TrainingBatch) -> Result<BatchLosses, LearnerError>;

    /// Writes everything to the new checkpoint `folder`; `provenance.step` is replaced by the learner's.
    ///
    /// # Errors
    /// Those of [`checkpoint::save`](crate::checkpoint::save).
    fn save(&self, folder: &Path, provenance: &Provenance) -> Result<Manifest, LearnerError>;
}

/// What computes networks. Programs that train use `selfplay-learner`'s; [`CpuBackend`] needs no tensor library and only
/// plays.
pub trait Backend: Sync {
    /// Whether the device can be used.
    ///
    /// # Errors
    /// [`DeviceError::NotCompiled`] if this build lacks it.
    fn check(&self, device: DeviceKind) -> Result<(), DeviceError>;

    /// An evaluator with `weights`, made for the game of `rules`, on a device; only the CPU has a choice of precision.
    ///
    /// # Errors
    /// If the device cannot be opened, or the network returns values that are not finite.
    ///
    /// # Panics
    /// If the network was made for another game.
    fn evaluator(
        &self,
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Box<dyn Network>, LearnerError>;

    /// A learner that starts from `weights`.
    ///
    /// # Errors
    /// [`LearnerError::InvalidKey`], [`LearnerError::NoTraining`], or if the device cannot be opened.
    fn learner(
        &self,
        weights: &NetworkWeights,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError>;

    /// The learner for the game of `shape` that was saved to `folder`; it continues bit for bit as the saved one would.
    ///
    /// # Errors
    /// Those of [`learner`](Self::learner), and if the checkpoint cannot be read or holds the state of another optimizer.
    fn restore(
        &self,
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        device: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError>;
}

/// Plays on the CPU, by fused inference; cannot train.
#[derive(Clone, Copy, Debug)]
pub struct CpuBackend;

impl Backend for CpuBackend {
    fn check(&self, device: DeviceKind) -> Result<(), DeviceError> {
        device.check_cpu()
    }

    fn evaluator(
        &self,
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Box<dyn Network>, LearnerError> {
        assert_eq!(weights.shape().game, rules.id(), "the network plays another game");
        self.check(device)?;
        Ok(Box::new(FusedEvaluator::checked(rules, weights, precision)?))
    }

    fn learner(&self, _: &NetworkWeights, _: LearnerConfig, _: DeviceKind) -> Result<Box<dyn Learner>, LearnerError> {
        Err(LearnerError::NoTraining)
    }

    fn restore(
        &self,
        _: &Path,
        _: GameShape,
        _: LearnerConfig,
        _: DeviceKind,
    ) -> Result<Box<dyn Learner>, LearnerError> {
        Err(LearnerError::NoTraining)
    }
}
