//! One training step after another: forward, loss, backward, update, average; and all of it to disk and back.

use std::path::Path;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::GameShape;
use selfplay_kernels::packed::panel_width;
use selfplay_network::checkpoint::{self, TrainingState};
use selfplay_network::training::{LearnerConfig, LearnerError, LossTerm, StepReport, TrainingBatch};
use selfplay_network::{BatchLosses, Learner, Manifest, Provenance};

use crate::loss::{BatchTensors, Loss, planes_on};
use crate::model::PolicyValueNetwork;
use crate::optimizer::{Optimizer, Update};
use crate::tower::Tower;

/// Outputs in a panel of the kernels where the CPU has vectors, at least.
const LEAST_PANEL: usize = 8;

/// A network in training, with the running average of its weights that plays.
#[derive(Clone, Debug)]
pub struct BurnLearner {
    config: LearnerConfig,
    device: Device,
    /// Weights being trained and the running statistics of its norms, without autodiff between steps.
    network: PolicyValueNetwork,
    /// Exponential moving average of `network`, running statistics included, `[weight_count]`.
    average: Vec<f32>,
    optimizer: Optimizer,
    /// 1 where weight decay applies, `[weight_count]`.
    decay_mask: Vec<f32>,
    step: u64,
    /// How often the learning rate has fallen, for a schedule that waits for plateaus.
    rate_drops: u32,
    /// Computes the tower where the device is the CPU; made by the first step.
    tower: Option<Box<Tower>>,
}

impl BurnLearner {
    /// Starts training `network` on `device`.
    ///
    /// # Errors
    /// [`LearnerError::InvalidKey`].
    pub fn new(network: &PolicyValueNetwork, config: LearnerConfig, device: &Device) -> Result<Self, LearnerError> {
        config.validate()?;
        let device = device.clone().without_autodiff();
        let network = network.valid().to_device(&device);
        let average = numbers(network.to_vector());
        let optimizer = Optimizer::new(config.optimizer, average.len());
        Ok(BurnLearner {
            decay_mask: numbers(network.decay_mask()),
            config,
            device,
            network,
            average,
            optimizer,
            step: 0,
            rate_drops: 0,
            tower: None,
        })
    }

    /// The CPU's own passes for batches of `rows` positions; none on other devices, which Burn makes the best of.
    fn tower_for(&mut self, rows: usize) -> Option<Box<Tower>> {
        // Without vectors the kernels are no faster than Burn, and their panels too narrow for odd channels.
        if self.device != Device::flex() || panel_width() < LEAST_PANEL {
            return None;
        }
        let tower = self.tower.take().filter(|tower| tower.rows() == rows);
        Some(tower.unwrap_or_else(|| Box::new(Tower::new(&self.network, rows))))
    }

    /// Mixes the newest weights into the average. The decay rises with the number of steps as in TensorFlow's
    /// `ExponentialMovingAverage` with `num_updates`.
    fn average_in(&mut self, weights: &[f32]) {
        let step = self.step as f64;
        let decay = self.config.ema_decay.min((1.0 + step) / (10.0 + step));
        let (old_share, new_share) = (decay as f32, (1.0 - decay) as f32);
        for (average, weight) in self.average.iter_mut().zip(weights) {
            *average = *average * old_share + weight * new_share;
        }
    }

    fn finite(&self, term: LossTerm, value: f64) -> Result<f64, LearnerError> {
        if value.is_finite() { Ok(value) } else { Err(LearnerError::NotFinite { step: self.step, term, value }) }
    }

    /// The network to play with: averaged weights and running statistics, independent of further training.
    pub fn play_network(&self) -> PolicyValueNetwork {
        with_numbers(&self.network, self.average.clone(), &self.device)
    }

    /// The network as the last step left it.
    pub fn training_network(&self) -> &PolicyValueNetwork {
        &self.network
    }

    /// The learner for the game of `shape` that was saved to `folder`; it goes on bit for bit as the saved one would.
    ///
    /// # Errors
    /// [`LearnerError::InvalidKey`]; [`LearnerError::OptimizerState`] if the config names another optimizer than
    /// the saved one; those of [`checkpoint::load_training_state`].
    pub fn restore(
        folder: &Path,
        shape: GameShape,
        config: LearnerConfig,
        device: &Device,
    ) -> Result<(Self, Manifest), LearnerError> {
        config.validate()?;
        let device = device.clone().without_autodiff();
        let (training, manifest) = checkpoint::load_training_state(folder, shape)?;
        let (played, _) = checkpoint::load_weights(folder, shape)?;
        let average = numbers(PolicyValueNetwork::of_weights(&played, &device).to_vector());
        let network = PolicyValueNetwork::of_weights(&training.weights, &device);
        let optimizer = Optimizer::from_named_tensors(config.optimizer, &training.optimizer, average.len())?;
        let learner = BurnLearner {
            decay_mask: numbers(network.decay_mask()),
            network,
            step: manifest.provenance.step,
            config,
            device,
            average,
            optimizer,
            rate_drops: 0,
            tower: None,
        };
        Ok((learner, manifest))
    }
}

