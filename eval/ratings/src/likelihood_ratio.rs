//! The generalised log-likelihood ratio of two hypotheses about the strength of a player, on pentanomial counts.
//!
//! Van den Bergh, "A practical introduction to the GSPRT" and "Comments on normalized Elo" (2020). Each hypothesis fixes
//! one number of the distribution of pair scores, and the likelihood takes the best distribution that has it: its mean in
//! the logistic model, (mean − ½) / standard deviation in the normalized model.

use crate::elo::{ELO_PER_LOGIT, expected_score};

/// Replaces a count of zero, so that no result is impossible; the number of fishtest and fastchess.
const REGULARIZED_ZERO: f64 = 1e-3;

/// Bisection halves the range to the last digit of a float, should Newton's method not get there first.
const MAX_ROOT_STEPS: usize = 200;

/// Standard deviations at which the likelihood of the normalized model is computed to bracket its maximum.
const GRID: usize = 24;
const MAX_NEWTON_STEPS: usize = 100;
const NEWTON_TOLERANCE: f64 = 1e-12;

/// Points per game of a pair that made `half` half points.
fn score(half: usize) -> f64 {
    half as f64 / 4.0
}

fn regularized(pentanomial: [u32; 5]) -> [f64; 5] {
    pentanomial.map(|count| if count == 0 { REGULARIZED_ZERO } else { f64::from(count) })
}

/// The ratio, in nats, of a difference of `elo1` Elo points to one of `elo0`, both on the logistic curve.
pub(super) fn logistic(pentanomial: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    let counts = regularized(pentanomial);
    let [factors0, factors1] = [elo0, elo1].map(|elo| most_likely_factors(&counts, expected_score(elo)));
    // p1 / p0 = (n / factor1) / (n / factor0): the counts themselves cancel out.
    (0..5).map(|half| counts[half] * (factors0[half] / factors1[half]).ln()).sum()
}

/// What each observed frequency is divided by in the likeliest distribution with mean `mean`: 1 + θ (a − mean) for pair
/// score a, where θ solves Σ p (a − mean) / (1 + θ (a − mean)) = 0 ("Comments on normalized Elo", Proposition 1.1).
fn most_likely_factors(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let deviations: [f64; 5] = std::array::from_fn(|half| score(half) - mean);
    // The sum falls from +∞ to −∞ between the poles, where the first and the last factor reach 0.
    let (mut low, mut high) = (-1.0 / deviations[4], -1.0 / deviations[0]);
    let mut theta = 0.0;
    for _ in 0..MAX_ROOT_STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (count, deviation) in counts.iter().zip(deviations) {
            let term = deviation / (1.0 + theta * deviation);
            value += count * term;
            slope -= count * term * term;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - value / slope;
        let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
        let has_converged = (next - theta).abs() <= 4.0 * f64::EPSILON * theta.abs().max(1.0);
        theta = next;
        if has_converged {
            break;
        }
    }
    deviations.map(|deviation| 1.0 + theta * deviation)
}

/// The ratio, in nats, of a difference of `elo1` normalized Elo points to one of `elo0`, both of at most
/// [`MAX_NORMALIZED_ELO`] in size.
pub(super) fn normalized(pentanomial: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    let counts = regularized(pentanomial);
    let [loss0, loss1] =
        [elo0, elo1].map(|elo| least_loss(&counts, elo * std::f64::consts::SQRT_2 / (2.0 * ELO_PER_LOGIT)));
    loss0 - loss1
}

/// Greatest hypothesis of the normalized model. Pair scores have five values, so a distribution of them with
/// (mean − ½) / deviation above 2 is not reached by every deviation.
pub(super) const MAX_NORMALIZED_ELO: f64 = 400.0;

