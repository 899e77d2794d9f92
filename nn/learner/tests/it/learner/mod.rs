//! The learner fits its samples, is deterministic, and resumes from disk without any difference.

mod auxiliary;
mod growth;

use selfplay_env::random_play::play_random;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Game, GameShape, TensorEncoding};
use selfplay_learner::{CpuGradients, GradientComputer, NetworkLearner};
use selfplay_mcts::{Batch, Evaluator, Network};
use selfplay_network::training::StepReport;
use selfplay_network::training::{BatchError, LearnerConfig, OptimizerKind, Schedule, TrainingBatch};
use selfplay_network::training::{LearnerError, LossTerm};
use selfplay_network::{
    AuxiliaryConfig, FusedEvaluator, Learner, NamedTensor, NetworkConfig, NetworkError, NetworkWeights, Precision,
    Provenance,
};
use selfplay_tictactoe::{TIC_TAC_TOE, TicTacToe};

fn on_cpu(make: &NetworkWeights) -> Box<dyn GradientComputer> {
    Box::new(CpuGradients::new(make))
}

fn learner(start: &NetworkWeights, config: LearnerConfig) -> NetworkLearner {
    NetworkLearner::new(start, config, on_cpu(start)).unwrap()
}

fn network(global_pooling: bool) -> NetworkWeights {
    let config = NetworkConfig {
        channels: 8,
        blocks: 2,
        policy_channels: 4,
        value_channels: 4,
        value_hidden: 8,
        global_pooling,
        auxiliary: AuxiliaryConfig::default(),
    };
    NetworkWeights::fresh(GameShape::for_game::<TicTacToe>(), config, 11).unwrap()
}

fn config(optimizer: OptimizerKind) -> LearnerConfig {
    let learning_rate = match optimizer {
        OptimizerKind::AdamW => 0.01,
        OptimizerKind::Sgd => 0.05,
    };
    LearnerConfig { optimizer, learning_rate, warmup_steps: 3, ema_decay: 0.9, ..LearnerConfig::default() }
}

fn network_with_heads(auxiliary: AuxiliaryConfig) -> NetworkWeights {
    let config = NetworkConfig { auxiliary, ..network(true).config().clone() };
    NetworkWeights::fresh(GameShape::for_game::<TicTacToe>(), config, 11).unwrap()
}

const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { opponent_policy: true, moves_left: true, final_state: true };

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
        let mut planes = vec![0.0; TicTacToe::encoding().encoded_len()];
        position.encode(&mut planes);
        batch.planes.extend(planes);
        let chosen = legal[rng.random_range(0..legal.len())].index();
        batch.candidates.extend((0..9).map(|index| f32::from(legal.iter().any(|action| action.index() == index))));
        batch.policy.extend((0..9).map(|index| f32::from(index == chosen)));
        let result = rng.random_range(0..3);
        batch.wdl.extend((0..3).map(|index| f32::from(index == result)));
        let auxiliary = &mut batch.auxiliary;
        let answer = rng.random_range(0..9);
        auxiliary.opponent_policy.extend((0..9).map(|index| f32::from(index == answer)));
        auxiliary.finished.push(1.0);
        auxiliary.moves_left.push(rng.random_range(0.0..1.0));
        let owners: Vec<usize> = (0..9).map(|_| rng.random_range(0..3)).collect();
        auxiliary.final_state.extend((0..27).map(|index| f32::from(owners[index % 9] == index / 9)));
    }
    batch
}

fn train(learner: &mut NetworkLearner, seeds: std::ops::Range<u64>) -> Vec<StepReport> {
    seeds.map(|seed| learner.step(&batch(16, seed)).unwrap()).collect()
}

/// Every bit of a network's numbers.
fn bits(network: &NetworkWeights) -> Vec<(String, Vec<u32>)> {
    let to_bits =
        |tensor: &NamedTensor| (tensor.name.clone(), tensor.values.iter().map(|value| value.to_bits()).collect());
    network.tensors().iter().map(to_bits).collect()
}

#[test]
fn one_batch_can_be_learned_by_heart() {
    for optimizer in [OptimizerKind::AdamW, OptimizerKind::Sgd] {
        for global_pooling in [false, true] {
            let mut learner = learner(&network(global_pooling), config(optimizer));
            let shown = batch(16, 1);
            let first = learner.step(&shown).unwrap();
            // Near-uniform answers: at most nine legal actions, three results.
            assert!(first.policy_loss < 2.4 && (first.value_loss - 3f64.ln()).abs() < 0.2, "{first:?}");
            let last = (0..150).map(|_| learner.step(&shown).unwrap()).last().unwrap();
            assert!(last.total_loss < 0.3 * first.total_loss, "{optimizer:?} {global_pooling}: {first:?} {last:?}");
            assert_eq!((first.step, last.step, learner.steps()), (1, 151, 151));
        }
    }
}

#[test]
fn the_averaged_network_plays_what_was_learned() {
    let mut learner = learner(&network(false), config(OptimizerKind::AdamW));
    // From the empty board: play the corner, win.
    let position = TicTacToe::initial();
    let mut planes = vec![0.0; TicTacToe::encoding().encoded_len()];
    position.encode(&mut planes);
    let mut other = position;
    other.play(selfplay_env::Action(4));
    let mut other_planes = vec![0.0; TicTacToe::encoding().encoded_len()];
    other.encode(&mut other_planes);
    let corner = |index: usize| f32::from(index == 0);
    let shown = TrainingBatch {
        rows: 2,
        planes: [planes, other_planes].concat(),
        candidates: (0..18).map(|index| f32::from(index != 9 + 4)).collect(),
        policy: (0..18).map(|index| corner(index % 9)).collect(),
        wdl: vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ..TrainingBatch::default()
    };
    for _ in 0..120 {
        learner.step(&shown).unwrap();
    }
    let network = learner.play_weights();
    let mut leaves = Batch::new();
    leaves.push(&position);
    leaves.push(&other);
    let mut evaluator: Box<dyn Network> = Box::new(FusedEvaluator::from_weights(TIC_TAC_TOE, &network, Precision::F32));
    evaluator.evaluate(leaves.leaves_mut());
    let [first, second] = leaves.leaves() else { unreachable!("two leaves were pushed") };
    assert!(first.priors[0] > 0.8 && second.priors[0] > 0.8, "{:?} {:?}", first.priors, second.priors);
    assert!(first.wdl.win > 0.8 && second.wdl.loss > 0.8, "{:?} {:?}", first.wdl, second.wdl);
}

