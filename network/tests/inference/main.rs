//! The network computes what it should, the same on every device and in every batch, for every registered game.

mod auxiliary;

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Tensor, TensorData};
use selfplay_env::random_play::play_random;
use selfplay_env::registry::GAME_IDS;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{FinalState, GameVisitor, PolicyShape, WholeGame, with_game};
use selfplay_mcts::{Batch, Evaluator, UniformEvaluator};
use selfplay_network::plan::Reads;
use selfplay_network::{
    AuxiliaryConfig, BurnEvaluator, DeviceKind, FusedEvaluator, FusedNetwork, GameShape, NetworkConfig,
    PolicyValueNetwork, Precision,
};

/// Calls the same job for every registered game.
fn for_every_game<V: GameVisitor<Output = ()> + Copy>(job: V) {
    for id in GAME_IDS {
        with_game(id, job).unwrap();
    }
}

fn small_configs() -> Vec<NetworkConfig> {
    let small = NetworkConfig {
        channels: 8,
        blocks: 2,
        policy_channels: 4,
        value_channels: 3,
        value_hidden: 5,
        global_pooling: false,
        auxiliary: AuxiliaryConfig::default(),
    };
    let all_heads = AuxiliaryConfig { next_action: true, moves_left: true, final_state: true };
    vec![
        NetworkConfig { global_pooling: true, ..small.clone() },
        NetworkConfig { auxiliary: all_heads, ..small.clone() },
        NetworkConfig { blocks: 0, ..small.clone() },
        NetworkConfig { channels: 1, policy_channels: 1, value_channels: 1, value_hidden: 1, ..small.clone() },
        small,
    ]
}

/// A network whose weights and running statistics are far from their initial values, as after training.
fn network<G: WholeGame>(config: &NetworkConfig, device: DeviceKind) -> PolicyValueNetwork {
    let device = device.open().unwrap();
    let fresh = PolicyValueNetwork::new(GameShape::of::<G>(), config.clone(), 7, &device).unwrap();
    let mut rng = rng_for(&[7]);
    let numbers: Vec<f32> = fresh.to_vector().into_data().try_into_vec().unwrap();
    // Small changes keep variances positive; additions move what starts at zero.
    let moved: Vec<f32> =
        numbers.iter().map(|x| x * rng.random_range(0.5..1.5) + rng.random_range(-0.05..0.05)).collect();
    let len = moved.len();
    fresh.with_vector(Tensor::from_data(TensorData::new(moved, [len]), &device))
}

/// Positions from random games, none of them over.
fn positions<G: WholeGame>(count: usize) -> Batch<G> {
    let mut rng = rng_for(&[3]);
    let mut batch = Batch::new();
    while batch.len() < count {
        let mut position = G::initial();
        play_random(&mut position, rng.random_range(0..30), &mut rng);
        if position.outcome().is_none() {
            batch.push(&position);
        }
    }
    batch
}

fn evaluated<G: WholeGame>(evaluator: &mut impl Evaluator<G>, count: usize) -> Vec<f32> {
    let mut batch = positions::<G>(count);
    evaluator.evaluate(batch.leaves_mut());
    answers(&batch)
}

fn answers<G: WholeGame>(batch: &Batch<G>) -> Vec<f32> {
    let wdl = |leaf: &selfplay_mcts::Leaf<G>| [leaf.wdl.win, leaf.wdl.draw, leaf.wdl.loss];
    batch.leaves().iter().flat_map(|leaf| leaf.priors.iter().copied().chain(wdl(leaf))).collect()
}

fn assert_close(left: &[f32], right: &[f32], tolerance: f32, what: &str) {
    assert_eq!(left.len(), right.len(), "{what}");
    for (left, right) in left.iter().zip(right) {
        assert!((left - right).abs() <= tolerance, "{what}: {left} and {right}");
    }
}

#[derive(Clone, Copy)]
struct RunsEveryConfig;

