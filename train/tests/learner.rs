//! The learner fits what it is shown, the same way every time, and goes on from disk as if nothing had happened.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Device;
use selfplay_env::games::pente::Pente;
use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Game, TensorEncoding};
use selfplay_mcts::{Batch, Evaluator, Leaf};
use selfplay_network::growth::grow;
use selfplay_network::{
    AuxiliaryConfig, BurnEvaluator, DeviceKind, FusedEvaluator, FusedNetwork, GameShape, NamedTensor, NetworkConfig,
    NetworkError, PolicyValueNetwork, Precision, Provenance,
};
use selfplay_train::learner::{Learner, StepReport};
use selfplay_train::learner_config::{LearnerConfig, OptimizerKind};
use selfplay_train::learner_error::{LearnerError, LossTerm};
use selfplay_train::loss::TrainingBatch;
use selfplay_train::schedule::Schedule;

fn device() -> Device {
    DeviceKind::Flex.open().unwrap()
}

fn network(global_pooling: bool) -> PolicyValueNetwork {
    let config = NetworkConfig {
        channels: 8,
        blocks: 2,
        policy_channels: 4,
        value_channels: 4,
        value_hidden: 8,
        global_pooling,
        auxiliary: AuxiliaryConfig::default(),
    };
    PolicyValueNetwork::new(GameShape::of::<TicTacToe>(), config, 11, &device()).unwrap()
}

fn config(optimizer: OptimizerKind) -> LearnerConfig {
    let learning_rate = match optimizer {
        OptimizerKind::AdamW => 0.01,
        OptimizerKind::Sgd => 0.05,
    };
    LearnerConfig { optimizer, learning_rate, warmup_steps: 3, ema_decay: 0.9, ..LearnerConfig::default() }
}

fn network_with_heads(auxiliary: AuxiliaryConfig) -> PolicyValueNetwork {
    let config = NetworkConfig { auxiliary, ..network(true).config().clone() };
    PolicyValueNetwork::new(GameShape::of::<TicTacToe>(), config, 11, &device()).unwrap()
}

const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { next_action: true, moves_left: true, final_state: true };

