//! Strengths, first-move advantage and draw parameter that maximise the likelihood, by Newton's method.

use crate::davidson::OrderResults;
use crate::league::League;
use crate::sparse::{Factor, Pattern, Values};

const MAX_NEWTON_STEPS: usize = 200;
/// The smallest part of a Newton step that is tried.
const SMALLEST_SHARE: f64 = 1e-6;
/// What rounding may take from a log-likelihood, in parts of it.
const ROUNDING: f64 = 1e-12;

/// Weights of one meeting's results by order: the lower index as the first player, then the higher one.
pub(super) type MeetingResults = [OrderResults; 2];

/// What the model is fitted by.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Parameters {
    /// Strength of each player on the logistic scale; 0 for the anchor.
    pub logits: Vec<f64>,
    /// Advantage of the first move on the same scale.
    pub advantage: f64,
    /// Davidson's ν; 0 where no game is drawn.
    pub draw: f64,
}

/// The likelihood of results in a fixed set of meetings; only their weights vary.
pub(super) struct Likelihood {
    players: usize,
    anchor: usize,
    /// Indices of the two players, lower first.
    meetings: Vec<(usize, usize)>,
    /// Results between equal players without an advantage that count towards the draw parameter alone.
    draw_prior: OrderResults,
    pattern: Pattern,
    slots: Slots,
}

/// Where the elements of the information matrix stand, looked up once.
struct Slots {
    /// By variable.
    diagonal: Vec<usize>,
    /// By meeting; `None` if one of the two is the anchor.
    meetings: Vec<Option<usize>>,
    /// By player: with the advantage and with ln ν.
    advantage: Vec<usize>,
    ln_draw: Vec<usize>,
    mixed: usize,
}

/// The log-likelihood at a point with its gradient and the information matrix.
struct Point {
    log_likelihood: f64,
    gradient: Vec<f64>,
    information: Values,
}

impl Likelihood {
    /// For the meetings of `league`. The variables are the players in order, the advantage, and ln ν.
    pub(super) fn new(league: &League, anchor: usize, draw_prior: OrderResults) -> Self {
        let players = league.players.len();
        let (advantage, ln_draw) = (players, players + 1);
        let meetings: Vec<(usize, usize)> = league.meetings.iter().map(|met| (met.lower, met.higher)).collect();
        let moves = |&(lower, higher): &(usize, usize)| lower != anchor && higher != anchor;
        let globals = (0..players).flat_map(|player| [(player, advantage), (player, ln_draw)]);
        let couplings = meetings.iter().copied().filter(moves).chain(globals).chain([(advantage, ln_draw)]);
        let pattern = Pattern::new(players + 2, couplings);
        let slots = Slots {
            diagonal: (0..players + 2).map(|variable| pattern.slot(variable, variable)).collect(),
            meetings: meetings.iter().map(|met| moves(met).then(|| pattern.slot(met.0, met.1))).collect(),
            advantage: (0..players).map(|player| pattern.slot(player, advantage)).collect(),
            ln_draw: (0..players).map(|player| pattern.slot(player, ln_draw)).collect(),
            mixed: pattern.slot(advantage, ln_draw),
        };
        Likelihood { players, anchor, meetings, draw_prior, pattern, slots }
    }

    /// Equal players without an advantage, and draws as frequent as in `results`.
    pub(super) fn start(&self, results: &[MeetingResults]) -> Parameters {
        let (mut decided, mut draws) = (self.draw_prior.wins + self.draw_prior.losses, self.draw_prior.draws);
        for order in results.iter().flatten() {
            decided += order.wins + order.losses;
            draws += order.draws;
        }
        Parameters { logits: vec![0.0; self.players], advantage: 0.0, draw: 2.0 * draws / decided }
    }

    /// The parameters that maximise the likelihood of `results`, one entry a meeting, found from `start` to within about
    /// the square of `tolerance` (logistic scale). The log-likelihood is concave; a step that does not raise it is halved.
    ///
    /// Each side must have won something in every meeting, be it the prior's share; else there is no maximum.
    pub(super) fn maximize(&self, results: &[MeetingResults], start: &Parameters, tolerance: f64) -> Parameters {
        let mut parameters = start.clone();
        let mut point = self.evaluate(results, &parameters);
        for _ in 0..MAX_NEWTON_STEPS {
            let log_likelihood = point.log_likelihood;
            let step = self.pattern.factor(point.information).solve(&point.gradient);
            let mut next = parameters.moved(&step, 1.0);
            if step.iter().all(|part| part.abs() < tolerance) {
                return next;
            }
            let mut next_point = self.evaluate(results, &next);
            let mut share = 1.0;
            while !next_point.is_as_likely_as(log_likelihood) {
                share *= 0.5;
                if share < SMALLEST_SHARE {
                    // The remaining gain is below the rounding error.
                    return parameters;
                }
                next = parameters.moved(&step, share);
                next_point = self.evaluate(results, &next);
            }
            (parameters, point) = (next, next_point);
        }
        parameters
    }