#[test]
fn every_weight_is_trained() {
    let start = network(true);
    let mut learner = learner(&start, config(OptimizerKind::AdamW));
    train(&mut learner, 0..2);
    for (before, after) in start.tensors().iter().zip(learner.training_weights().tensors()) {
        assert_ne!(before, after, "{} stayed as it was", before.name);
    }
}

#[test]
fn the_same_steps_give_the_same_bits_with_any_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut learner = learner(&network(true), config(OptimizerKind::AdamW));
            let reports = train(&mut learner, 0..4);
            (reports, bits(&learner.training_weights()), bits(&learner.play_weights()))
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
        let mut straight = learner(&network(true), config(optimizer));
        let straight_reports = train(&mut straight, 0..6);

        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("three-steps");
        let mut interrupted = learner(&network(true), config(optimizer));
        train(&mut interrupted, 0..3);
        let provenance = Provenance { generation: 2, seed: 5, ..Provenance::default() };
        let written = interrupted.save(&folder, &provenance).unwrap();
        drop(interrupted);

        let (mut restored, read) =
            NetworkLearner::restore(&folder, GameShape::for_game::<TicTacToe>(), config(optimizer), on_cpu).unwrap();
        assert_eq!(read, written);
        assert_eq!((read.provenance.step, read.provenance.generation), (3, 2));
        let reports = train(&mut restored, 3..6);
        assert_eq!(reports, straight_reports[3..]);
        assert_eq!(bits(&restored.training_weights()), bits(&straight.training_weights()));
        assert_eq!(bits(&restored.play_weights()), bits(&straight.play_weights()));
    }
}

#[test]
fn the_state_of_another_optimizer_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("start");
    let learner = learner(&network(false), config(OptimizerKind::Sgd));
    learner.save(&folder, &Provenance::default()).unwrap();
    let error =
        NetworkLearner::restore(&folder, GameShape::for_game::<TicTacToe>(), config(OptimizerKind::AdamW), on_cpu)
            .unwrap_err();
    assert!(matches!(&error, LearnerError::OptimizerState { optimizer: "adamw", .. }), "{error}");
    let error = learner.save(&folder, &Provenance::default()).unwrap_err();
    assert!(matches!(error, LearnerError::Network(NetworkError::AlreadyExists { .. })), "{error}");
}

#[test]
fn broken_numbers_stop_the_step_and_change_nothing() {
    let mut learner = learner(&network(true), config(OptimizerKind::AdamW));
    train(&mut learner, 0..2);
    let before = (bits(&learner.training_weights()), bits(&learner.play_weights()), learner.steps());

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

    assert_eq!((bits(&learner.training_weights()), bits(&learner.play_weights()), learner.steps()), before);
}

#[test]
fn batches_of_another_size_are_refused() {
    let mut learner = learner(&network(false), config(OptimizerKind::AdamW));
    let mut short = batch(4, 1);
    short.candidates.pop();
    let error = learner.step(&short).unwrap_err();
    assert!(
        matches!(error, LearnerError::Batch(BatchError::Size { part: "candidates", found: 35, expected: 36 })),
        "{error}"
    );
    assert!(matches!(learner.step(&TrainingBatch::default()), Err(LearnerError::Batch(BatchError::Empty))));
}

#[test]
fn illegal_actions_have_no_say_in_the_policy_loss() {
    // One row, two legal actions, equal target: the loss of a near-uniform network is ln 2, not ln 9.
    let mut learner = learner(&network(false), config(OptimizerKind::AdamW));
    let mut row = batch(1, 1);
    row.candidates = (0..9).map(|index| f32::from(index < 2)).collect();
    row.policy = (0..9).map(|index| if index < 2 { 0.5 } else { 0.0 }).collect();
    let report = learner.step(&row).unwrap();
    assert!((report.policy_loss - 2f64.ln()).abs() < 0.05, "{report:?}");
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
        let mut learner = learner(&start, config);
        train(&mut learner, 0..1);
        learner.training_weights()
    };
    let (plain, decayed) = (decaying(0.0), decaying(0.5));
    for ((before, plain), decayed) in start.tensors().iter().zip(plain.tensors()).zip(decayed.tensors()) {
        let decay = if before.shape.len() >= 2 { 0.01 * 0.5 } else { 0.0 };
        for ((start, plain), decayed) in before.values.iter().zip(&plain.values).zip(&decayed.values) {
            assert!((plain - decay * start - decayed).abs() < 1e-6, "{}: {plain} {decayed}", before.name);
        }
    }
}

#[test]
fn a_learner_leaves_the_network_it_started_from_alone() {
    let start = network(true);
    let before = bits(&start);
    let mut learner = learner(&start, config(OptimizerKind::AdamW));
    train(&mut learner, 0..3);
    assert_eq!(bits(&start), before);
    let playing = learner.play_weights();
    let then = bits(&playing);
    train(&mut learner, 3..5);
    assert_eq!(bits(&playing), then);
}
