//! Losses and gradients of the CPU's own passes against Burn's autodiff over the same network.

use rayon::ThreadPoolBuilder;
use selfplay_burn::BurnGradients;
use selfplay_burn::device::open;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{FinalState, GameShape, PolicyShape};
use selfplay_learner::{BatchGradient, CpuGradients, GradientComputer, WeightLayout};
use selfplay_network::training::{AuxiliaryBatch, LearnerConfig, TrainingBatch};
use selfplay_network::{AuxiliaryConfig, DeviceKind, NetworkConfig, NetworkWeights};

struct Case {
    height: usize,
    width: usize,
    planes: usize,
    policy: PolicyShape,
    channels: usize,
    blocks: usize,
    pooled: bool,
    rows: usize,
    /// The target of the final-state head; without one there are no auxiliary heads.
    final_state: FinalState,
}

const CASES: [Case; 6] = [
    Case {
        height: 6,
        width: 6,
        planes: 3,
        policy: PolicyShape::Planes(2),
        channels: 64,
        blocks: 2,
        pooled: false,
        rows: 20,
        final_state: FinalState::None,
    },
    Case {
        height: 6,
        width: 6,
        planes: 3,
        policy: PolicyShape::Dense,
        channels: 64,
        blocks: 4,
        pooled: true,
        rows: 33,
        final_state: FinalState::Cells,
    },
    Case {
        height: 4,
        width: 4,
        planes: 21,
        policy: PolicyShape::Dense,
        channels: 33,
        blocks: 1,
        pooled: false,
        rows: 7,
        final_state: FinalState::Margin,
    },
    Case {
        height: 3,
        width: 5,
        planes: 1,
        policy: PolicyShape::Planes(40),
        channels: 70,
        blocks: 3,
        pooled: true,
        rows: 16,
        final_state: FinalState::None,
    },
    Case {
        height: 19,
        width: 19,
        planes: 6,
        policy: PolicyShape::Planes(1),
        channels: 5,
        blocks: 2,
        pooled: true,
        rows: 3,
        final_state: FinalState::Cells,
    },
    Case {
        height: 1,
        width: 1,
        planes: 2,
        policy: PolicyShape::Planes(2),
        channels: 9,
        blocks: 0,
        pooled: false,
        rows: 5,
        final_state: FinalState::Margin,
    },
];

impl Case {
    fn shape(&self) -> GameShape {
        let cells = self.height * self.width;
        GameShape {
            game: "test",
            encoding_version: 1,
            planes: self.planes,
            height: self.height,
            width: self.width,
            policy: self.policy,
            action_count: match self.policy {
                PolicyShape::Planes(planes) => planes * cells,
                PolicyShape::Dense => 2 * cells + 3,
            },
            final_state: self.final_state,
        }
    }

    /// With norms that are not the identity and biases that are not zero.
    fn network(&self) -> NetworkWeights {
        let all = self.final_state != FinalState::None;
        let config = NetworkConfig {
            channels: self.channels,
            blocks: self.blocks,
            policy_channels: 3,
            value_channels: 2,
            value_hidden: 5,
            global_pooling: self.pooled,
            auxiliary: AuxiliaryConfig { opponent_policy: all, moves_left: all, final_state: all },
        };
        let network = NetworkWeights::fresh(self.shape(), config, 3).unwrap();
        let layout = WeightLayout::new(network.plan());
        let mut rng = rng_for(&[8]);
        let mut moved = |(number, decays): (f32, &f32)| number + (1.0 - decays) * 0.2 * (rng.random::<f32>() - 0.4);
        let numbers: Vec<f32> = network.to_vector().into_iter().zip(layout.decay_mask()).map(&mut moved).collect();
        network.with_vector(&numbers)
    }

