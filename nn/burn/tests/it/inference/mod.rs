//! The network computes what it should, the same on every device and in every batch, for every game.

mod auxiliary;

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Tensor, TensorData};
use selfplay_burn::device::open;
use selfplay_burn::layers::PolicyOutput;
use selfplay_burn::{BurnEvaluator, PolicyValueNetwork};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{FinalState, GameShape, PolicyShape, Position, Rules};
use selfplay_mcts::{Batch, Evaluator, Leaf, Network, UniformNetwork};
use selfplay_network::DeviceKind;
use selfplay_network::plan::Reads;
use selfplay_network::{AuxiliaryConfig, FusedEvaluator, FusedNetwork, NetworkConfig, NetworkWeights, Precision};
use selfplay_shipped::shipped_games;
use selfplay_tictactoe::{TIC_TAC_TOE, TicTacToe};

/// Positions and what an evaluator is to say about each.
type Leaves = Vec<Leaf<Box<dyn Position>>>;

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
    let all_heads = AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true };
    vec![
        NetworkConfig { global_pooling: true, ..small.clone() },
        NetworkConfig { auxiliary: all_heads, ..small.clone() },
        NetworkConfig { blocks: 0, ..small.clone() },
        NetworkConfig { channels: 1, policy_channels: 1, value_channels: 1, value_hidden: 1, ..small.clone() },
        small,
    ]
}

/// A network whose weights and running statistics are far from their initial values, as after training.
fn network(rules: &dyn Rules, config: &NetworkConfig, device: DeviceKind) -> PolicyValueNetwork {
    let device = open(device).unwrap();
    let fresh = PolicyValueNetwork::new(rules.shape(), config.clone(), 7, &device).unwrap();
    let mut rng = rng_for(&[7]);
    let numbers: Vec<f32> = fresh.to_vector().into_data().try_into_vec().unwrap();
    // Small changes keep variances positive; additions move what starts at zero.
    let moved: Vec<f32> =
        numbers.iter().map(|x| x * rng.random_range(0.5..1.5) + rng.random_range(-0.05..0.05)).collect();
    let len = moved.len();
    fresh.with_vector(Tensor::from_data(TensorData::new(moved, [len]), &device))
}

/// Positions from random games, none of them over.
fn positions(rules: &dyn Rules, count: usize) -> Leaves {
    let mut rng = rng_for(&[3]);
    let mut leaves = Leaves::new();
    while leaves.len() < count {
        let mut position = rules.initial();
        position.play_random(rng.random_range(0..30), &mut rng);
        if position.outcome().is_none() {
            leaves.push(Leaf::new(position));
        }
    }
    leaves
}

fn judged(evaluator: &mut dyn Network, rules: &dyn Rules, count: usize) -> Leaves {
    let mut leaves = positions(rules, count);
    evaluator.evaluate_batch(&mut leaves);
    leaves
}

fn evaluated(evaluator: &mut dyn Network, rules: &dyn Rules, count: usize) -> Vec<f32> {
    judged(evaluator, rules, count).iter().flat_map(answers).collect()
}

/// The same, each position by itself.
fn evaluated_one_by_one(evaluator: &mut dyn Network, rules: &dyn Rules, count: usize) -> Vec<f32> {
    let one = |position| {
        let mut leaves = vec![position];
        evaluator.evaluate_batch(&mut leaves);
        answers(&leaves[0])
    };
    positions(rules, count).into_iter().flat_map(one).collect()
}

/// The priors, then win, draw and loss.
fn answers<P>(leaf: &Leaf<P>) -> Vec<f32> {
    leaf.priors.iter().copied().chain([leaf.wdl.win, leaf.wdl.draw, leaf.wdl.loss]).collect()
}

fn assert_close(left: &[f32], right: &[f32], tolerance: f32, what: &str) {
    assert_eq!(left.len(), right.len(), "{what}");
    for (left, right) in left.iter().zip(right) {
        assert!((left - right).abs() <= tolerance, "{what}: {left} and {right}");
    }
}

