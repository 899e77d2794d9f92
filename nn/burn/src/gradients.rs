//! Losses and gradients by Burn's autodiff, on any device.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_learner::{BatchGradient, GradientComputer};
use selfplay_network::training::{LearnerConfig, TrainingBatch};
use selfplay_network::{BatchLosses, NetworkWeights};

use crate::loss::{BatchTensors, loss, planes_on};
use crate::model::PolicyValueNetwork;

/// Computes losses and gradients on a device of Burn.
#[derive(Clone, Debug)]
pub struct BurnGradients {
    /// A network of the make.
    make: PolicyValueNetwork,
    device: Device,
}

impl BurnGradients {
    /// For networks of the make of `make`, on `device`.
    pub fn new(make: &NetworkWeights, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        BurnGradients { make: PolicyValueNetwork::from_weights(make, &device), device }
    }

    /// The network of the make with these numbers, without autodiff.
    fn network(&self, weights: &[f32]) -> PolicyValueNetwork {
        self.make.with_vector(Tensor::from_data(TensorData::new(weights.to_vec(), [weights.len()]), &self.device))
    }
}

impl GradientComputer for BurnGradients {
    fn gradient(&mut self, weights: &mut [f32], batch: &TrainingBatch, config: &LearnerConfig) -> BatchGradient {
        let network = self.network(weights).train();
        let tensors = BatchTensors::new(batch, &network, &self.device);
        let features = network.features(planes_on(batch, network.shape(), &self.device).autodiff());
        let (output, auxiliary) = network.judge(&features);
        let loss = loss(output, auxiliary, &tensors);
        let losses = loss.clone().map(|part| scalar(&part));
        let gradients = loss.total(config, |total, part, weight| total + part.mul_scalar(weight)).backward();
        // With the running statistics after the forward pass.
        weights.copy_from_slice(&numbers(network.to_vector()));
        BatchGradient { loss: losses, gradient: numbers(network.gradient_vector(&gradients)) }
    }

    fn losses(&self, weights: &[f32], batch: &TrainingBatch) -> BatchLosses {
        let network = self.network(weights);
        let tensors = BatchTensors::new(batch, &network, &self.device);
        let features = network.features(planes_on(batch, network.shape(), &self.device));
        let (output, auxiliary) = network.judge(&features);
        let loss = loss(output, auxiliary, &tensors);
        BatchLosses { policy_loss: scalar(&loss.policy), value_loss: scalar(&loss.value) }
    }
}

fn scalar(tensor: &Tensor<1>) -> f64 {
    f64::from(tensor.clone().into_scalar::<f32>())
}

/// A network's vector on the host.
fn numbers(vector: Tensor<1>) -> Vec<f32> {
    vector.into_data().try_into_vec().expect("networks compute in f32")
}