/// Random positions; the target is one random legal action and a random result. The auxiliary targets are random too.
fn batch(rows: usize, seed: u64) -> TrainingBatch {
    let mut rng = rng_for(&[seed]);
    let mut batch = TrainingBatch { rows, ..TrainingBatch::default() };
    let mut legal = Vec::new();
    while batch.wdl.len() < 3 * rows {
        let mut position = TicTacToe::initial();
        play_random(&mut position, rng.random_range(0..6), &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        position.distinct_actions(&mut legal);
        let mut planes = [0.0; TicTacToe::ENCODED_LEN];
        position.encode(&mut planes);
        batch.planes.extend(planes);
        let chosen = legal[rng.random_range(0..legal.len())].index();
        batch.legal.extend((0..9).map(|index| f32::from(legal.iter().any(|action| action.index() == index))));
        batch.policy.extend((0..9).map(|index| f32::from(index == chosen)));
        let result = rng.random_range(0..3);
        batch.wdl.extend((0..3).map(|index| f32::from(index == result)));
        let auxiliary = &mut batch.auxiliary;
        let answer = rng.random_range(0..9);
        auxiliary.next_action.extend((0..9).map(|index| f32::from(index == answer)));
        auxiliary.finished.push(1.0);
        auxiliary.moves_left.push(rng.random_range(0.0..1.0));
        let owners: Vec<usize> = (0..9).map(|_| rng.random_range(0..3)).collect();
        auxiliary.final_state.extend((0..27).map(|index| f32::from(owners[index % 9] == index / 9)));
    }
    batch
}

fn train(learner: &mut Learner, seeds: std::ops::Range<u64>) -> Vec<StepReport> {
    seeds.map(|seed| learner.step(&batch(16, seed)).unwrap()).collect()
}

/// Every bit of a network's numbers.
fn bits(network: &PolicyValueNetwork) -> Vec<(String, Vec<u32>)> {
    let to_bits = |tensor: NamedTensor| (tensor.name, tensor.values.into_iter().map(f32::to_bits).collect());
    network.named_tensors().into_iter().map(to_bits).collect()
}

#[test]
fn one_batch_can_be_learned_by_heart() {
    for optimizer in [OptimizerKind::AdamW, OptimizerKind::Sgd] {
        for global_pooling in [false, true] {
            let mut learner = Learner::new(&network(global_pooling), config(optimizer), &device()).unwrap();
            let shown = batch(16, 1);
            let first = learner.step(&shown).unwrap();
            // Near-uniform answers: at most nine legal actions, three results.
            assert!(first.policy_loss < 2.4 && (first.value_loss - 3f64.ln()).abs() < 0.2, "{first:?}");
            let last = (0..150).map(|_| learner.step(&shown).unwrap()).last().unwrap();
            assert!(last.total_loss < 0.3 * first.total_loss, "{optimizer:?} {global_pooling}: {first:?} {last:?}");
            assert!(last.policy_entropy < first.policy_entropy);
            assert_eq!((first.step, last.step, learner.steps()), (1, 151, 151));
        }
    }
}

#[test]
fn the_averaged_network_plays_what_was_learned() {
    let mut learner = Learner::new(&network(false), config(OptimizerKind::AdamW), &device()).unwrap();
    // From the empty board: play the corner, win.
    let position = TicTacToe::initial();
    let mut planes = vec![0.0; TicTacToe::ENCODED_LEN];
    position.encode(&mut planes);
    let mut other = position;
    other.play(selfplay_env::Action(4));
    let mut other_planes = vec![0.0; TicTacToe::ENCODED_LEN];
    other.encode(&mut other_planes);
    let corner = |index: usize| f32::from(index == 0);
    let shown = TrainingBatch {
        rows: 2,
        planes: [planes, other_planes].concat(),
        legal: (0..18).map(|index| f32::from(index != 9 + 4)).collect(),
        policy: (0..18).map(|index| corner(index % 9)).collect(),
        wdl: vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ..TrainingBatch::default()
    };
    for _ in 0..120 {
        learner.step(&shown).unwrap();
    }
    let network = learner.play_network();
    assert!(!network.device().is_autodiff());
    let mut leaves = Batch::new();
    leaves.push(&position);
    leaves.push(&other);
    BurnEvaluator::new(&network, &device()).evaluate(leaves.leaves_mut());
    let [first, second] = leaves.leaves() else { unreachable!("two leaves were pushed") };
    assert!(first.priors[0] > 0.8 && second.priors[0] > 0.8, "{:?} {:?}", first.priors, second.priors);
    assert!(first.wdl.win > 0.8 && second.wdl.loss > 0.8, "{:?} {:?}", first.wdl, second.wdl);
}

#[test]
fn every_weight_is_trained() {
    let start = network(true);
    let mut learner = Learner::new(&start, config(OptimizerKind::AdamW), &device()).unwrap();
    train(&mut learner, 0..2);
    for (before, after) in start.named_tensors().iter().zip(learner.training_network().named_tensors()) {
        assert_ne!(*before, after, "{} stayed as it was", before.name);
    }
}

#[test]
fn the_same_steps_give_the_same_bits_with_any_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut learner = Learner::new(&network(true), config(OptimizerKind::AdamW), &device()).unwrap();
            let reports = train(&mut learner, 0..4);
            (reports, bits(learner.training_network()), bits(&learner.play_network()))
        })
    };
    let alone = run(1);
    assert_eq!(alone, run(1));
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(3));
}

