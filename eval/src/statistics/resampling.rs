//! How ratings spread when the pairs of every encounter are drawn anew.
//!
//! It is the bootstrap over game pairs in Rubin's form ("The Bayesian bootstrap", 1981): instead of being drawn some
//! whole number of times, pairs get random weights, so that the nine results of a pair in an encounter have
//! Dirichlet-distributed shares. The prior's pair takes part. So the mean of the shares is exactly what the ratings
//! themselves are computed from, and an encounter that one side won without a loss keeps a spread: drawn with
//! replacement, it would come out the same every time, and the interval would be narrowest where least is known.

use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;
use selfplay_env::rng::{GameRng, rng_for};

use crate::pair_counts::PairCounts;
use crate::statistics::davidson::OrderResults;
use crate::statistics::league::League;
use crate::statistics::likelihood::{Likelihood, MeetingResults, Parameters};

/// The prior of all ratings, in words for reports.
pub const PRIOR: &str = "one virtual pair of games between any two players that met, with one point for each side \
                         and draws as frequent as in all games";

/// Newton's steps at which an estimate and a resample are good enough; their errors are about the squares of these.
const ESTIMATE_TOLERANCE: f64 = 1e-7;
const RESAMPLE_TOLERANCE: f64 = 1e-3;

/// The parameters for the results as they are, and for each of `resamples` that `seed` leads to.
pub(super) fn fit_and_resample(
    league: &League,
    anchor: usize,
    resamples: usize,
    seed: u64,
) -> (Parameters, Vec<Parameters>) {
    let likelihood = Likelihood::new(league, anchor);
    let prior = prior_pair(league);
    let weights: Vec<[[f64; 3]; 3]> = league.meetings.iter().map(|met| with_prior(&met.counts, &prior)).collect();
    let results: Vec<MeetingResults> = weights.iter().map(by_order).collect();
    let estimate = likelihood.maximize(&results, &likelihood.start(&results), ESTIMATE_TOLERANCE);
    let resample = |number: usize| {
        let mut rng = rng_for(&[seed, number as u64]);
        let drawn: Vec<MeetingResults> = weights.iter().map(|weights| by_order(&redrawn(weights, &mut rng))).collect();
        likelihood.maximize(&drawn, &estimate, RESAMPLE_TOLERANCE)
    };
    let resampled = (0..resamples).into_par_iter().map(resample).collect();
    (estimate, resampled)
}

/// The [`PRIOR`] by the two results of the pair, as in [`PairCounts`]: what two equal players are expected to make of
/// it. Its share of draws is below 1 even if all games were drawn, so that every meeting holds a win of each side, and 0
/// if none was.
fn prior_pair(league: &League) -> [[f64; 3]; 3] {
    let all: PairCounts = league.meetings.iter().map(|met| met.counts).sum();
    let drawn = f64::from(all.draws()) / (f64::from(all.games()) + 1.0);
    let shares = [0.5 * (1.0 - drawn), drawn, 0.5 * (1.0 - drawn)];
    shares.map(|first| shares.map(|second| first * second))
}

fn with_prior(counts: &PairCounts, prior: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|first| std::array::from_fn(|second| f64::from(counts.0[first][second]) + prior[first][second]))
}

/// Dirichlet-distributed weights with the means and the sum of `weights`.
fn redrawn(weights: &[[f64; 3]; 3], rng: &mut GameRng) -> [[f64; 3]; 3] {
    // No gamma distribution has shape 0: no such pair was seen, and the prior has none.
    let draw = |weight: f64, rng: &mut GameRng| Gamma::new(weight, 1.0).map_or(0.0, |gamma| gamma.sample(rng));
    let mut drawn = *weights;
    drawn.iter_mut().flatten().for_each(|weight| *weight = draw(*weight, rng));
    let scale = sum(weights) / sum(&drawn);
    drawn.iter_mut().flatten().for_each(|weight| *weight *= scale);
    drawn
}

fn sum(weights: &[[f64; 3]; 3]) -> f64 {
    weights.iter().flatten().sum()
}

/// The results of the first games and of the second games of pairs, each from the view of its first player.
fn by_order(weights: &[[f64; 3]; 3]) -> MeetingResults {
    let as_first = |result: usize| weights[result].iter().sum::<f64>();
    let as_second = |result: usize| weights.iter().map(|row| row[result]).sum::<f64>();
    [
        OrderResults { losses: as_first(0), draws: as_first(1), wins: as_first(2) },
        OrderResults { losses: as_second(2), draws: as_second(1), wins: as_second(0) },
    ]
}
