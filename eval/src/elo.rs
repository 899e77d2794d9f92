//! Elo ratings: of one match, and of any number of players by maximum likelihood.
//!
//! The model is Bradley and Terry's (1952) on Elo's scale: a player rated `d` above another scores
//! `1 / (1 + 10^(−d/400))` on average. A draw counts as half a win and half a loss.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::EvalError;
use crate::pair_counts::{PairCounts, Z_95};

/// The prior of all ratings, in words for reports.
pub const PRIOR: &str = "one virtual pair of games with one point for each side between any two players that met";

/// Elo points in one unit of the logistic scale: 400 / ln 10.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Newton's method stops when no rating moves by more than this (logistic scale).
const TOLERANCE: f64 = 1e-10;
const MOST_NEWTON_STEPS: usize = 200;
/// The smallest part of a Newton step that is tried.
const SMALLEST_SHARE: f64 = 1e-6;
/// What rounding may take from a log-likelihood.
const ROUNDING: f64 = 1e-9;

/// Mean score in 0..=1 of a player rated `elo` above the opponent.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

/// The rating difference at which `score` is expected; infinite for 0 and 1.
pub fn elo_difference(score: f64) -> f64 {
    ELO_PER_LOGIT * (score / (1.0 - score)).ln()
}

/// A rating difference with its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct EloEstimate {
    /// The estimate in Elo points.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl EloEstimate {
    fn from_standard_error(elo: f64, standard_error: f64) -> Self {
        EloEstimate { elo, low: elo - Z_95 * standard_error, high: elo + Z_95 * standard_error }
    }

    /// The difference between the players of one match, for the one whose results `counts` holds.
    ///
    /// With the [`PRIOR`], so it is finite even if all games were won, and drawn towards 0 by small matches. The interval
    /// comes from the variance of pair scores carried over to Elo by the slope of the curve (delta method); it is too
    /// narrow when openings repeat, and only rough near scores of 0 and 1.
    pub fn of_match(counts: &PairCounts) -> Self {
        let score = counts.smoothed_score();
        let slope = ELO_PER_LOGIT / (score * (1.0 - score));
        Self::from_standard_error(elo_difference(score), slope * counts.standard_error())
    }
}

/// The games between two players, seen from `a`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Encounter {
    /// One player.
    pub a: String,
    /// The other.
    pub b: String,
    /// Games that `a` won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games that `a` lost.
    pub losses: u32,
}

/// One player's line in a [`RatingTable`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Name of the player.
    pub player: String,
    /// Rating above the anchor, with the 95 % interval of that difference.
    #[serde(flatten)]
    pub estimate: EloEstimate,
    /// Games played.
    pub games: u64,
    /// Points per game in 0..=1.
    pub score: f64,
}

/// Ratings of players that met, best first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingTable {
    /// One line a player, the greatest rating first.
    pub ratings: Vec<Rating>,
    /// The player whose rating is 0.
    pub anchor: String,
    /// [`PRIOR`].
    pub prior: &'static str,
}

impl RatingTable {
    /// The maximum-likelihood ratings for all `encounters`, with `anchor` at 0 and the [`PRIOR`].
    ///
    /// The intervals come from the inverse Hessian of the log-likelihood. They take games as independent and a draw as
    /// two half games: too wide where many games are drawn, too narrow where games repeat. They are errors of the
    /// difference to the anchor; the difference between two others is not found by adding theirs.
    ///
    /// # Errors
    /// [`EvalError::OwnOpponent`], [`EvalError::UnknownAnchor`], or [`EvalError::Unconnected`] with the groups of
    /// players that no games connect.
    pub fn fit(encounters: &[Encounter], anchor: &str) -> Result<Self, EvalError> {
        let league = League::collect(encounters)?;
        let names = || league.players.iter().map(|player| player.name.clone()).collect();
        let Some(anchor_index) = league.players.iter().position(|player| player.name == anchor) else {
            return Err(EvalError::UnknownAnchor { anchor: anchor.into(), players: names() });
        };
        let groups = league.groups();
        if groups.len() > 1 {
            return Err(EvalError::Unconnected { groups });
        }
        let (logits, covariance) = league.most_likely(anchor_index);
        let line = |(index, player): (usize, &Standing)| {
            let standard_error = ELO_PER_LOGIT * covariance[index][index].max(0.0).sqrt();
            Rating {
                player: player.name.clone(),
                estimate: EloEstimate::from_standard_error(ELO_PER_LOGIT * logits[index], standard_error),
                games: player.games,
                score: player.points / player.games as f64,
            }
        };
        let mut ratings: Vec<Rating> = league.players.iter().enumerate().map(line).collect();
        ratings.sort_by(|x, y| y.estimate.elo.total_cmp(&x.estimate.elo).then_with(|| x.player.cmp(&y.player)));
        Ok(RatingTable { ratings, anchor: anchor.into(), prior: PRIOR })
    }
}

/// One player's sums.
struct Standing {
    name: String,
    games: u64,
    points: f64,
}

/// All that the likelihood needs.
struct League {
    players: Vec<Standing>,
    /// By (lower, higher) index of two players that met: points of the lower, and games; the prior included.
    meetings: BTreeMap<(usize, usize), (f64, f64)>,
}

