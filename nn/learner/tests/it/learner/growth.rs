//! A grown network trains on from where the small one stood; a pooled one trains and plays on every path.

use selfplay_env::rules;
use selfplay_mcts::Leaf;
use selfplay_network::growth::grow;
use selfplay_pente::Pente;

use super::*;

#[test]
fn a_grown_network_goes_on_where_the_small_one_stood() {
    for global_pooling in [false, true] {
        let mut small = learner(&network(global_pooling), config(OptimizerKind::AdamW));
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
        let trained = small.training_weights();
        let grown = grow(&trained, *trained.shape(), large, 3).unwrap();
        let mut learner = learner(&grown, config(OptimizerKind::AdamW));
        let (next, as_small) = (learner.step(&batch(16, 1)).unwrap(), small.step(&batch(16, 1)).unwrap());
        assert!((next.policy_loss - as_small.policy_loss).abs() < 1e-4, "{next:?} {as_small:?}");
        assert!((next.value_loss - as_small.value_loss).abs() < 1e-4, "{next:?} {as_small:?}");
        let last = (0..150).map(|_| learner.step(&batch(16, 1)).unwrap()).last().unwrap();
        assert_eq!(last.step, 151);
        assert!(last.total_loss < 0.5 * next.total_loss, "{next:?} {last:?}");
        // Every part takes part: copies of a channel drift apart, new blocks are no longer the identity.
        let weights = learner.training_weights();
        let kernel = weights.numbers("stem.conv.weight");
        let (first, copies) = kernel.split_at(kernel.len() / 2);
        assert!(first.iter().zip(copies).any(|(a, b)| (a - b).abs() > 1e-3), "the copies learned the same");
        let scale = weights.numbers("blocks.3.second.norm.gamma");
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
    let start = NetworkWeights::fresh(GameShape::for_game::<Game9>(), pooled, 1).unwrap();
    let mut learner = learner(&start, config(OptimizerKind::AdamW));
    let mut rng = rng_for(&[3]);
    let mut leaves = Batch::new();
    let mut shown = TrainingBatch { rows: 24, ..TrainingBatch::default() };
    for _ in 0..shown.rows {
        let mut position = Game9::initial();
        play_random(&mut position, rng.random_range(0..20), &mut rng);
        leaves.push(&position);
        let mut planes = vec![0.0; Game9::encoding().encoded_len()];
        position.encode(&mut planes);
        shown.planes.extend(planes);
        let actions = &leaves.leaves().last().unwrap().actions;
        let chosen = actions[rng.random_range(0..actions.len())].index();
        shown.candidates.extend((0..81).map(|index| f32::from(actions.iter().any(|action| action.index() == index))));
        shown.policy.extend((0..81).map(|index| f32::from(index == chosen)));
        shown.wdl.extend([1.0, 0.0, 0.0]);
        shown.auxiliary.opponent_policy.extend((0..81).map(|index| f32::from(index == chosen)));
        shown.auxiliary.finished.push(1.0);
        shown.auxiliary.moves_left.push(0.5);
        shown.auxiliary.final_state.extend((0..243).map(|index| f32::from(index / 81 == index % 3)));
    }
    let first = learner.step(&shown).unwrap();
    // Not until all is learned by heart: then logits are so large that bytes tell single answers apart from floats.
    let last = (0..20).map(|_| learner.step(&shown).unwrap()).last().unwrap();
    assert!(last.total_loss < 0.7 * first.total_loss, "{first:?} {last:?}");

    let network = learner.play_weights();
    let answers = |evaluator: &mut (dyn Network + 'static)| {
        let mut leaves = leaves.clone();
        evaluator.evaluate(leaves.leaves_mut());
        let answer = |leaf: &Leaf<Game9>| leaf.priors.iter().copied().chain([leaf.wdl.win]).collect::<Vec<f32>>();
        leaves.leaves().iter().flat_map(answer).collect::<Vec<f32>>()
    };
    let fused = |precision| FusedEvaluator::from_weights(rules::<Game9>(), &network, precision);
    let (floats, bytes) = (answers(&mut fused(Precision::F32)), answers(&mut fused(Precision::Int8)));
    let worst = floats.iter().zip(&bytes).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 0.1, "{worst}");
}
