//! Positions like those of self-play, to calibrate a network on, and random ones, to see that it is one.

use std::sync::Arc;

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Position, Rules};
use selfplay_mcts::{Leaf, Network};

use super::evaluator::FusedEvaluator;
use super::network::FusedNetwork;
use super::precision::Precision;
use crate::error::NetworkError;
use crate::weights::NetworkWeights;

/// Positions, at most.
const SAMPLES: usize = 256;
/// Games played at the same time.
const GAMES: usize = 16;
/// Share of moves drawn from all moves alike rather than from the network's policy.
const RANDOM_SHARE: f64 = 0.25;
/// Positions in which a network's answers are looked at before it plays, and the random moves between them.
const CHECKED: usize = 8;
const CHECKED_STEP: usize = 3;
/// Keeps these games apart from all others.
const SAMPLE_STREAM: u64 = 0x005A_3F1E;

impl FusedNetwork {
    /// Folds and packs the weights of `network`, made for the game of `rules`, in the given precision. Bytes are
    /// calibrated on positions of games that the network plays with itself without search, always the same for the same
    /// network.
    pub fn with_precision(rules: &dyn Rules, network: &NetworkWeights, precision: Precision) -> Self {
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

impl FusedEvaluator {
    /// An evaluator over `weights`, made for the game of `rules`, in the given precision.
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn from_weights(rules: &dyn Rules, weights: &NetworkWeights, precision: Precision) -> Self {
        assert_eq!(weights.shape().game, rules.id(), "the network plays another game");
        FusedEvaluator::new(Arc::new(FusedNetwork::with_precision(rules, weights, precision)))
    }

    /// The same, if its answers are numbers, which costs it a few.
    ///
    /// # Errors
    /// [`NetworkError::UselessLayer`] if they are not.
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn checked(rules: &dyn Rules, weights: &NetworkWeights, precision: Precision) -> Result<Self, NetworkError> {
        let evaluator = FusedEvaluator::from_weights(rules, weights, precision);
        check_answers(rules, weights, &mut evaluator.clone())?;
        Ok(evaluator)
    }
}

/// Asks `evaluator`, which has `weights`, about a few positions: whether everything it says is a number, and everything that it
/// computes on the way in floats, since a rectifier makes a zero of what is no number.
fn check_answers(
    rules: &dyn Rules,
    weights: &NetworkWeights,
    evaluator: &mut FusedEvaluator,
) -> Result<(), NetworkError> {
    let mut leaves: Vec<_> = random_positions(rules).into_iter().map(Leaf::new).collect();
    let encoded_len = weights.shape().encoded_len();
    let mut samples = vec![0.0; leaves.len() * encoded_len];
    for (leaf, planes) in leaves.iter().zip(samples.chunks_exact_mut(encoded_len)) {
        leaf.position.encode(planes);
    }
    if let Some((layer, value)) = FusedNetwork::new(weights).useless_layer(&samples) {
        return Err(NetworkError::UselessLayer { layer: weights.plan().tower[layer].place.to_string(), value });
    }
    evaluator.evaluate_batch(&mut leaves);
    let numbers = leaves.iter().flat_map(|leaf| {
        let wdl = [leaf.wdl.win, leaf.wdl.draw, leaf.wdl.loss];
        leaf.priors.iter().copied().chain(wdl)
    });
    match numbers.into_iter().find(|number| !number.is_finite()) {
        Some(value) => Err(NetworkError::UselessLayer { layer: "heads".into(), value }),
        None => Ok(()),
    }
}

/// The first position and some of random games, none of them over.
fn random_positions(rules: &dyn Rules) -> Vec<Box<dyn Position>> {
    let mut rng = rng_for(&[SAMPLE_STREAM]);
    let mut positions = vec![rules.initial()];
    let mut position = rules.initial();
    while positions.len() < CHECKED {
        position.play_random(CHECKED_STEP, &mut rng);
        if position.outcome().is_some() {
            position = rules.initial();
        } else {
            positions.push(position.boxed());
        }
    }
    positions
}

/// Encoded positions, `[samples, planes, height, width]`.
fn samples(rules: &dyn Rules, network: &Arc<FusedNetwork>) -> Vec<f32> {
    let mut evaluator = FusedEvaluator::new(Arc::clone(network));
    let mut rng = rng_for(&[SAMPLE_STREAM]);
    let encoded_len = network.shape().encoded_len();
    let mut games: Vec<_> = (0..GAMES).map(|_| rules.initial()).collect();
    let mut samples = Vec::with_capacity(SAMPLES * encoded_len);
    while samples.len() < SAMPLES * encoded_len {
        let mut leaves: Vec<_> = games.iter().cloned().map(Leaf::new).collect();
        for game in &games {
            let start = samples.len();
            samples.resize(start + encoded_len, 0.0);
            game.encode(&mut samples[start..]);
        }
        evaluator.evaluate_batch(&mut leaves);
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