    /// The factor of the information matrix of `results` at these parameters.
    pub(super) fn factor(&self, results: &[MeetingResults], at: &Parameters) -> Factor<'_> {
        self.pattern.factor(self.evaluate(results, at).information)
    }

    /// By meeting: the variance of the difference of the two strengths if the parameters have the inverse of the
    /// information matrix of `results` as their covariance.
    pub(super) fn variances_of_differences(&self, results: &[MeetingResults], at: &Parameters) -> Vec<f64> {
        let inverse = self.factor(results, at).inverse();
        // The anchor's strength is fixed.
        let own = |player: usize| if player == self.anchor { 0.0 } else { inverse[self.slots.diagonal[player]] };
        let variance = |(&(lower, higher), slot): (&(usize, usize), &Option<usize>)| {
            own(lower) + own(higher) - 2.0 * slot.map_or(0.0, |slot| inverse[slot])
        };
        self.meetings.iter().zip(&self.slots.meetings).map(variance).collect()
    }

    /// By order: the expected result of a game of `meeting` for its first player, −½ to ½, and its variance, which is the
    /// information that a game has about its difference x.
    pub(super) fn moments(&self, meeting: usize, at: &Parameters) -> [(f64, f64); 2] {
        let (lower, higher) = self.meetings[meeting];
        let even_score = OrderResults { wins: 0.5, draws: 0.0, losses: 0.5 };
        [(lower, higher), (higher, lower)].map(|(first, second)| {
            let x = at.logits[first] - at.logits[second] + at.advantage;
            let terms = even_score.terms(x, at.draw, at.draw.ln());
            (-terms.by_x, terms.information_x)
        })
    }

    fn evaluate(&self, results: &[MeetingResults], at: &Parameters) -> Point {
        let (advantage, ln_draw) = (self.players, self.players + 1);
        let mut gradient = vec![0.0; self.players + 2];
        let mut information = self.pattern.zeros();
        let draw_logarithm = at.draw.ln();
        let prior = self.draw_prior.terms(0.0, at.draw, draw_logarithm);
        let mut log_likelihood = prior.log_likelihood;
        gradient[ln_draw] = prior.by_ln_draw;
        information[self.slots.diagonal[ln_draw]] = prior.information_ln_draw;
        for ((&(lower, higher), results), slot) in self.meetings.iter().zip(results).zip(&self.slots.meetings) {
            for ((first, second), order) in [(lower, higher), (higher, lower)].into_iter().zip(results) {
                let terms = order.terms(at.logits[first] - at.logits[second] + at.advantage, at.draw, draw_logarithm);
                log_likelihood += terms.log_likelihood;
                for (player, sign) in [(first, 1.0), (second, -1.0)] {
                    gradient[player] += sign * terms.by_x;
                    information[self.slots.diagonal[player]] += terms.information_x;
                    information[self.slots.advantage[player]] += sign * terms.information_x;
                    information[self.slots.ln_draw[player]] += sign * terms.information_mixed;
                }
                if let &Some(slot) = slot {
                    information[slot] -= terms.information_x;
                }
                gradient[advantage] += terms.by_x;
                gradient[ln_draw] += terms.by_ln_draw;
                information[self.slots.diagonal[advantage]] += terms.information_x;
                information[self.slots.diagonal[ln_draw]] += terms.information_ln_draw;
                information[self.slots.mixed] += terms.information_mixed;
            }
        }
        // What does not move gets the row and column of the identity: the anchor, and ν where nothing is drawn.
        gradient[self.anchor] = 0.0;
        information[self.slots.diagonal[self.anchor]] = 1.0;
        information[self.slots.advantage[self.anchor]] = 0.0;
        information[self.slots.ln_draw[self.anchor]] = 0.0;
        if at.draw == 0.0 {
            information[self.slots.diagonal[ln_draw]] = 1.0;
        }
        Point { log_likelihood, gradient, information }
    }
}

impl Point {
    /// Up to rounding; false where a step went so far that the likelihood is no number.
    fn is_as_likely_as(&self, log_likelihood: f64) -> bool {
        self.log_likelihood >= log_likelihood - ROUNDING * log_likelihood.abs()
    }
}

impl Parameters {
    /// The largest difference of a strength or of the advantage to `other`'s.
    pub(super) fn distance(&self, other: &Parameters) -> f64 {
        let logits = self.logits.iter().zip(&other.logits).map(|(one, other)| (one - other).abs());
        logits.fold((self.advantage - other.advantage).abs(), f64::max)
    }

    /// These parameters and `share` of a step, whose parts are the strengths, the advantage and ln ν.
    pub(super) fn moved(&self, step: &[f64], share: f64) -> Self {
        let (players, globals) = step.split_at(self.logits.len());
        Parameters {
            logits: self.logits.iter().zip(players).map(|(logit, step)| logit + share * step).collect(),
            advantage: self.advantage + share * globals[0],
            draw: self.draw * (share * globals[1]).exp(),
        }
    }
}
