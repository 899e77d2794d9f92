//! The joint posterior of ratings: Laplace's approximation, a normal distribution around the estimate.
//!
//! Its covariance is the inverse of the information matrix, results and prior together, times the dispersion of game
//! pairs: how much the results of pairs vary in comparison with independent games. Openings that favour one side make
//! pairs vary less, and games that repeat make them vary more.

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use selfplay_env::rng::rng_for;

use crate::davidson::OrderResults;
use crate::league::League;
use crate::likelihood::{Likelihood, MeetingResults, Parameters};
use crate::pair_counts::PairCounts;
use crate::prior::{PriorFit, draw_prior, fit};

/// Pairs of independent games that the observed dispersion is averaged with: a few pairs say little about it.
const DISPERSION_PRIOR_PAIRS: f64 = 10.0;

/// The parameters that fit best, and `samples` draws from their posterior that `seed` leads to.
pub(super) fn fit_and_sample(
    league: &League,
    anchor: usize,
    samples: usize,
    seed: u64,
) -> (Parameters, Vec<Parameters>) {
    let likelihood = Likelihood::new(league, anchor, draw_prior(league));
    let results: Vec<MeetingResults> = league.meetings.iter().map(|met| by_order(&met.counts)).collect();
    let fitted = fit(&likelihood, &results);
    let dispersion = Dispersion::new(&likelihood, league, &fitted);
    let factor = likelihood.factor(&fitted.results, &fitted.parameters);
    let variables = fitted.parameters.logits.len() + 2;
    let sample = |number: usize| {
        let mut rng = rng_for(&[seed, number as u64]);
        let normal = (0..variables).map(|_| StandardNormal.sample(&mut rng)).collect();
        let mut step = factor.correlate(normal);
        dispersion.scale(&mut step);
        step[anchor] = 0.0;
        fitted.parameters.moved(&step, 1.0)
    };
    let drawn = (0..samples).into_par_iter().map(sample).collect();
    (fitted.parameters, drawn)
}

/// The first games and the second games of pairs, each from the view of the game's first player.
fn by_order(counts: &PairCounts) -> MeetingResults {
    let [losses, draws, wins] = counts.as_first().map(f64::from);
    let [second_losses, second_draws, second_wins] = counts.as_second().map(f64::from);
    [
        OrderResults { wins, draws, losses },
        OrderResults { wins: second_losses, draws: second_draws, losses: second_wins },
    ]
}

/// Variance of what pairs came to in parts of the variance that independent games have.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Dispersion {
    /// Of the points of a player in a pair: what errors of strengths come from.
    strengths: f64,
    /// Of the points of the first players in a pair: what the error of the first-move advantage comes from.
    advantage: f64,
}

impl Dispersion {
    fn new(likelihood: &Likelihood, league: &League, fitted: &PriorFit) -> Self {
        let (mut strengths, mut advantage) = (0.0, 0.0);
        let (mut expected, mut independent, mut pairs) = (0.0, 0.0, 0.0);
        for (meeting, met) in league.meetings.iter().enumerate() {
            let moments = likelihood.moments(meeting, &fitted.parameters);
            let [(first, _), (second, _)] = moments;
            let count = f64::from(met.counts.pairs());
            for (as_first, as_second, number) in met.counts.cells() {
                let first_error = 0.5 * f64::from(as_first) - first;
                let second_error = -0.5 * f64::from(as_second) - second;
                strengths += f64::from(number) * (first_error - second_error).powi(2);
                advantage += f64::from(number) * (first_error + second_error).powi(2);
            }
            for ((_, variance), leverage) in moments.into_iter().zip(fitted.leverages[meeting]) {
                independent += variance * count;
                // The fit explains part of the variance.
                expected += variance * (count - leverage).max(0.0);
            }
            pairs += count;
        }
        let prior = DISPERSION_PRIOR_PAIRS * independent / pairs;
        Dispersion {
            strengths: (strengths + prior) / (expected + prior),
            advantage: (advantage + prior) / (expected + prior),
        }
    }

    /// Scales a step of all parameters, which stand in the order of [`Likelihood`]'s variables.
    fn scale(&self, step: &mut [f64]) {
        let players = step.len() - 2;
        step[..players].iter_mut().for_each(|part| *part *= self.strengths.sqrt());
        step[players] *= self.advantage.sqrt();
    }
}
