//! A grown network answers as the trained one it comes from, in use and in training, or is rejected with the reason.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_burn::device::open;
use selfplay_burn::{FinalStateOutput, PolicyValueNetwork};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{GameShape, PolicyShape, Rules, rules};
use selfplay_mcts::{Leaf, Network};
use selfplay_network::DeviceKind;
use selfplay_network::growth::{grow, grow_checkpoint};
use selfplay_network::{
    AuxiliaryConfig, FusedEvaluator, NetworkConfig, NetworkError, NetworkWeights, Precision, Provenance, checkpoint,
};
use selfplay_pente::Pente;
use selfplay_shipped::shipped_games;
use selfplay_sum15::Sum15;
use selfplay_tictactoe::TicTacToe;

const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true };

fn device() -> Device {
    open(DeviceKind::Flex).unwrap()
}

fn small(global_pooling: bool) -> NetworkConfig {
    NetworkConfig {
        channels: 8,
        blocks: 2,
        policy_channels: 4,
        value_channels: 3,
        value_hidden: 5,
        global_pooling,
        auxiliary: ALL_HEADS,
    }
}

fn large(global_pooling: bool) -> NetworkConfig {
    NetworkConfig {
        channels: 21,
        blocks: 4,
        policy_channels: 6,
        value_channels: 7,
        value_hidden: 9,
        ..small(global_pooling)
    }
}

/// A network whose weights and running statistics are far from their initial values, as after training.
fn trained(shape: GameShape, config: NetworkConfig) -> NetworkWeights {
    let fresh = PolicyValueNetwork::new(shape, config, 7, &device()).unwrap();
    let mut rng = rng_for(&[7]);
    let numbers: Vec<f32> = fresh.to_vector().into_data().try_into_vec().unwrap();
    let moved: Vec<f32> =
        numbers.iter().map(|x| x * rng.random_range(0.5..1.5) + rng.random_range(-0.05..0.05)).collect();
    let len = moved.len();
    fresh.with_vector(Tensor::from_data(TensorData::new(moved, [len]), &device())).weights()
}

fn random_planes(shape: &GameShape, rows: usize) -> Tensor<4> {
    let mut rng = rng_for(&[2]);
    let numbers: Vec<f32> = (0..rows * shape.encoded_len()).map(|_| rng.random_range(0.0..1.0)).collect();
    let dims = [rows, shape.planes, shape.height, shape.width];
    Tensor::from_data(TensorData::new(numbers, dims), &device())
}

/// Everything that any head says.
fn answers(weights: &NetworkWeights, planes: Tensor<4>) -> Vec<f32> {
    answers_of(&PolicyValueNetwork::from_weights(weights, &device()), planes)
}

fn answers_of(network: &PolicyValueNetwork, planes: Tensor<4>) -> Vec<f32> {
    let (output, auxiliary) = network.judge(&network.features(planes));
    let final_state = match auxiliary.final_state.unwrap() {
        FinalStateOutput::Cells(logits) => logits.flatten(1, 2),
        FinalStateOutput::Margin(margin) => margin,
    };
    let parts: [Tensor<2>; 5] = [
        output.policy_logits,
        output.wdl_logits,
        auxiliary.opponent_policy_logits.unwrap(),
        auxiliary.moves_left.unwrap(),
        final_state,
    ];
    parts.into_iter().flat_map(|part| part.into_data().try_into_vec::<f32>().unwrap()).collect()
}

fn assert_close(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let allowed = tolerance * expected.abs().max(1.0);
        assert!((found - expected).abs() <= allowed, "{what}: {found} and {expected}");
    }
}

fn fused(rules: &dyn Rules, weights: &NetworkWeights, precision: Precision) -> Vec<f32> {
    let mut evaluator = FusedEvaluator::from_weights(rules, weights, precision);
    let mut leaves = vec![Leaf::new(rules.initial())];
    evaluator.evaluate_batch(&mut leaves);
    let leaf = &leaves[0];
    leaf.priors.iter().copied().chain([leaf.wdl.win, leaf.wdl.draw, leaf.wdl.loss]).collect()
}

#[test]
fn a_grown_network_answers_as_before_in_every_game() {
    for rules in shipped_games() {
        let shape = rules.shape();
        for global_pooling in [false, true] {
            let before = trained(shape, small(global_pooling));
            let after = grow(&before, shape, large(global_pooling), 3).unwrap();
            assert_eq!(after.config(), &large(global_pooling));
            let planes = random_planes(&shape, 3);
            let expected = answers(&before, planes.clone());
            assert_close(&answers(&after, planes.clone()), &expected, 1e-4, rules.id());
            // With the statistics of the batch, as in a training step.
            let in_training = |weights: &NetworkWeights| {
                let network = PolicyValueNetwork::from_weights(weights, &device());
                answers_of(&network.valid().train(), planes.clone().autodiff())
            };
            let expected = in_training(&before);
            assert_close(&in_training(&after), &expected, 1e-4, &format!("{} in training", rules.id()));
            for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::Int8, 0.1)] {
                let what = format!("{} in {precision}", rules.id());
                assert_close(
                    &fused(rules, &after, precision),
                    &fused(rules, &before, Precision::F32),
                    tolerance,
                    &what,
                );
            }
        }
    }
}

