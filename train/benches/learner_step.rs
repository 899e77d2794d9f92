//! What a training step costs, without auxiliary heads and with all of them: `cargo bench -p selfplay-train`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use selfplay_env::rng::rng_for;
use selfplay_mcts::SearchConfig;
use selfplay_network::{AuxiliaryConfig, DeviceKind, NetworkConfig, PolicyValueNetwork};
use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_train::{
    DecisionRecord, GameEnd, GameRecord, Learner, LearnerConfig, ReplayBuffer, ReplayConfig, SearchTarget, sample_batch,
};

const ALL_HEADS: AuxiliaryConfig = AuxiliaryConfig { next_action: true, moves_left: true, final_state: true };

/// Records of random games that ended.
fn replay() -> ReplayBuffer {
    let mut buffer = ReplayBuffer::new();
    for game_number in 0..50 {
        let mut position = PENTAGO_SWAP.initial();
        let actions = position.play_random(500, &mut rng_for(&[u64::from(game_number)]));
        let record = |action: &selfplay_env::Action| DecisionRecord {
            action: action.0,
            target: Some(SearchTarget {
                policy: vec![(action.0, 1)],
                win: 0.5,
                loss: 0.5,
                proven: None,
                surprise: 0.0,
            }),
        };
        let decisions = actions.iter().map(record).collect();
        let end = position.outcome().map_or(GameEnd::CAPPED, GameEnd::by_rules);
        buffer.extend([GameRecord { decisions, end, ..GameRecord::new(game_number) }], &ReplayConfig::default());
    }
    buffer
}

/// The default network, 6 blocks of 64 channels, and the default batch of 256 positions on 6×6 cells.
fn steps(criterion: &mut Criterion) {
    let device = DeviceKind::Flex.open().unwrap();
    let buffer = replay();
    let mut group = criterion.benchmark_group(PENTAGO_SWAP.id());
    for (name, auxiliary) in [("without auxiliary heads", AuxiliaryConfig::default()), ("with all", ALL_HEADS)] {
        let config = NetworkConfig { auxiliary, ..NetworkConfig::default() };
        let network = PolicyValueNetwork::new(PENTAGO_SWAP.shape(), config, 1, &device).unwrap();
        let learner_config = LearnerConfig::default();
        let mut learner = Learner::new(&network, learner_config.clone(), &device).unwrap();
        let batch =
            sample_batch(PENTAGO_SWAP, &buffer, &learner_config, auxiliary, &SearchConfig::default(), 1).unwrap();
        group.bench_function(format!("step {name}"), |bencher| {
            bencher.iter(|| learner.step(black_box(&batch)).unwrap())
        });
        group.bench_function(format!("batch {name}"), |bencher| {
            bencher.iter(|| {
                sample_batch(PENTAGO_SWAP, black_box(&buffer), &learner_config, auxiliary, &SearchConfig::default(), 1)
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = steps
}
criterion_main!(benches);