#[test]
fn a_restored_learner_goes_on_bit_for_bit() {
    for optimizer in [OptimizerKind::AdamW, OptimizerKind::Sgd] {
        let mut straight = Learner::new(&network(true), config(optimizer), &device()).unwrap();
        let straight_reports = train(&mut straight, 0..6);

        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("three-steps");
        let mut interrupted = Learner::new(&network(true), config(optimizer), &device()).unwrap();
        train(&mut interrupted, 0..3);
        let provenance = Provenance { generation: 2, seed: 5, ..Provenance::default() };
        let written = interrupted.save(&folder, &provenance).unwrap();
        drop(interrupted);

        let (mut restored, read) = Learner::restore::<TicTacToe>(&folder, config(optimizer), &device()).unwrap();
        assert_eq!(read, written);
        assert_eq!((read.provenance.step, read.provenance.generation), (3, 2));
        let reports = train(&mut restored, 3..6);
        assert_eq!(reports, straight_reports[3..]);
        assert_eq!(bits(restored.training_network()), bits(straight.training_network()));
        assert_eq!(bits(&restored.play_network()), bits(&straight.play_network()));
    }
}

#[test]
fn the_state_of_another_optimizer_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("start");
    let learner = Learner::new(&network(false), config(OptimizerKind::Sgd), &device()).unwrap();
    learner.save(&folder, &Provenance::default()).unwrap();
    let error = Learner::restore::<TicTacToe>(&folder, config(OptimizerKind::AdamW), &device()).unwrap_err();
    assert!(matches!(&error, LearnerError::OptimizerState { optimizer: "adamw", .. }), "{error}");
    let error = learner.save(&folder, &Provenance::default()).unwrap_err();
    assert!(matches!(error, LearnerError::Network(NetworkError::AlreadyExists { .. })), "{error}");
}

#[test]
fn broken_numbers_stop_the_step_and_change_nothing() {
    let mut learner = Learner::new(&network(true), config(OptimizerKind::AdamW), &device()).unwrap();
    train(&mut learner, 0..2);
    let before = (bits(learner.training_network()), bits(&learner.play_network()), learner.steps());

    let mut broken = batch(16, 9);
    broken.policy[0] = f32::NAN;
    let error = learner.step(&broken).unwrap_err();
    assert!(matches!(error, LearnerError::NotFinite { step: 2, term: LossTerm::Policy, .. }), "{error}");
    let mut broken = batch(16, 9);
    broken.wdl[5] = f32::INFINITY;
    let error = learner.step(&broken).unwrap_err();
    assert!(matches!(error, LearnerError::NotFinite { step: 2, term: LossTerm::Value, .. }), "{error}");
    let mut broken = batch(16, 9);
    broken.planes[7] = f32::NAN;
    assert!(matches!(learner.step(&broken), Err(LearnerError::NotFinite { .. })));

    assert_eq!((bits(learner.training_network()), bits(&learner.play_network()), learner.steps()), before);
}

#[test]
fn batches_of_another_size_are_refused() {
    let mut learner = Learner::new(&network(false), config(OptimizerKind::AdamW), &device()).unwrap();
    let mut short = batch(4, 1);
    short.legal.pop();
    let error = learner.step(&short).unwrap_err();
    assert!(matches!(error, LearnerError::BatchSize { part: "legal", found: 35, expected: 36 }), "{error}");
    assert!(matches!(learner.step(&TrainingBatch::default()), Err(LearnerError::EmptyBatch)));
}

#[test]
fn illegal_actions_have_no_say_in_the_policy_loss() {
    // One row, two legal actions, equal target: the loss of a near-uniform network is ln 2, not ln 9.
    let mut learner = Learner::new(&network(false), config(OptimizerKind::AdamW), &device()).unwrap();
    let mut row = batch(1, 1);
    row.legal = (0..9).map(|index| f32::from(index < 2)).collect();
    row.policy = (0..9).map(|index| if index < 2 { 0.5 } else { 0.0 }).collect();
    let report = learner.step(&row).unwrap();
    assert!((report.policy_loss - 2f64.ln()).abs() < 0.05, "{report:?}");
    assert!((report.policy_entropy - 2f64.ln()).abs() < 0.05, "{report:?}");
}

