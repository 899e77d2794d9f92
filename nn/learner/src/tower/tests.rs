//! The passes against Burn's own autodiff over the same network.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{FinalState, GameShape, PolicyShape};
use selfplay_network::{AuxiliaryConfig, NetworkConfig};

use super::Tower;
use crate::auxiliary::{AuxiliaryOutput, FinalStateOutput};
use crate::model::{NetworkOutput, PolicyValueNetwork};

struct Case {
    height: usize,
    width: usize,
    planes: usize,
    channels: usize,
    blocks: usize,
    pooled: bool,
    rows: usize,
    /// What the head for the final state foresees; without one there are no auxiliary heads.
    final_state: FinalState,
}

impl Case {
    fn network(&self) -> PolicyValueNetwork {
        let shape = GameShape {
            game: "test",
            encoding_version: 1,
            planes: self.planes,
            height: self.height,
            width: self.width,
            policy: PolicyShape::Planes(2),
            action_count: 2 * self.height * self.width,
            final_state: self.final_state,
        };
        let all = self.final_state != FinalState::None;
        let config = NetworkConfig {
            channels: self.channels,
            blocks: self.blocks,
            policy_channels: 3,
            value_channels: 2,
            value_hidden: 5,
            global_pooling: self.pooled,
            auxiliary: AuxiliaryConfig { next_action: all, moves_left: all, final_state: all },
        };
        let network = PolicyValueNetwork::new(shape, config, 3, &Device::flex()).unwrap();
        // Norms that are not the identity, biases that are not zero.
        let mut rng = rng_for(&[8]);
        let mut moved = |(number, decays): (f32, f32)| number + (1.0 - decays) * 0.2 * (rng.random::<f32>() - 0.4);
        let numbers = numbers(network.to_vector()).into_iter().zip(numbers(network.decay_mask()));
        let numbers: Vec<f32> = numbers.map(&mut moved).collect();
        let len = numbers.len();
        network.with_vector(Tensor::from_data(TensorData::new(numbers, [len]), &Device::flex()))
    }

    fn planes(&self) -> Vec<f32> {
        let mut rng = rng_for(&[9]);
        let len = self.rows * self.planes * self.height * self.width;
        (0..len).map(|_| rng.random::<f32>() - 0.3).collect()
    }
}

fn numbers(vector: Tensor<1>) -> Vec<f32> {
    vector.into_data().try_into_vec().unwrap()
}

/// A number that depends on every logit, each in its own way.
fn loss((output, auxiliary): (NetworkOutput, AuxiliaryOutput)) -> Tensor<1> {
    let weighted = |logits: Tensor<2>| {
        let dims = logits.dims();
        let mut rng = rng_for(&[dims[1] as u64]);
        let weights: Vec<f32> = (0..dims[0] * dims[1]).map(|_| rng.random::<f32>()).collect();
        let weights = Tensor::<2>::from_data(TensorData::new(weights, dims), &Device::flex());
        (logits.clone() * weights + logits.square()).sum()
    };
    let final_state = auxiliary.final_state.map(|found| match found {
        FinalStateOutput::Cells(logits) => logits.flatten(1, 2),
        FinalStateOutput::Margin(margin) => margin,
    });
    let auxiliary = [auxiliary.next_action_logits, auxiliary.moves_left, final_state].into_iter().flatten();
    auxiliary.map(weighted).fold(weighted(output.policy_logits) + weighted(output.wdl_logits), |sum, part| sum + part)
}

/// Loss, gradient and the numbers after the step's forward pass: with Burn alone, and with the tower.
fn passes(case: &Case, with_tower: bool) -> (f32, Vec<f32>, Vec<f32>) {
    let network = case.network().train();
    let planes = case.planes();
    let (loss, gradient) = if with_tower {
        let mut tower = Tower::new(&network, case.rows);
        // Memory of another batch does no harm.
        let other: Vec<f32> = planes.iter().map(|number| 1.0 - number).collect();
        let discarded = case.network().train();
        let features = tower.forward(&discarded, &other);
        let mut gradients = loss(discarded.judge(&features)).backward();
        tower.backward(&discarded, &features, &mut gradients);

        let features = tower.forward(&network, &planes);
        let loss = loss(network.judge(&features));
        let mut gradients = loss.backward();
        tower.backward(&network, &features, &mut gradients);
        (loss, network.gradient_vector(&gradients))
    } else {
        let dims = [case.rows, case.planes, case.height, case.width];
        let planes = Tensor::<4>::from_data(TensorData::new(planes, dims), &Device::flex());
        let loss = loss(network.judge(&network.features(planes.autodiff())));
        let gradients = loss.backward();
        (loss, network.gradient_vector(&gradients))
    };
    (loss.into_scalar(), numbers(gradient), numbers(network.to_vector()))
}

fn compare(case: &Case) {
    let (expected_loss, expected_gradient, expected_numbers) = passes(case, false);
    let (found_loss, found_gradient, found_numbers) = passes(case, true);
    assert!((found_loss - expected_loss).abs() < 1e-4 * expected_loss.abs(), "{found_loss} for {expected_loss}");
    let norm = |numbers: &[f32]| numbers.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let distance = |a: &[f32], b: &[f32]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
    let all = norm(&expected_gradient);
    let mut start = 0;
    for tensor in case.network().weights().tensors() {
        let part = start..start + tensor.values.len();
        start = part.end;
        let (expected, found) = (&expected_gradient[part.clone()], &found_gradient[part.clone()]);
        let error = distance(expected, found);
        // The gradient of what a norm takes away again is rounding noise.
        assert!(error < 1e-3 * norm(expected) + 1e-6 * all, "{}: {error} of {}", tensor.name, norm(expected));
        let (expected, found) = (&expected_numbers[part.clone()], &found_numbers[part]);
        let error = distance(expected, found);
        assert!(error <= 1e-4 * norm(expected), "{} after the pass: {error}", tensor.name);
    }
    assert_eq!(start, expected_gradient.len());
}

#[test]
fn gradients_and_statistics_are_those_of_autodiff() {
    compare(&Case {
        height: 6,
        width: 6,
        planes: 3,
        channels: 64,
        blocks: 2,
        pooled: false,
        rows: 20,
        final_state: FinalState::None,
    });
    compare(&Case {
        height: 6,
        width: 6,
        planes: 3,
        channels: 64,
        blocks: 4,
        pooled: true,
        rows: 33,
        final_state: FinalState::Cells,
    });
    compare(&Case {
        height: 4,
        width: 4,
        planes: 21,
        channels: 33,
        blocks: 1,
        pooled: false,
        rows: 7,
        final_state: FinalState::Margin,
    });
    compare(&Case {
        height: 3,
        width: 5,
        planes: 1,
        channels: 70,
        blocks: 3,
        pooled: true,
        rows: 16,
        final_state: FinalState::None,
    });
    compare(&Case {
        height: 19,
        width: 19,
        planes: 6,
        channels: 5,
        blocks: 2,
        pooled: true,
        rows: 3,
        final_state: FinalState::Cells,
    });
    compare(&Case {
        height: 1,
        width: 1,
        planes: 2,
        channels: 9,
        blocks: 0,
        pooled: false,
        rows: 5,
        final_state: FinalState::Margin,
    });
}