impl GameVisitor for RunsEveryConfig {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        for config in small_configs() {
            let network = network::<G>(&config, DeviceKind::Flex);
            let mut batch = positions::<G>(3);
            BurnEvaluator::new(&network, &network.device()).evaluate(batch.leaves_mut());
            for leaf in batch.leaves() {
                assert_eq!(leaf.priors.len(), leaf.actions.len());
                assert!((leaf.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{}: {config:?}", G::ID);
                assert!((leaf.wdl.win + leaf.wdl.draw + leaf.wdl.loss - 1.0).abs() < 1e-5);
            }
            // Otherwise a forward pass that ignores its input would pass. A single channel may be rectified away.
            let logits = |planes: Tensor<4>| network.forward(planes).policy_logits.into_data();
            let zeros = Tensor::zeros([1, G::PLANES, G::HEIGHT, G::WIDTH], &network.device());
            let differs = logits(zeros.clone()) != logits(zeros.ones_like());
            assert!(differs || config.channels == 1, "{}: {config:?}", G::ID);
        }
    }
}

#[test]
fn every_config_runs_for_every_game() {
    for_every_game(RunsEveryConfig);
}

#[derive(Clone, Copy)]
struct CountsParameters;

impl GameVisitor for CountsParameters {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        for config in small_configs() {
            let network = network::<G>(&config, DeviceKind::Flex);
            let statistics: usize = network
                .named_tensors()
                .iter()
                .filter(|tensor| tensor.name.contains(".running_"))
                .map(|tensor| tensor.values.len())
                .sum();
            let numbers = network.to_vector().dims()[0];
            assert_eq!(config.parameter_count(network.shape()), numbers - statistics, "{}: {config:?}", G::ID);
        }
    }
}

#[test]
fn parameter_counts_are_right() {
    for_every_game(CountsParameters);
}

#[derive(Clone, Copy)]
struct PlanNamesTensors;

impl GameVisitor for PlanNamesTensors {
    type Output = ();

    fn visit<G: PlayableGame>(self) {
        for config in small_configs() {
            let network = network::<G>(&config, DeviceKind::Flex);
            let plan = network.plan();
            let mut expected = BTreeMap::new();
            for layer in &plan.tower {
                let (name, outputs, kernel) = (layer.place, layer.weights.outputs, layer.weights.kernel());
                expected.insert(format!("{name}.conv.weight"), vec![outputs, layer.weights.inputs, kernel, kernel]);
                for part in ["gamma", "beta", "running_mean", "running_var"] {
                    expected.insert(format!("{name}.norm.{part}"), vec![outputs]);
                }
            }
            for weights in plan.weights().skip(plan.tower.len()) {
                let shape = match weights.reads {
                    Reads::Window(kernel) => vec![weights.outputs, weights.inputs, kernel, kernel],
                    _ => vec![weights.fan_in(), weights.outputs],
                };
                expected.insert(format!("{}.weight", weights.name), shape);
                expected.insert(format!("{}.bias", weights.name), vec![weights.outputs]);
            }
            let found = network.named_tensors().into_iter().map(|tensor| (tensor.name, tensor.shape)).collect();
            assert_eq!(expected, found, "{}: {config:?}", G::ID);
        }
    }
}

#[test]
fn the_plan_names_every_tensor() {
    for_every_game(PlanNamesTensors);
}

#[derive(Clone, Copy)]
struct AgreesAcrossDevicesAndBatches;

impl GameVisitor for AgreesAcrossDevicesAndBatches {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        for config in small_configs() {
            let network_on = |device| network::<G>(&config, device);
            let flex = network_on(DeviceKind::Flex);
            let mut evaluator = BurnEvaluator::new(&flex, &flex.device());
            let together = evaluated::<G>(&mut evaluator, 9);

            let other = network_on(DeviceKind::NdArray);
            let ndarray = evaluated::<G>(&mut BurnEvaluator::new(&other, &other.device()), 9);
            assert_close(&together, &ndarray, 1e-4, "flex and ndarray");

            let mut one_by_one = positions::<G>(9);
            for leaf in one_by_one.leaves_mut() {
                evaluator.evaluate(std::slice::from_mut(leaf));
            }
            assert_close(&together, &answers(&one_by_one), 1e-5, "batch of nine and batches of one");
        }
    }
}

#[test]
fn devices_and_batch_sizes_agree() {
    for_every_game(AgreesAcrossDevicesAndBatches);
}

#[derive(Clone, Copy)]
struct FusedEqualsBurn;