#[test]
fn every_config_runs_for_every_game() {
    for rules in shipped_games() {
        for config in small_configs() {
            let network = network(rules, &config, DeviceKind::Flex);
            for leaf in judged(&mut BurnEvaluator::new(&network, &network.device()), rules, 3) {
                assert_eq!(leaf.priors.len(), leaf.actions.len());
                assert!((leaf.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{}: {config:?}", rules.id());
                assert!((leaf.wdl.win + leaf.wdl.draw + leaf.wdl.loss - 1.0).abs() < 1e-5);
            }
            let shape = rules.shape();
            // Otherwise a forward pass that ignores its input would pass. A single channel may be rectified away.
            let logits = |planes: Tensor<4>| network.forward(planes).policy_logits.into_data();
            let zeros = Tensor::zeros([1, shape.planes, shape.height, shape.width], &network.device());
            let differs = logits(zeros.clone()) != logits(zeros.ones_like());
            assert!(differs || config.channels == 1, "{}: {config:?}", rules.id());
        }
    }
}

#[test]
fn parameter_counts_are_right() {
    for rules in shipped_games() {
        for config in small_configs() {
            let network = network(rules, &config, DeviceKind::Flex);
            let statistics: usize = network
                .weights()
                .tensors()
                .iter()
                .filter(|tensor| tensor.name.contains(".running_"))
                .map(|tensor| tensor.values.len())
                .sum();
            let numbers = network.to_vector().dims()[0];
            assert_eq!(config.parameter_count(network.shape()), numbers - statistics, "{}: {config:?}", rules.id());
        }
    }
}

#[test]
fn the_plan_names_every_tensor() {
    for rules in shipped_games() {
        for config in small_configs() {
            let network = network(rules, &config, DeviceKind::Flex);
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
            let weights = network.weights();
            let found = weights.tensors().iter().map(|tensor| (tensor.name.clone(), tensor.shape.clone())).collect();
            assert_eq!(expected, found, "{}: {config:?}", rules.id());
        }
    }
}

#[test]
fn batch_sizes_agree() {
    for rules in shipped_games() {
        for config in small_configs() {
            let network = network(rules, &config, DeviceKind::Flex);
            let mut evaluator = BurnEvaluator::new(&network, &network.device());
            let together = evaluated(&mut evaluator, rules, 9);
            let one_by_one = evaluated_one_by_one(&mut evaluator, rules, 9);
            assert_close(&together, &one_by_one, 1e-5, "batch of nine and batches of one");
        }
    }
}

#[test]
fn fused_inference_equals_burn_and_does_not_depend_on_the_batch() {
    for rules in shipped_games() {
        // One config with several panels of channels, a number that fills none, and more features than one cell has.
        let wide = NetworkConfig { channels: 70, blocks: 2, policy_channels: 33, ..NetworkConfig::default() };
        for config in
            small_configs().into_iter().chain([wide.clone(), NetworkConfig { global_pooling: true, ..wide.clone() }])
        {
            let mut fused =
                FusedEvaluator::new(Arc::new(FusedNetwork::new(&network(rules, &config, DeviceKind::Flex).weights())));
            let together = evaluated(&mut fused, rules, 9);
            let network = network(rules, &config, DeviceKind::Flex);
            let burn = evaluated(&mut BurnEvaluator::new(&network, &network.device()), rules, 9);
            assert_close(&together, &burn, 1e-4, &format!("{}: fused and Burn, {config:?}", rules.id()));
            let one_by_one = evaluated_one_by_one(&mut fused, rules, 9);
            assert_eq!(together, one_by_one, "an answer depends on the position alone");
        }
    }
}

#[test]
fn inference_in_bytes_is_near_that_in_floats() {
    for rules in shipped_games() {
        let pooled = NetworkConfig { channels: 40, blocks: 2, global_pooling: true, ..NetworkConfig::default() };
        for config in [NetworkConfig { blocks: 3, ..NetworkConfig::default() }, pooled] {
            let network = network(rules, &config, DeviceKind::Flex);
            let floats = evaluated(&mut FusedEvaluator::new(Arc::new(FusedNetwork::new(&network.weights()))), rules, 9);
            let fused = FusedNetwork::with_precision(rules, &network.weights(), Precision::Int8);
            assert_eq!(fused.precision(), Precision::Int8);
            let mut bytes = FusedEvaluator::new(Arc::new(fused));
            let together = evaluated(&mut bytes, rules, 9);
            // Random weights have no mercy with rounding; trained ones differ by a tenth of this.
            assert_close(&together, &floats, 0.15, &format!("{}: bytes and floats", rules.id()));
            let differences: f32 = together.iter().zip(&floats).map(|(bytes, floats)| (bytes - floats).abs()).sum();
            let mean = differences / floats.len() as f32;
            assert!(mean > 0.0 && mean < 0.01, "{}: bytes and floats differ by {mean} on average", rules.id());
            let one_by_one = evaluated_one_by_one(&mut bytes, rules, 9);
            assert_eq!(together, one_by_one, "an answer depends on the position alone");
        }
    }
}

#[test]
fn the_evaluator_is_the_forward_pass_and_a_masked_softmax() {
    for rules in shipped_games() {
        let network = network(rules, &small_configs()[0], DeviceKind::Flex);
        let shape = rules.shape();
        for leaf in judged(&mut BurnEvaluator::new(&network, &network.device()), rules, 5) {
            let mut planes = vec![0.0; shape.encoded_len()];
            leaf.position.encode(&mut planes);
            let planes = TensorData::new(planes, [1, shape.planes, shape.height, shape.width]);
            let output = network.forward(Tensor::from_data(planes, &network.device()));
            assert_eq!(output.policy_logits.dims(), [1, shape.action_count]);
            let exponentials = |tensor: Tensor<2>| -> Vec<f64> {
                tensor.into_data().iter::<f32>().map(|logit| f64::from(logit).exp()).collect()
            };
            let (policy, wdl) = (exponentials(output.policy_logits), exponentials(output.wdl_logits));
            let total: f64 = leaf.actions.iter().map(|action| policy[action.index()]).sum();
            for (action, prior) in leaf.actions.iter().zip(&leaf.priors) {
                assert!((policy[action.index()] / total - f64::from(*prior)).abs() < 1e-5, "{}", rules.id());
            }
            let total: f64 = wdl.iter().sum();
            assert!((wdl[0] / total - f64::from(leaf.wdl.win)).abs() < 1e-5);
            assert!((wdl[2] / total - f64::from(leaf.wdl.loss)).abs() < 1e-5);
        }
    }
}

/// A search's leaves have the type of their game.
#[test]
fn positions_with_and_without_their_type_are_judged_alike() {
    let network = network(TIC_TAC_TOE, &small_configs()[0], DeviceKind::Flex);
    for mut evaluator in [
        Box::new(FusedEvaluator::new(Arc::new(FusedNetwork::new(&network.weights())))) as Box<dyn Network>,
        Box::new(BurnEvaluator::new(&network, &network.device())),
    ] {
        let leaves = judged(&mut *evaluator, TIC_TAC_TOE, 5);
        let mut batch = Batch::new();
        for leaf in &leaves {
            batch.push(leaf.position.typed::<TicTacToe>().unwrap());
        }
        evaluator.evaluate(batch.leaves_mut());
        for (typed, leaf) in batch.leaves().iter().zip(&leaves) {
            assert_eq!((&typed.actions, answers(typed)), (&leaf.actions, answers(leaf)));
        }
    }
}

#[test]
fn fresh_networks_are_a_function_of_the_seed_and_nearly_uniform() {
    for rules in shipped_games() {
        let device = open(DeviceKind::Flex).unwrap();
        let fresh = |seed| PolicyValueNetwork::new(rules.shape(), small_configs()[0].clone(), seed, &device).unwrap();
        assert_eq!(fresh(1).weights(), fresh(1).weights());
        assert_ne!(fresh(1).weights(), fresh(2).weights());
        let answers = evaluated(&mut BurnEvaluator::new(&fresh(1), &device), rules, 6);
        assert_close(
            &answers,
            &evaluated(&mut UniformNetwork(rules.id()), rules, 6),
            0.2,
            "fresh network and no knowledge",
        );
    }
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
    let device = open(DeviceKind::Flex).unwrap();
    let network = PolicyValueNetwork::new(shape, config, 1, &device).unwrap();
    let ones = network.to_vector().ones_like();
    let centre_only: Vec<f32> = (0..9).map(|cell| f32::from(cell == 4)).collect();
    let kernel = Tensor::from_data(TensorData::new(centre_only, [9]), &device);
    let mut network = network.with_vector(ones.slice_assign(0..9, kernel));
    // Norms are now x → (x − 1) / 1 + 1; the second plane's weight is doubled.
    if let PolicyOutput::Planes(conv) = &mut network.policy.output {
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
    let device = open(DeviceKind::Flex).unwrap();
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
    let device = open(DeviceKind::Flex).unwrap();
    let shape = TIC_TAC_TOE.shape();
    let network = PolicyValueNetwork::new(shape, small_configs()[0].clone(), 1, &device).unwrap();
    let evaluator = BurnEvaluator::new(&network, &device);
    assert_send(&evaluator);
    let changed = network.with_vector(network.to_vector().zeros_like());
    assert_ne!(changed.weights(), network.weights());
    assert_eq!(evaluator.network().weights(), network.valid().weights());
}

#[test]
fn a_network_whose_answers_are_no_numbers_is_refused_with_its_layer() {
    let cases: [(&[&str], &str); 2] = [
        (&["blocks.0.second.conv.weight", "blocks.1.first.conv.weight"], "`blocks.1.first` computes"),
        (&["value.reduce.conv.weight", "value.hidden.weight"], "`heads`"),
    ];
    for (spoilt, expected) in cases {
        let fresh = NetworkWeights::fresh(TIC_TAC_TOE.shape(), small_configs()[1].clone(), 1).unwrap();
        let mut tensors = fresh.tensors().to_vec();
        for tensor in tensors.iter_mut().filter(|tensor| spoilt.contains(&tensor.name.as_str())) {
            tensor.values.fill(1e30);
        }
        let weights = NetworkWeights::from_tensors(*fresh.shape(), fresh.config().clone(), tensors).unwrap();
        for precision in Precision::ALL {
            let error = FusedEvaluator::checked(TIC_TAC_TOE, &weights, precision).unwrap_err().to_string();
            assert!(error.contains(expected), "{precision}: {error}");
        }
        assert!(FusedEvaluator::checked(TIC_TAC_TOE, &fresh, Precision::F32).is_ok());
    }
}
