//! Positions like those of self-play, to calibrate a network on.

use std::sync::Arc;

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, TensorEncoding};
use selfplay_mcts::{Batch, Evaluator};

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
    /// Folds and packs the weights of `network` in the given precision. Bytes are calibrated on positions of games
    /// that the network plays with itself without search, always the same for the same network.
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn with_precision<G: TensorEncoding>(network: &PolicyValueNetwork, precision: Precision) -> Self {
        let floats = FusedNetwork::new(network);
        match precision {
            Precision::F32 => floats,
            Precision::Int8 => {
                let floats = Arc::new(floats);
                FusedNetwork::in_bytes(network, &floats, &samples::<G>(&floats))
            }
        }
    }
}

/// Encoded positions, `[samples, planes, height, width]`.
fn samples<G: TensorEncoding>(network: &Arc<FusedNetwork>) -> Vec<f32> {
    let mut evaluator = FusedEvaluator::new(Arc::clone(network));
    let mut rng = rng_for(&[SAMPLE_STREAM]);
    let mut games = vec![G::initial(); GAMES];
    let mut samples = Vec::with_capacity(SAMPLES * G::ENCODED_LEN);
    let mut batch = Batch::new();
    while samples.len() < SAMPLES * G::ENCODED_LEN {
        batch.clear();
        for game in &games {
            batch.push(game);
            let start = samples.len();
            samples.resize(start + G::ENCODED_LEN, 0.0);
            game.encode(&mut samples[start..]);
        }
        evaluator.evaluate(batch.leaves_mut());
        for (game, leaf) in games.iter_mut().zip(batch.leaves()) {
            game.play(draw(&leaf.actions, &leaf.priors, &mut rng));
            if game.outcome().is_some() {
                *game = G::initial();
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