impl GameVisitor for FusedEqualsBurn {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        // One config with several panels of channels, a number that fills none, and more features than one cell has.
        let wide = NetworkConfig { channels: 70, blocks: 2, policy_channels: 33, ..NetworkConfig::default() };
        for config in
            small_configs().into_iter().chain([wide.clone(), NetworkConfig { global_pooling: true, ..wide.clone() }])
        {
            let mut fused = FusedEvaluator::new(Arc::new(FusedNetwork::new(&network::<G>(&config, DeviceKind::Flex))));
            let together = evaluated::<G>(&mut fused, 9);
            // The second device takes its time: small networks are enough for it.
            let is_small = config.channels < wide.channels;
            for device in [DeviceKind::Flex, DeviceKind::NdArray].into_iter().take(1 + usize::from(is_small)) {
                let network = network::<G>(&config, device);
                let burn = evaluated::<G>(&mut BurnEvaluator::new(&network, &network.device()), 9);
                assert_close(&together, &burn, 1e-4, &format!("{}: fused and {device}, {config:?}", G::ID));
            }
            let mut one_by_one = positions::<G>(9);
            for leaf in one_by_one.leaves_mut() {
                fused.evaluate(std::slice::from_mut(leaf));
            }
            assert_eq!(together, answers(&one_by_one), "an answer depends on the position alone");
        }
    }
}

#[test]
fn fused_inference_equals_burn_and_does_not_depend_on_the_batch() {
    for_every_game(FusedEqualsBurn);
}

#[derive(Clone, Copy)]
struct BytesAreNearFloats;

impl GameVisitor for BytesAreNearFloats {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        let pooled = NetworkConfig { channels: 40, blocks: 2, global_pooling: true, ..NetworkConfig::default() };
        for config in [NetworkConfig { blocks: 3, ..NetworkConfig::default() }, pooled] {
            let network = network::<G>(&config, DeviceKind::Flex);
            let floats = evaluated::<G>(&mut FusedEvaluator::new(Arc::new(FusedNetwork::new(&network))), 9);
            let fused = FusedNetwork::with_precision::<G>(&network, Precision::Int8);
            assert_eq!(fused.precision(), Precision::Int8);
            let mut bytes = FusedEvaluator::new(Arc::new(fused));
            let together = evaluated::<G>(&mut bytes, 9);
            // Random weights have no mercy with rounding; trained ones differ by a tenth of this.
            assert_close(&together, &floats, 0.15, &format!("{}: bytes and floats", G::ID));
            let differences: f32 = together.iter().zip(&floats).map(|(bytes, floats)| (bytes - floats).abs()).sum();
            let mean = differences / floats.len() as f32;
            assert!(mean > 0.0 && mean < 0.01, "{}: bytes and floats differ by {mean} on average", G::ID);
            let mut one_by_one = positions::<G>(9);
            for leaf in one_by_one.leaves_mut() {
                bytes.evaluate(std::slice::from_mut(leaf));
            }
            assert_eq!(together, answers(&one_by_one), "an answer depends on the position alone");
        }
    }
}

#[test]
fn inference_in_bytes_is_near_that_in_floats() {
    for_every_game(BytesAreNearFloats);
}

#[derive(Clone, Copy)]
struct EvaluatorIsForwardPass;

impl GameVisitor for EvaluatorIsForwardPass {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        let network = network::<G>(&small_configs()[0], DeviceKind::Flex);
        let mut batch = positions::<G>(5);
        BurnEvaluator::new(&network, &network.device()).evaluate(batch.leaves_mut());
        for leaf in batch.leaves() {
            let mut planes = vec![0.0; G::ENCODED_LEN];
            leaf.position.encode(&mut planes);
            let planes = TensorData::new(planes, [1, G::PLANES, G::HEIGHT, G::WIDTH]);
            let output = network.forward(Tensor::from_data(planes, &network.device()));
            assert_eq!(output.policy_logits.dims(), [1, G::ACTION_COUNT]);
            let exponentials = |tensor: Tensor<2>| -> Vec<f64> {
                tensor.into_data().iter::<f32>().map(|logit| f64::from(logit).exp()).collect()
            };
            let (policy, wdl) = (exponentials(output.policy_logits), exponentials(output.wdl_logits));
            let total: f64 = leaf.actions.iter().map(|action| policy[action.index()]).sum();
            for (action, prior) in leaf.actions.iter().zip(&leaf.priors) {
                assert!((policy[action.index()] / total - f64::from(*prior)).abs() < 1e-5, "{}", G::ID);
            }
            let total: f64 = wdl.iter().sum();
            assert!((wdl[0] / total - f64::from(leaf.wdl.win)).abs() < 1e-5);
            assert!((wdl[2] / total - f64::from(leaf.wdl.loss)).abs() < 1e-5);
        }
    }
}