#[test]
fn weight_decay_is_apart_from_the_gradient_and_spares_norms_and_biases() {
    let start = network(false);
    let decaying = |weight_decay| {
        let config = LearnerConfig {
            weight_decay,
            learning_rate: 0.01,
            warmup_steps: 0,
            schedule: Schedule::Constant,
            ..config(OptimizerKind::Sgd)
        };
        let mut learner = Learner::new(&start, config, &device()).unwrap();
        train(&mut learner, 0..1);
        learner.training_network().named_tensors()
    };
    for ((before, plain), decayed) in start.named_tensors().iter().zip(decaying(0.0)).zip(decaying(0.5)) {
        let decay = if before.shape.len() >= 2 { 0.01 * 0.5 } else { 0.0 };
        for ((start, plain), decayed) in before.values.iter().zip(plain.values).zip(decayed.values) {
            assert!((plain - decay * start - decayed).abs() < 1e-6, "{}: {plain} {decayed}", before.name);
        }
    }
}

#[test]
fn a_learner_leaves_the_network_it_started_from_alone() {
    let start = network(true);
    let before = bits(&start);
    let mut learner = Learner::new(&start, config(OptimizerKind::AdamW), &device()).unwrap();
    train(&mut learner, 0..3);
    assert_eq!(bits(&start), before);
    let playing = learner.play_network();
    let then = bits(&playing.valid());
    train(&mut learner, 3..5);
    assert_eq!(bits(&playing), then);
}

#[test]
fn auxiliary_heads_learn_and_their_losses_are_reported() {
    let mut learner = Learner::new(&network_with_heads(ALL_HEADS), config(OptimizerKind::AdamW), &device()).unwrap();
    let shown = batch(16, 1);
    let first = learner.step(&shown).unwrap();
    // Near-uniform answers over nine actions and three classes; no decisions left foreseen.
    assert!((first.next_action_loss - 9f64.ln()).abs() < 0.2, "{first:?}");
    assert!((first.final_state_loss - 3f64.ln()).abs() < 0.2, "{first:?}");
    assert!(first.moves_left_loss > 0.03 && first.moves_left_loss < 0.375, "{first:?}");
    let weighed = 0.15 * first.next_action_loss + 0.5 * first.moves_left_loss + first.final_state_loss;
    assert!((first.total_loss - first.policy_loss - first.value_loss - weighed).abs() < 1e-12, "{first:?}");
    let last = (0..150).map(|_| learner.step(&shown).unwrap()).last().unwrap();
    assert!(last.next_action_loss < 0.5 * first.next_action_loss, "{first:?} {last:?}");
    assert!(last.moves_left_loss < 0.2 * first.moves_left_loss, "{first:?} {last:?}");
    assert!(last.final_state_loss < 0.7 * first.final_state_loss, "{first:?} {last:?}");

    let mut plain = Learner::new(&network(true), config(OptimizerKind::AdamW), &device()).unwrap();
    let report = plain.step(&shown).unwrap();
    assert_eq!((report.next_action_loss, report.moves_left_loss, report.final_state_loss), (0.0, 0.0, 0.0));
    assert_eq!((report.policy_loss, report.value_loss), (first.policy_loss, first.value_loss));
}

#[test]
fn heads_without_weight_change_nothing_else() {
    let weightless = LearnerConfig {
        next_action_weight: 0.0,
        moves_left_weight: 0.0,
        final_state_weight: 0.0,
        ..config(OptimizerKind::AdamW)
    };
    let mut with_heads = Learner::new(&network_with_heads(ALL_HEADS), weightless, &device()).unwrap();
    let mut plain = Learner::new(&network(true), config(OptimizerKind::AdamW), &device()).unwrap();
    train(&mut with_heads, 0..4);
    train(&mut plain, 0..4);
    let plain = bits(plain.training_network());
    assert_eq!(bits(with_heads.training_network())[..plain.len()], plain);
}