#[test]
fn what_does_not_grow_is_copied_exactly() {
    let shape = GameShape::for_game::<TicTacToe>();
    let before = trained(shape, small(true));
    let same = grow(&before, shape, small(true), 3).unwrap();
    assert_eq!(same, before);
    // Heads that are switched off are left out, heads that are new are fresh.
    let without = NetworkConfig { auxiliary: AuxiliaryConfig::default(), ..small(true) };
    let without = grow(&before, shape, without, 3).unwrap();
    let without = without.tensors();
    assert_eq!(without, &before.tensors()[..without.len()]);
    assert!(without.iter().all(|tensor| !tensor.name.starts_with("auxiliary")));
}

#[test]
fn copies_of_a_channel_are_read_differently() {
    let shape = GameShape::for_game::<TicTacToe>();
    let before = trained(shape, small(false));
    let wide = NetworkConfig { channels: 16, ..small(false) };
    let after = grow(&before, shape, wide, 3).unwrap();
    let kernel = |weights: &NetworkWeights| weights.numbers("policy.reduce.conv.weight").to_vec();
    let (old, new) = (kernel(&before), kernel(&after));
    for (old, new) in old.chunks_exact(8).zip(new.chunks_exact(16)) {
        for channel in 0..8 {
            assert!((new[channel] + new[8 + channel] - old[channel]).abs() < 1e-6);
            assert_ne!(new[channel], new[8 + channel]);
        }
    }
}

#[test]
fn the_same_weights_go_on_on_a_larger_board() {
    let (from, to) = (GameShape::for_game::<Pente<9>>(), GameShape::for_game::<Pente<13>>());
    let before = trained(from, small(true));
    let after = grow(&before, to, small(true), 3).unwrap();
    assert_eq!(after.tensors(), before.tensors());
    assert_eq!(after.shape(), &to);
    let wider = grow(&before, to, large(true), 3).unwrap();
    let planes = random_planes(&to, 2);
    assert_close(&answers(&wider, planes.clone()), &answers(&after, planes), 1e-4, "on 13×13");
}

#[test]
fn what_cannot_grow_is_refused_with_the_reason() {
    let refused = |before: &NetworkWeights, shape, config, expected: &str| {
        let error = grow(before, shape, config, 3).unwrap_err();
        assert!(matches!(error, NetworkError::CannotGrow { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    let plain = trained(GameShape::for_game::<Pente<9>>(), small(false));
    let pooled = trained(GameShape::for_game::<Pente<9>>(), small(true));
    let (nine, thirteen) = (GameShape::for_game::<Pente<9>>(), GameShape::for_game::<Pente<13>>());
    refused(&plain, thirteen, small(false), "without `global_pooling`");
    refused(&pooled, nine, small(false), "its `global_pooling` is true");
    refused(&pooled, nine, NetworkConfig { channels: 7, ..small(true) }, "its `channels` is 8, and 7 would be less");
    refused(&pooled, nine, NetworkConfig { blocks: 1, ..small(true) }, "its `blocks` is 2");
    refused(&pooled, GameShape::for_game::<Sum15<6>>(), small(true), "the planes differ");
    let tictactoe = trained(GameShape::for_game::<TicTacToe>(), small(true));
    // Another game, with as many planes as this.
    let dense = GameShape { game: "dense", policy: PolicyShape::Dense, ..GameShape::for_game::<TicTacToe>() };
    refused(&tictactoe, dense, small(true), "the policies differ");
}

/// The game called `id`.
fn game(id: &str) -> Option<&'static dyn Rules> {
    shipped_games().into_iter().map(|rules| rules as _).find(|rules: &&dyn Rules| rules.id() == id)
}

#[test]
fn checkpoints_grow_into_the_same_game_on_other_boards_only() {
    let parent = tempfile::tempdir().unwrap();
    let saved = |name: &str, shape: GameShape| {
        let folder = parent.path().join(name);
        let provenance = Provenance { generation: 4, ..Provenance::default() };
        checkpoint::save(&folder, &trained(shape, small(true)), None, &provenance).unwrap();
        folder
    };
    let nine = saved("nine", GameShape::for_game::<Pente<9>>());
    let (grown, manifest) = grow_checkpoint(&nine, rules::<Pente<19>>(), game, large(true), 3).unwrap();
    assert_eq!((grown.shape(), manifest.provenance.generation), (&GameShape::for_game::<Pente<19>>(), 4));
    let expected =
        grow(&trained(GameShape::for_game::<Pente<9>>(), small(true)), *grown.shape(), large(true), 3).unwrap();
    assert_eq!(grown, expected);
    assert!(grow_checkpoint(&nine, rules::<Pente<9>>(), game, large(true), 3).is_ok());

    let error = grow_checkpoint(&nine, rules::<TicTacToe>(), game, large(true), 3).unwrap_err();
    assert!(error.to_string().contains("the planes of `pente-9` mean something else"), "{error}");
    let unknown = saved("unknown", GameShape { game: "go", ..GameShape::for_game::<TicTacToe>() });
    let error = grow_checkpoint(&unknown, rules::<TicTacToe>(), game, large(true), 3).unwrap_err();
    assert!(matches!(&error, NetworkError::WrongGame { found, .. } if found == "go"), "{error}");
    let old = saved("old", GameShape { encoding_version: 99, ..GameShape::for_game::<Pente<9>>() });
    let error = grow_checkpoint(&old, rules::<Pente<13>>(), game, large(true), 3).unwrap_err();
    assert!(matches!(error, NetworkError::EncodingVersion { found: 99, .. }), "{error}");
}