    /// Random targets; the game of every third row was broken off.
    fn batch(&self, seed: u64) -> TrainingBatch {
        let (shape, rows) = (self.shape(), self.rows);
        let mut rng = rng_for(&[seed]);
        let planes = (0..rows * shape.encoded_len()).map(|_| rng.random::<f32>() - 0.3).collect();
        let mut batch = TrainingBatch { rows, planes, ..TrainingBatch::default() };
        for row in 0..rows {
            let candidates: Vec<f32> =
                (0..shape.action_count).map(|action| f32::from(action == row || rng.random_bool(0.6))).collect();
            let candidates = if candidates.contains(&1.0) { candidates } else { vec![1.0; shape.action_count] };
            batch.policy.extend(shares(candidates.iter().map(|candidate| candidate * rng.random::<f32>())));
            batch.candidates.extend(candidates);
            batch.wdl.extend(shares((0..3).map(|_| rng.random::<f32>())));
            let AuxiliaryBatch { opponent_policy, finished, moves_left, final_state } = &mut batch.auxiliary;
            let answer = rng.random_range(0..shape.action_count);
            opponent_policy.extend((0..shape.action_count).map(|action| f32::from(action == answer && row % 3 > 0)));
            finished.push(f32::from(row % 3 > 0));
            moves_left.push(rng.random_range(0.0..3.0));
            let owners: Vec<usize> = (0..shape.cells()).map(|_| rng.random_range(0..3)).collect();
            let (cells, known) = (shape.cells(), row % 3 > 0);
            match self.final_state {
                FinalState::None => (),
                FinalState::Cells => final_state
                    .extend((0..3 * cells).map(|index| f32::from(known && owners[index % cells] == index / cells))),
                FinalState::Margin => final_state.push(rng.random_range(-1.0..1.0)),
            }
        }
        batch
    }
}

/// Numbers that sum to 1.
fn shares(numbers: impl Iterator<Item = f32>) -> Vec<f32> {
    let numbers: Vec<f32> = numbers.collect();
    let sum: f32 = numbers.iter().sum();
    numbers.into_iter().map(|number| number / sum).collect()
}

/// What a batch says, and the network's vector after it.
fn gradient(case: &Case, computer: &mut dyn GradientComputer) -> (BatchGradient, Vec<f32>) {
    let config = LearnerConfig {
        value_loss_weight: 0.7,
        opponent_policy_weight: 0.9,
        moves_left_weight: 1.3,
        final_state_weight: 0.8,
        ..LearnerConfig::default()
    };
    // Memory of another batch does no harm.
    computer.gradient(&mut case.network().to_vector(), &case.batch(10), &config);
    let mut weights = case.network().to_vector();
    let found = computer.gradient(&mut weights, &case.batch(9), &config);
    (found, weights)
}

fn norm(numbers: &[f32]) -> f64 {
    numbers.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-4 * expected.abs().max(1e-2), "{what}: {found} for {expected}");
}

#[test]
fn losses_gradients_and_statistics_are_those_of_autodiff() {
    for case in &CASES {
        let network = case.network();
        let mut burn = BurnGradients::new(&network, &open(DeviceKind::Flex).unwrap());
        let mut cpu = CpuGradients::new(&network);
        let (expected, expected_numbers) = gradient(case, &mut burn);
        let (found, found_numbers) = gradient(case, &mut cpu);
        let parts = |gradient: &BatchGradient| {
            let loss = gradient.loss;
            [Some(loss.policy), Some(loss.value), loss.opponent_policy, loss.moves_left, loss.final_state]
        };
        for (found, expected) in parts(&found).into_iter().zip(parts(&expected)) {
            assert_eq!(found.is_some(), expected.is_some());
            assert_near(found.unwrap_or_default(), expected.unwrap_or_default(), "loss");
        }
        let (layout, all) = (WeightLayout::new(network.plan()), norm(&expected.gradient));
        for tensor in network.tensors() {
            let part = |vector: &[f32]| layout.part(vector, &tensor.name).to_vec();
            let (expected, found) = (part(&expected.gradient), part(&found.gradient));
            let error = distance(&expected, &found);
            // The gradient of what a norm takes away again is rounding noise.
            assert!(error < 1e-3 * norm(&expected) + 1e-6 * all, "{}: {error} of {}", tensor.name, norm(&expected));
            let (expected, found) = (part(&expected_numbers), part(&found_numbers));
            let error = distance(&expected, &found);
            assert!(error <= 1e-4 * norm(&expected), "{} after the pass: {error}", tensor.name);
        }
        let (expected, found) = [&burn as &dyn GradientComputer, &cpu]
            .map(|computer| computer.losses(&network.to_vector(), &case.batch(9)))
            .into();
        assert_near(found.policy_loss, expected.policy_loss, "policy loss in use");
        assert_near(found.value_loss, expected.value_loss, "value loss in use");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for case in &CASES {
        let with_threads = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| gradient(case, &mut CpuGradients::new(&case.network())))
        };
        assert_eq!(with_threads(1), with_threads(3));
    }
}