#[test]
fn positions_without_a_target_teach_nothing() {
    let heads = |final_state| AuxiliaryConfig { final_state, ..ALL_HEADS };
    let mut learner = Learner::new(&network_with_heads(heads(false)), config(OptimizerKind::AdamW), &device()).unwrap();
    let mut shown = batch(16, 1);
    shown.auxiliary.next_action.fill(0.0);
    shown.auxiliary.finished.fill(0.0);
    let report = learner.step(&shown).unwrap();
    assert_eq!((report.next_action_loss, report.moves_left_loss), (0.0, 0.0));
    let (start, after) = (network_with_heads(heads(false)), learner.training_network().named_tensors());
    for (before, after) in start.named_tensors().iter().zip(after) {
        let is_auxiliary = before.name.starts_with("auxiliary.");
        // Matrices decay even where nothing is learned.
        let decays = before.shape.len() >= 2;
        assert_eq!(*before == after, is_auxiliary && !decays, "{}", before.name);
    }
}

#[test]
fn a_head_without_targets_in_the_batch_is_named() {
    let mut learner = Learner::new(&network_with_heads(ALL_HEADS), config(OptimizerKind::AdamW), &device()).unwrap();
    let mut shown = batch(16, 1);
    shown.auxiliary.final_state.clear();
    let error = learner.step(&shown).unwrap_err();
    assert!(matches!(error, LearnerError::BatchSize { part: "final_state", found: 0, expected: 432 }), "{error}");
    let mut broken = batch(16, 1);
    broken.auxiliary.moves_left[3] = f32::NAN;
    let error = learner.step(&broken).unwrap_err();
    assert!(matches!(error, LearnerError::NotFinite { step: 0, term: LossTerm::MovesLeft, .. }), "{error}");
}

#[test]
fn auxiliary_heads_come_back_from_a_checkpoint() {
    let config = || config(OptimizerKind::AdamW);
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("two-steps");
    let mut learner = Learner::new(&network_with_heads(ALL_HEADS), config(), &device()).unwrap();
    train(&mut learner, 0..2);
    learner.save(&folder, &Provenance::default()).unwrap();
    let (mut restored, manifest) = Learner::restore::<TicTacToe>(&folder, config(), &device()).unwrap();
    assert_eq!(manifest.network.auxiliary, ALL_HEADS);
    assert_eq!(train(&mut restored, 2..4), train(&mut learner, 2..4));
    assert_eq!(bits(restored.training_network()), bits(learner.training_network()));
    assert_eq!(bits(&restored.play_network()), bits(&learner.play_network()));
}

#[test]
fn a_grown_network_goes_on_where_the_small_one_stood() {
    for global_pooling in [false, true] {
        let mut small = Learner::new(&network(global_pooling), config(OptimizerKind::AdamW), &device()).unwrap();
        train(&mut small, 0..20);
        let large = NetworkConfig {
            channels: 16,
            blocks: 4,
            policy_channels: 6,
            value_channels: 8,
            value_hidden: 16,
            auxiliary: ALL_HEADS,
            ..network(global_pooling).config().clone()
        };
        let trained = small.training_network();
        let grown = grow(trained, *trained.shape(), large, 3, &device()).unwrap();
        let mut learner = Learner::new(&grown, config(OptimizerKind::AdamW), &device()).unwrap();
        let (next, as_small) = (learner.step(&batch(16, 1)).unwrap(), small.step(&batch(16, 1)).unwrap());
        assert!((next.policy_loss - as_small.policy_loss).abs() < 1e-4, "{next:?} {as_small:?}");
        assert!((next.value_loss - as_small.value_loss).abs() < 1e-4, "{next:?} {as_small:?}");
        let last = (0..150).map(|_| learner.step(&batch(16, 1)).unwrap()).last().unwrap();
        assert_eq!(last.step, 151);
        assert!(last.total_loss < 0.5 * next.total_loss, "{next:?} {last:?}");
        // Every part takes part: copies of a channel drift apart, new blocks are no longer the identity.
        let kernel: Vec<f32> = learner.training_network().stem.conv.weight.val().into_data().try_into_vec().unwrap();
        let (first, copies) = kernel.split_at(kernel.len() / 2);
        assert!(first.iter().zip(copies).any(|(a, b)| (a - b).abs() > 1e-3), "the copies learned the same");
        let scale: Vec<f32> =
            learner.training_network().blocks[3].second.norm.gamma.val().into_data().try_into_vec().unwrap();
        assert!(scale.iter().all(|x| *x != 0.0), "{scale:?}");
    }
}

