//! Positions like those of self-play, to calibrate a network on.

use std::sync::Arc;

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Rules};
use selfplay_mcts::{Leaf, Network};

use super::evaluator::FusedEvaluator;
use super::network::FusedNetwork;
use super::precision::Precision;
use crate::model::PolicyValueNetwork;

/// Positions, at most.
const SAMPLES: usize = 256;
/// Games played at the same time.
const GAMES: usize = 16;
/// Share of decisions drawn from all moves alike rather than from the network's policy.
const RANDOM_SHARE: f64 = 0.25;
/// Keeps these games apart from all others.
const SAMPLE_STREAM: u64 = 0x005A_3F1E;

impl FusedNetwork {
    /// Folds and packs the weights of `network`, made for the game of `rules`, in the given precision. Bytes are
    /// calibrated on positions of games that the network plays with itself without search, always the same for the same
    /// network.
    pub fn with_precision(rules: &dyn Rules, network: &PolicyValueNetwork, precision: Precision) -> Self {
        let floats = FusedNetwork::new(network);
        match precision {
            Precision::F32 => floats,
            Precision::Int8 => {
                let floats = Arc::new(floats);
                FusedNetwork::in_bytes(network, &floats, &samples(rules, &floats))
            }
        }
    }
}

/// Encoded positions, `[samples, planes, height, width]`.
fn samples(rules: &dyn Rules, network: &Arc<FusedNetwork>) -> Vec<f32> {
    let mut evaluator = FusedEvaluator::new(Arc::clone(network));
    let mut rng = rng_for(&[SAMPLE_STREAM]);
    let encoded_len = network.shape().encoded_len();
    let mut games: Vec<_> = (0..GAMES).map(|_| rules.initial()).collect();
    let mut samples = Vec::with_capacity(SAMPLES * encoded_len);
    while samples.len() < SAMPLES * encoded_len {
        let mut leaves: Vec<_> = games.iter().cloned().map(Leaf::asking).collect();
        for game in &games {
            let start = samples.len();
            samples.resize(start + encoded_len, 0.0);
            game.encode(&mut samples[start..]);
        }
        evaluator.judge(&mut leaves);
        for (game, leaf) in games.iter_mut().zip(&leaves) {
            game.play(draw(&leaf.actions, &leaf.priors, &mut rng));
            if game.outcome().is_some() {
                *game = rules.initial();
            }
        }
    }
    samples
}

fn draw(actions: &[Action], priors: &[f32], rng: &mut GameRng) -> Action {
    if rng.random_bool(RANDOM_SHARE) {
        return actions[rng.random_range(0..actions.len())];
    }
    let mut left = rng.random_range(0.0..1.0);
    let drawn = actions.iter().zip(priors).find(|(_, prior)| {
        left -= **prior;
        left < 0.0
    });
    // Rounding may leave a hair beyond the last.
    drawn.map_or(actions[actions.len() - 1], |(action, _)| *action)
}