impl League {
    fn collect(encounters: &[Encounter]) -> Result<Self, EvalError> {
        let mut league = League { players: Vec::new(), meetings: BTreeMap::new() };
        for encounter in encounters {
            if encounter.a == encounter.b {
                return Err(EvalError::OwnOpponent { player: encounter.a.clone() });
            }
            let games = u64::from(encounter.wins) + u64::from(encounter.draws) + u64::from(encounter.losses);
            if games == 0 {
                continue;
            }
            let points = f64::from(encounter.wins) + 0.5 * f64::from(encounter.draws);
            let total = games as f64;
            let a = league.count(&encounter.a, games, points);
            let b = league.count(&encounter.b, games, total - points);
            let (key, lower_points) = if a < b { ((a, b), points) } else { ((b, a), total - points) };
            // The prior: two virtual games, a point for each.
            let meeting = league.meetings.entry(key).or_insert((1.0, 2.0));
            meeting.0 += lower_points;
            meeting.1 += total;
        }
        Ok(league)
    }

    /// Adds to the sums of the player called `name` and returns its index.
    fn count(&mut self, name: &str, games: u64, points: f64) -> usize {
        let index = self.players.iter().position(|player| player.name == name).unwrap_or_else(|| {
            self.players.push(Standing { name: name.into(), games: 0, points: 0.0 });
            self.players.len() - 1
        });
        self.players[index].games += games;
        self.players[index].points += points;
        index
    }

    /// Names of the players, grouped by who is connected with whom by games.
    fn groups(&self) -> Vec<Vec<String>> {
        let mut group_of: Vec<usize> = (0..self.players.len()).collect();
        for &(lower, higher) in self.meetings.keys() {
            let (kept, gone) = (group_of[lower], group_of[higher]);
            group_of.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
        }
        let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (player, group) in self.players.iter().zip(group_of) {
            groups.entry(group).or_default().push(player.name.clone());
        }
        groups.into_values().collect()
    }

    /// Logistic ratings with `anchor` at 0, and their covariance, by Newton's method. The log-likelihood is concave and
    /// the prior makes its maximum finite; a step that does not raise it is halved.
    fn most_likely(&self, anchor: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut logits = vec![0.0; self.players.len()];
        for _ in 0..MOST_NEWTON_STEPS {
            let (gradient, covariance) = self.curvature(&logits, anchor);
            let step: Vec<f64> =
                covariance.iter().map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum()).collect();
            let before = self.log_likelihood(&logits);
            let mut share = 1.0;
            let moved = |share: f64| -> Vec<f64> { logits.iter().zip(&step).map(|(x, s)| x + share * s).collect() };
            let mut candidate = moved(share);
            while self.log_likelihood(&candidate) < before - ROUNDING && share > SMALLEST_SHARE {
                share *= 0.5;
                candidate = moved(share);
            }
            logits = candidate;
            if step.iter().all(|s| s.abs() < TOLERANCE) {
                break;
            }
        }
        let (_, covariance) = self.curvature(&logits, anchor);
        (logits, covariance)
    }

    fn log_likelihood(&self, logits: &[f64]) -> f64 {
        // ln p = −ln(1 + e^−x), written so that nothing overflows.
        let ln_expected = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
        let terms = self.meetings.iter().map(|(&(i, j), &(points, games))| {
            let x = logits[i] - logits[j];
            points * ln_expected(x) + (games - points) * ln_expected(-x)
        });
        terms.sum()
    }

    /// The gradient of the log-likelihood, and the inverse of its negated Hessian; zero in the anchor's row and column.
    fn curvature(&self, logits: &[f64], anchor: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let count = logits.len();
        let mut gradient = vec![0.0; count];
        let mut information = vec![vec![0.0; count]; count];
        for (&(i, j), &(points, games)) in &self.meetings {
            let expected = 1.0 / (1.0 + (logits[j] - logits[i]).exp());
            let surplus = points - games * expected;
            gradient[i] += surplus;
            gradient[j] -= surplus;
            let weight = games * expected * (1.0 - expected);
            information[i][i] += weight;
            information[j][j] += weight;
            information[i][j] -= weight;
            information[j][i] -= weight;
        }
        // The anchor does not move: its row and column become those of the identity, and its covariance 0.
        information.iter_mut().for_each(|row| row[anchor] = 0.0);
        information[anchor].fill(0.0);
        information[anchor][anchor] = 1.0;
        let mut covariance = inverse(information);
        covariance[anchor][anchor] = 0.0;
        (gradient, covariance)
    }
}

/// The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination (no pivoting is needed for these).
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(row == column)).collect()).collect();
    for pivot in 0..size {
        let scale = 1.0 / matrix[pivot][pivot];
        for column in 0..size {
            matrix[pivot][column] *= scale;
            inverse[pivot][column] *= scale;
        }
        let (pivot_row, pivot_inverse) = (matrix[pivot].clone(), inverse[pivot].clone());
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            for column in 0..size {
                matrix[row][column] -= factor * pivot_row[column];
                inverse[row][column] -= factor * pivot_inverse[column];
            }
        }
    }
    inverse
}