#[test]
fn a_pooled_network_trains_and_plays_on_every_path() {
    type Game9 = Pente<9>;
    let pooled = NetworkConfig {
        channels: 16,
        blocks: 2,
        policy_channels: 8,
        value_channels: 8,
        value_hidden: 16,
        global_pooling: true,
        auxiliary: ALL_HEADS,
    };
    let start = PolicyValueNetwork::new(GameShape::of::<Game9>(), pooled, 1, &device()).unwrap();
    let mut learner = Learner::new(&start, config(OptimizerKind::AdamW), &device()).unwrap();
    let mut rng = rng_for(&[3]);
    let mut leaves = Batch::new();
    let mut shown = TrainingBatch { rows: 24, ..TrainingBatch::default() };
    for _ in 0..shown.rows {
        let mut position = Game9::initial();
        play_random(&mut position, rng.random_range(0..20), &mut rng);
        leaves.push(&position);
        let mut planes = vec![0.0; Game9::ENCODED_LEN];
        position.encode(&mut planes);
        shown.planes.extend(planes);
        let actions = &leaves.leaves().last().unwrap().actions;
        let chosen = actions[rng.random_range(0..actions.len())].index();
        shown.legal.extend((0..81).map(|index| f32::from(actions.iter().any(|action| action.index() == index))));
        shown.policy.extend((0..81).map(|index| f32::from(index == chosen)));
        shown.wdl.extend([1.0, 0.0, 0.0]);
        shown.auxiliary.next_action.extend((0..81).map(|index| f32::from(index == chosen)));
        shown.auxiliary.finished.push(1.0);
        shown.auxiliary.moves_left.push(0.5);
        shown.auxiliary.final_state.extend((0..243).map(|index| f32::from(index / 81 == index % 3)));
    }
    let first = learner.step(&shown).unwrap();
    let last = (0..40).map(|_| learner.step(&shown).unwrap()).last().unwrap();
    assert!(last.total_loss < 0.7 * first.total_loss, "{first:?} {last:?}");

    let network = learner.play_network();
    let answers = |evaluator: &mut dyn Evaluator<Game9>| {
        let mut leaves = leaves.clone();
        evaluator.evaluate(leaves.leaves_mut());
        let answer = |leaf: &Leaf<Game9>| leaf.priors.iter().copied().chain([leaf.wdl.win]).collect::<Vec<f32>>();
        leaves.leaves().iter().flat_map(answer).collect::<Vec<f32>>()
    };
    let fused = |precision| FusedEvaluator::new(Arc::new(FusedNetwork::with_precision::<Game9>(&network, precision)));
    let burn = answers(&mut BurnEvaluator::new(&network, &device()));
    let worst = |found: Vec<f32>| found.iter().zip(&burn).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let (floats, bytes) = (worst(answers(&mut fused(Precision::F32))), worst(answers(&mut fused(Precision::Int8))));
    assert!(floats < 1e-4 && bytes < 0.1, "{floats} {bytes}");
}
