//! How ratings spread when the pairs of every encounter are drawn anew.
//!
//! It is the bootstrap over game pairs in Rubin's form ("The Bayesian bootstrap", 1981): instead of being drawn some
//! whole number of times, each pair of an encounter, the prior's included, gets a random share of it. So the mean of
//! what is drawn is exactly what the ratings themselves are computed from, and an encounter that one side won without a
//! loss keeps a spread: drawn with replacement, it would come out the same every time, and the interval would be
//! narrowest where least is known.

use rand_distr::{Distribution, Exp1, Gamma};
use rayon::prelude::*;
use selfplay_env::rng::{GameRng, rng_for};

use crate::pair_counts::PairCounts;
use crate::statistics::davidson::OrderResults;
use crate::statistics::league::{League, Meeting};
use crate::statistics::likelihood::{Likelihood, MeetingResults, Parameters};

/// The prior of all ratings, in words for reports.
pub const PRIOR: &str = "one virtual pair of games between any two players that met, with one point for each side \
                         and draws as frequent as in all games";

/// Newton's steps at which an estimate and a resample are good enough; their errors are about the squares of these.
const ESTIMATE_TOLERANCE: f64 = 1e-7;
const RESAMPLE_TOLERANCE: f64 = 1e-2;

/// Of the shares in an encounter, where there are so few pairs that any result is possible.
const LEAST_CONCENTRATION: f64 = 1.0;

/// The parameters for the results as they are, and for each of `resamples` that `seed` leads to.
pub(super) fn fit_and_resample(
    league: &League,
    anchor: usize,
    resamples: usize,
    seed: u64,
) -> (Parameters, Vec<Parameters>) {
    let likelihood = Likelihood::new(league, anchor);
    let prior = prior_game(league);
    let played = |met: &Meeting| by_order(&met.counts.0.map(|row| row.map(f64::from)), &prior, 1.0);
    let results: Vec<MeetingResults> = league.meetings.iter().map(played).collect();
    let estimate = likelihood.maximize(&results, &likelihood.start(&results), ESTIMATE_TOLERANCE);
    let resample = |number: usize| {
        let mut rng = rng_for(&[seed, number as u64]);
        let drawn: Vec<MeetingResults> =
            league.meetings.iter().map(|met| redrawn(&met.counts, &prior, &mut rng)).collect();
        likelihood.maximize(&drawn, &estimate, RESAMPLE_TOLERANCE)
    };
    let resampled = (0..resamples).into_par_iter().map(resample).collect();
    (estimate, resampled)
}

/// One game of the [`PRIOR`]'s pair, as equal players are expected to play it. Its share of draws is below 1 even if
/// all games were drawn, so that every meeting holds a win of each side, and 0 if none was.
fn prior_game(league: &League) -> OrderResults {
    // Of every game two players know.
    let games = league.players.iter().map(|player| player.pairs).sum::<u64>() as f64;
    let drawn = league.players.iter().map(|player| player.draws).sum::<u64>() as f64 / 2.0;
    let draws = drawn / (games + 1.0);
    OrderResults { wins: 0.5 * (1.0 - draws), draws, losses: 0.5 * (1.0 - draws) }
}

/// The pairs in `counts` and the prior's with random weights, whose sum is the number of pairs.
///
/// The shares are Dirichlet-distributed, n pairs and the prior's having concentration n − 2 together: then the mean score
/// of the encounter varies by (sample variance) / n, with n − 1 in the sample variance's denominator. Rubin's
/// concentration of 1 a pair makes intervals too narrow for the ten or twenty pairs that are usual.
fn redrawn(counts: &PairCounts, prior: &OrderResults, rng: &mut GameRng) -> MeetingResults {
    let pairs = f64::from(counts.pairs());
    let concentration = (pairs - 2.0).max(LEAST_CONCENTRATION) / (pairs + 1.0);
    // Gamma-distributed weights, divided by their sum; those of pairs with the same results add up to one such weight.
    let mut draw = |pairs: u32| if pairs == 0 { 0.0 } else { gamma(concentration * f64::from(pairs), rng) };
    let mut weights = counts.0.map(|row| row.map(&mut draw));
    let mut prior_weight = draw(1);
    let scale = (pairs + 1.0) / (weights.iter().flatten().sum::<f64>() + prior_weight);
    weights.iter_mut().flatten().for_each(|weight| *weight *= scale);
    prior_weight *= scale;
    by_order(&weights, prior, prior_weight)
}

/// A gamma-distributed number of this shape, above 0.
///
/// Below shape 1 it is one of shape + 1 times U^(1/shape) (Marsaglia and Tsang 2000, "A simple method for generating
/// gamma variables", §6), with −ln U from the fast exponential distribution: a good part of a fit's time goes here.
fn gamma(shape: f64, rng: &mut GameRng) -> f64 {
    let standard = |shape, rng: &mut GameRng| Gamma::new(shape, 1.0).expect("the shape is above 0").sample(rng);
    if shape >= 1.0 {
        return standard(shape, rng);
    }
    let minus_ln_uniform: f64 = Exp1.sample(rng);
    standard(shape + 1.0, rng) * (-minus_ln_uniform / shape).exp()
}

/// The first games and the second games of pairs with these weights by their results, as in [`PairCounts`], and of the
/// prior's pair, each from the view of the game's first player.
fn by_order(weights: &[[f64; 3]; 3], prior: &OrderResults, prior_weight: f64) -> MeetingResults {
    let as_first = |result: usize| weights[result].iter().sum::<f64>();
    let as_second = |result: usize| weights.iter().map(|row| row[result]).sum::<f64>();
    let with_prior = |[losses, draws, wins]: [f64; 3]| OrderResults {
        wins: wins + prior_weight * prior.wins,
        draws: draws + prior_weight * prior.draws,
        losses: losses + prior_weight * prior.losses,
    };
    [with_prior([as_first(0), as_first(1), as_first(2)]), with_prior([as_second(2), as_second(1), as_second(0)])]
}
