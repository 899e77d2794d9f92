//! One training step after another: loss, gradient, update, average; and all of it to disk and back.

use std::fmt;
use std::path::Path;

use selfplay_env::GameShape;
use selfplay_network::checkpoint::{self, TrainingState};
use selfplay_network::training::{LearnerConfig, LearnerError, LossTerm, StepReport, TrainingBatch};
use selfplay_network::{BatchLosses, Learner, Manifest, NetworkWeights, Provenance};

use crate::gradient::{BatchGradient, GradientComputer};
use crate::optimizer::{Optimizer, Update};
use crate::weight_layout::WeightLayout;

/// A network in training, with the running average of its weights that plays.
pub struct NetworkLearner {
    config: LearnerConfig,
    /// The network as it began: its make.
    start: NetworkWeights,
    layout: WeightLayout,
    /// Weights in training and the running statistics of the norms, `[weight_count]`.
    weights: Vec<f32>,
    /// Exponential moving average of `weights`, running statistics included, `[weight_count]`.
    average: Vec<f32>,
    optimizer: Optimizer,
    step: u64,
    /// How often the learning rate has fallen, for a schedule that waits for plateaus.
    rate_drops: u32,
    computer: Box<dyn GradientComputer>,
}

impl NetworkLearner {
    /// Starts training from `weights`; `computer` was made for networks like it.
    ///
    /// # Errors
    /// [`LearnerError::InvalidKey`].
    pub fn new(
        weights: &NetworkWeights,
        config: LearnerConfig,
        computer: Box<dyn GradientComputer>,
    ) -> Result<Self, LearnerError> {
        config.validate()?;
        let vector = weights.to_vector();
        Ok(NetworkLearner {
            optimizer: Optimizer::new(config.optimizer, vector.len()),
            config,
            start: weights.clone(),
            layout: WeightLayout::new(weights.plan()),
            average: vector.clone(),
            weights: vector,
            step: 0,
            rate_drops: 0,
            computer,
        })
    }

    /// Loads the learner for the game of `shape` from `folder`. It continues bit for bit as the saved one would.
    /// `computer` creates the gradient computer for networks like the saved one.
    ///
    /// # Errors
    /// [`LearnerError::InvalidKey`]; [`LearnerError::OptimizerState`] if the config names another optimizer than
    /// the saved one; those of [`checkpoint::load_training_state`].
    pub fn restore(
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        computer: impl FnOnce(&NetworkWeights) -> Box<dyn GradientComputer>,
    ) -> Result<(Self, Manifest), LearnerError> {
        config.validate()?;
        let (training, manifest) = checkpoint::load_training_state(folder, shape)?;
        let (played, _) = checkpoint::load_weights(folder, shape)?;
        let weights = training.weights.to_vector();
        let learner = NetworkLearner {
            optimizer: Optimizer::from_named_tensors(config.optimizer, &training.optimizer, weights.len())?,
            config,
            layout: WeightLayout::new(training.weights.plan()),
            weights,
            average: played.to_vector(),
            step: manifest.provenance.step,
            rate_drops: 0,
            computer: computer(&training.weights),
            start: training.weights,
        };
        Ok((learner, manifest))
    }

    /// The weights to play with: averaged, running statistics too.
    pub fn play_weights(&self) -> NetworkWeights {
        self.start.with_vector(&self.average)
    }

    /// The weights as the last step left them.
    pub fn training_weights(&self) -> NetworkWeights {
        self.start.with_vector(&self.weights)
    }

    /// Mixes the newest weights into the average. The decay rises with the number of steps as in TensorFlow's
    /// `ExponentialMovingAverage` with `num_updates`.
    fn update_average(&mut self) {
        let step = self.step as f64;
        let decay = self.config.ema_decay.min((1.0 + step) / (10.0 + step));
        let (old_share, new_share) = (decay as f32, (1.0 - decay) as f32);
        for (average, weight) in self.average.iter_mut().zip(&self.weights) {
            *average = *average * old_share + weight * new_share;
        }
    }

    fn not_finite(&self, (term, value): (LossTerm, f64)) -> LearnerError {
        LearnerError::NotFinite { step: self.step, term, value }
    }
}

impl Learner for NetworkLearner {
    fn config(&self) -> &LearnerConfig {
        &self.config
    }

    fn steps(&self) -> u64 {
        self.step
    }

    fn set_rate_drops(&mut self, drops: u32) {
        self.rate_drops = drops;
    }

    fn step(&mut self, batch: &TrainingBatch) -> Result<StepReport, LearnerError> {
        batch.validate(self.start.shape(), self.start.config().auxiliary)?;
        // A copy: the running statistics change, and the step may fail.
        let mut weights = self.weights.clone();
        let BatchGradient { loss, gradient } = self.computer.gradient(&mut weights, batch, &self.config);
        let gradient_norm = norm(&gradient);
        let of_gradient = (!gradient_norm.is_finite()).then_some((LossTerm::Gradient, gradient_norm));
        if let Some(found) = loss.not_finite().or(of_gradient) {
            return Err(self.not_finite(found));
        }
        let learning_rate = self.config.learning_rate
            * self.config.schedule.factor(self.step, self.config.warmup_steps, self.rate_drops);
        let update = Update {
            gradient: &gradient,
            clip: (self.config.max_grad_norm / gradient_norm).min(1.0),
            decay_mask: self.layout.decay_mask(),
            learning_rate,
            step: self.step,
        };
        self.optimizer.update(&mut weights, &self.config, update);
        self.weights = weights;
        self.step += 1;
        self.update_average();
        Ok(StepReport {
            step: self.step,
            policy_loss: loss.policy,
            value_loss: loss.value,
            value_baseline_loss: batch.value_baseline_loss(),
            opponent_policy_loss: loss.opponent_policy.unwrap_or(0.0),
            moves_left_loss: loss.moves_left.unwrap_or(0.0),
            final_state_loss: loss.final_state.unwrap_or(0.0),
            total_loss: loss.total(&self.config, |total, part, weight| total + weight * part),
            gradient_norm,
            learning_rate,
        })
    }

    fn losses_on(&self, batch: &TrainingBatch) -> Result<BatchLosses, LearnerError> {
        batch.validate(self.start.shape(), self.start.config().auxiliary)?;
        let losses = self.computer.losses(&self.average, batch);
        let parts = [(LossTerm::Policy, losses.policy_loss), (LossTerm::Value, losses.value_loss)];
        match parts.into_iter().find(|(_, loss)| !loss.is_finite()) {
            Some(found) => Err(self.not_finite(found)),
            None => Ok(losses),
        }
    }

    fn save(&self, folder: &Path, provenance: &Provenance) -> Result<Manifest, LearnerError> {
        let training = TrainingState { weights: self.training_weights(), optimizer: self.optimizer.to_named_tensors() };
        let provenance = Provenance { step: self.step, ..provenance.clone() };
        Ok(checkpoint::save(folder, &self.play_weights(), Some(&training), &provenance)?)
    }
}

impl fmt::Debug for NetworkLearner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("NetworkLearner");
        debug.field("config", &self.config).field("step", &self.step).finish_non_exhaustive()
    }
}

/// Euclidean norm, summed one after the other: the same with any number of threads.
fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
}
