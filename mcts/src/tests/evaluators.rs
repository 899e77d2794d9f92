//! Evaluators that fake a network.

use selfplay_env::rng::splitmix64;
use selfplay_env::{Game, Side, Wdl};

use crate::{Evaluator, Leaf};

/// Arbitrary but reproducible answers: priors and value are hashes of the position.
pub struct HashEvaluator;

impl<G: Game> Evaluator<G> for HashEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        for leaf in leaves {
            let hash = leaf.position.position_hash();
            // In 1..=256, so that no prior is 0.
            let number = |stream: u64| (splitmix64(hash ^ splitmix64(stream)) % 256 + 1) as f32;
            let [win, draw, loss] = [number(1001), number(1002), number(1003)];
            let sum = win + draw + loss;
            leaf.wdl = Wdl { win: win / sum, draw: draw / sum, loss: loss / sum };
            leaf.priors.clear();
            leaf.priors.extend(leaf.actions.iter().map(|action| number(u64::from(action.0))));
            let sum: f32 = leaf.priors.iter().sum();
            leaf.priors.iter_mut().for_each(|prior| *prior /= sum);
        }
    }
}

/// [`HashEvaluator`], which counts the positions that it is asked about.
#[derive(Default)]
pub struct Counting {
    pub evaluations: usize,
}

impl<G: Game> Evaluator<G> for Counting {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.evaluations += leaves.len();
        HashEvaluator.evaluate(leaves);
    }
}

/// Sure that the first player wins wherever the game is, with equal priors.
pub struct FirstWins;

impl<G: Game> Evaluator<G> for FirstWins {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        for leaf in leaves {
            let value = f32::from(leaf.position.side_to_move() == Side::First);
            leaf.wdl = Wdl { win: value, draw: 0.0, loss: 1.0 - value };
            leaf.priors.clear();
            leaf.priors.resize(leaf.actions.len(), 1.0 / leaf.actions.len() as f32);
        }
    }
}

/// Sees nothing but the first action of every position.
pub struct FirstActionOnly;

impl<G: Game> Evaluator<G> for FirstActionOnly {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        for leaf in leaves {
            leaf.wdl = Wdl { win: 0.0, draw: 1.0, loss: 0.0 };
            leaf.priors.clear();
            leaf.priors.resize(leaf.actions.len(), 0.0);
            leaf.priors[0] = 1.0;
        }
    }
}

/// A network that has diverged: no answer is a number.
pub struct NotANumber;

impl<G: Game> Evaluator<G> for NotANumber {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        for leaf in leaves {
            leaf.wdl = Wdl { win: f32::NAN, draw: f32::NAN, loss: f32::NAN };
            leaf.priors.clear();
            leaf.priors.resize(leaf.actions.len(), f32::NAN);
        }
    }
}

/// Fails the test when it is asked: for paths that must not evaluate anything.
pub struct NeverAsked;

impl<G: Game> Evaluator<G> for NeverAsked {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        panic!("asked about {leaves:?}");
    }
}