impl Learner for BurnLearner {
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
        let shape = *self.network.shape();
        batch.validate(&shape, self.network.config().auxiliary)?;
        let tensors = BatchTensors::new(batch, &self.network, &self.device);

        // A copy: the forward pass below changes its running statistics, and may fail.
        let network = self.network.clone().train();
        let mut tower = self.tower_for(batch.rows);
        let features = match &mut tower {
            Some(tower) => tower.forward(&network, &batch.planes),
            None => network.features(planes_on(batch, &shape, &self.device).autodiff()),
        };
        let (output, auxiliary) = network.judge(&features);
        let loss = Loss::new(output, auxiliary, &tensors);
        let losses = loss.try_map(|term, part| self.finite(term, scalar(part)))?;

        let total = loss.total(&self.config, |total, part, weight| total + part.mul_scalar(weight));
        let mut gradients = total.backward();
        if let Some(tower) = &mut tower {
            tower.backward(&network, &features, &mut gradients);
        }
        self.tower = tower;
        let gradient = numbers(network.gradient_vector(&gradients));
        let gradient_norm = self.finite(LossTerm::Gradient, norm(&gradient))?;
        let clip = (self.config.gradient_clip_norm / gradient_norm).min(1.0);

        let learning_rate = self.config.learning_rate
            * self.config.schedule.factor(self.step, self.config.warmup_steps, self.rate_drops);
        let mut weights = numbers(network.to_vector());
        let update = Update { gradient: &gradient, clip, decay_mask: &self.decay_mask, learning_rate, step: self.step };
        self.optimizer.update(&mut weights, &self.config, update);
        self.step += 1;
        self.average_in(&weights);
        self.network = with_numbers(&network, weights, &self.device);
        Ok(StepReport {
            step: self.step,
            policy_loss: losses.policy,
            value_loss: losses.value,
            value_ignorance: batch.value_ignorance(),
            next_action_loss: losses.next_action.unwrap_or(0.0),
            moves_left_loss: losses.moves_left.unwrap_or(0.0),
            final_state_loss: losses.final_state.unwrap_or(0.0),
            total_loss: losses.total(&self.config, |total, part, weight| total + weight * part),
            gradient_norm,
            learning_rate,
        })
    }

    fn losses_on(&self, batch: &TrainingBatch) -> Result<BatchLosses, LearnerError> {
        batch.validate(self.network.shape(), self.network.config().auxiliary)?;
        let network = self.play_network();
        let tensors = BatchTensors::new(batch, &network, &self.device);
        let features = network.features(planes_on(batch, network.shape(), &self.device));
        let (output, auxiliary) = network.judge(&features);
        let loss = Loss::new(output, auxiliary, &tensors);
        Ok(BatchLosses {
            policy_loss: self.finite(LossTerm::Policy, scalar(&loss.policy))?,
            value_loss: self.finite(LossTerm::Value, scalar(&loss.value))?,
        })
    }

    fn save(&self, folder: &Path, provenance: &Provenance) -> Result<Manifest, LearnerError> {
        let training = TrainingState { weights: self.network.weights(), optimizer: self.optimizer.to_named_tensors() };
        let provenance = Provenance { step: self.step, ..provenance.clone() };
        Ok(checkpoint::save(folder, &self.play_network().weights(), Some(&training), &provenance)?)
    }
}

fn scalar(tensor: &Tensor<1>) -> f64 {
    f64::from(tensor.clone().into_scalar::<f32>())
}

/// Euclidean norm, summed one after the other: the same with any number of threads.
fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
}

/// A network's vector on the host.
fn numbers(vector: Tensor<1>) -> Vec<f32> {
    vector.into_data().try_into_vec().expect("networks compute in f32")
}

/// The network of the same make with other numbers.
fn with_numbers(network: &PolicyValueNetwork, numbers: Vec<f32>, device: &Device) -> PolicyValueNetwork {
    let len = numbers.len();
    network.with_vector(Tensor::from_data(TensorData::new(numbers, [len]), device))
}