/// How far the log-likelihood of the best distribution with (mean − ½) / deviation = `t` is below that of the observed
/// frequencies.
///
/// For each standard deviation σ the mean and the second moment are fixed: a concave problem with one solution. The best
/// σ is then found in one dimension. The iteration of "Comments on normalized Elo", section 4.1, agrees wherever it
/// converges; it does not where nearly all pairs have the same score.
fn least_loss(counts: &[f64; 5], t: f64) -> f64 {
    if t < 0.0 {
        let mut reversed = *counts;
        reversed.reverse();
        return least_loss(&reversed, -t);
    }
    // The moments of a distribution on the five scores lie between these.
    let (least, greatest) = (0.25 * t / (1.0 + t * t), 0.5 / (1.0 + t * t).sqrt());
    let sigma = |share: f64| least + share * (greatest - least);
    let place = |step: usize| (step as f64 + 0.5) / GRID as f64;
    let best = (0..GRID).map(|step| (step, FixedMoments::solve(counts, t, sigma(place(step))).loss));
    let (best, _) = best.min_by(|(_, one), (_, other)| one.total_cmp(other)).expect("the grid has points");
    let (mut low, mut high) = (place(best) - 1.0 / GRID as f64, place(best) + 1.0 / GRID as f64);
    (low, high) = (low.max(0.0), high.min(1.0));
    let mut loss = f64::INFINITY;
    for _ in 0..MAX_ROOT_STEPS {
        let middle = 0.5 * (low + high);
        let point = FixedMoments::solve(counts, t, sigma(middle));
        loss = point.loss;
        if point.slope > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
        // The loss is flat at its minimum: its error is about the square of the bracket.
        if high - low < 1e-9 {
            break;
        }
    }
    loss
}

/// The likeliest distribution with mean ½ + t σ and standard deviation σ.
struct FixedMoments {
    /// By how much its log-likelihood is below that of the observed frequencies.
    loss: f64,
    /// Derivative of the loss by σ.
    slope: f64,
}

impl FixedMoments {
    /// The loss is the maximum over λ of the concave Σ n ln(1 + λ₁ d + λ₂ (d² − σ²)), d the deviation from the mean.
    fn solve(counts: &[f64; 5], t: f64, sigma: f64) -> Self {
        let deviations: [f64; 5] = std::array::from_fn(|half| score(half) - 0.5 - t * sigma);
        let constraints = deviations.map(|deviation| [deviation, deviation * deviation - sigma * sigma]);
        let total: f64 = counts.iter().sum();
        let factor = |lambda: [f64; 2], [one, two]: [f64; 2]| 1.0 + lambda[0] * one + lambda[1] * two;
        // Not a number where a factor is not above 0, which compares as no gain.
        let loss = |lambda: [f64; 2]| -> f64 {
            counts.iter().zip(constraints).map(|(count, constraint)| count * factor(lambda, constraint).ln()).sum()
        };
        let (mut lambda, mut value) = ([0.0; 2], 0.0);
        for _ in 0..MAX_NEWTON_STEPS {
            let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
            for (count, constraint) in counts.iter().zip(constraints) {
                let [one, two] = constraint.map(|part| part / factor(lambda, constraint));
                gradient = [gradient[0] + count * one, gradient[1] + count * two];
                curvature = [
                    curvature[0] + count * one * one,
                    curvature[1] + count * one * two,
                    curvature[2] + count * two * two,
                ];
            }
            let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
            let step = [
                (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
                (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
            ];
            let gain = step[0] * gradient[0] + step[1] * gradient[1];
            if gain <= NEWTON_TOLERANCE * total.min(1.0) || gain.is_nan() {
                break;
            }
            let moved = |share: f64| [lambda[0] + share * step[0], lambda[1] + share * step[1]];
            let rises = |share: f64| loss(moved(share)) > value;
            let mut share = 1.0;
            while !rises(share) && share > f64::EPSILON {
                share *= 0.5;
            }
            if share <= f64::EPSILON {
                break;
            }
            (lambda, value) = (moved(share), loss(moved(share)));
        }
        FixedMoments { loss: value, slope: -total * (lambda[0] * t + 2.0 * lambda[1] * sigma) }
    }
}