#[test]
fn the_evaluator_is_the_forward_pass_and_a_masked_softmax() {
    for_every_game(EvaluatorIsForwardPass);
}

#[derive(Clone, Copy)]
struct FreshNetworksDoubt;

impl GameVisitor for FreshNetworksDoubt {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        let device = DeviceKind::Flex.open().unwrap();
        let fresh =
            |seed| PolicyValueNetwork::new(GameShape::of::<G>(), small_configs()[0].clone(), seed, &device).unwrap();
        assert_eq!(fresh(1).named_tensors(), fresh(1).named_tensors());
        assert_ne!(fresh(1).named_tensors(), fresh(2).named_tensors());
        let answers = evaluated::<G>(&mut BurnEvaluator::new(&fresh(1), &device), 6);
        assert_close(&answers, &evaluated::<G>(&mut UniformEvaluator, 6), 0.2, "fresh network and no knowledge");
    }
}

#[test]
fn fresh_networks_are_a_function_of_the_seed_and_nearly_uniform() {
    for_every_game(FreshNetworksDoubt);
}

#[test]
fn planes_of_the_policy_become_actions_in_row_major_order() {
    // One policy plane whose convolution passes a feature through: the logits are the feature, cell by cell.
    let shape = GameShape {
        game: "test",
        encoding_version: 1,
        planes: 1,
        height: 2,
        width: 3,
        policy: PolicyShape::Planes(2),
        action_count: 12,
        final_state: FinalState::None,
    };
    let config = NetworkConfig { channels: 1, blocks: 0, policy_channels: 1, ..NetworkConfig::default() };
    let device = DeviceKind::Flex.open().unwrap();
    let network = PolicyValueNetwork::new(shape, config, 1, &device).unwrap();
    let ones = network.to_vector().ones_like();
    let centre_only: Vec<f32> = (0..9).map(|cell| f32::from(cell == 4)).collect();
    let kernel = Tensor::from_data(TensorData::new(centre_only, [9]), &device);
    let mut network = network.with_vector(ones.slice_assign(0..9, kernel));
    // Norms are now x → (x − 1) / 1 + 1; the second plane's weight is doubled.
    if let selfplay_network::layers::PolicyOutput::Planes(conv) = &mut network.policy.output {
        conv.weight = conv.weight.clone().map(|_| Tensor::from_data([[[[1.0f32]]], [[[2.0]]]], &device));
    }
    let planes = Tensor::from_data([[[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]]], &device);
    let logits: Vec<f32> = network.forward(planes).policy_logits.into_data().try_into_vec().unwrap();
    let expected: Vec<f32> = [1.0, 2.0].iter().flat_map(|w| (1..=6).map(move |x| w * x as f32 + 1.0)).collect();
    assert_close(&logits, &expected, 1e-3, "policy logits");
}

#[test]
fn pooled_networks_do_not_depend_on_the_size_of_the_board() {
    let config = NetworkConfig { global_pooling: true, ..small_configs()[0].clone() };
    let device = DeviceKind::Flex.open().unwrap();
    let on_board = |side| {
        let shape = GameShape {
            game: "test",
            encoding_version: 1,
            planes: 2,
            height: side,
            width: side,
            policy: PolicyShape::Planes(1),
            action_count: side * side,
            final_state: FinalState::None,
        };
        PolicyValueNetwork::new(shape, config.clone(), 1, &device).unwrap()
    };
    let small = on_board(5);
    let large = on_board(9).with_vector(small.to_vector());
    let output = large.forward(Tensor::ones([1, 2, 9, 9], &device));
    assert_eq!((output.policy_logits.dims(), output.wdl_logits.dims()), ([1, 81], [1, 3]));
}

#[test]
fn evaluators_move_between_threads_and_leave_their_network_alone() {
    fn assert_send<T: Send + Clone>(_: &T) {}
    let device = DeviceKind::Flex.open().unwrap();
    let shape = GameShape::of::<selfplay_tictactoe::TicTacToe>();
    let network = PolicyValueNetwork::new(shape, small_configs()[0].clone(), 1, &device).unwrap();
    let evaluator = BurnEvaluator::new(&network, &device);
    assert_send(&evaluator);
    let changed = network.with_vector(network.to_vector().zeros_like());
    assert_ne!(changed.named_tensors(), network.named_tensors());
    assert_eq!(evaluator.network().named_tensors(), network.valid().named_tensors());
}
