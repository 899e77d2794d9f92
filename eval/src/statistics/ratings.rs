//! Ratings of any number of players from all the matches between them.

use serde::{Deserialize, Serialize};

use crate::error::{EvalError, check};
use crate::statistics::davidson::{elo_per_logit, even_draw_share};
use crate::statistics::elo::EloEstimate;
use crate::statistics::league::{Encounter, League, Standing};
use crate::statistics::resampling::fit_and_resample;

pub use crate::statistics::resampling::PRIOR;

/// How ratings are computed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingConfig {
    /// The player whose rating is 0.
    pub anchor: String,
    /// How often the game pairs are drawn anew for the intervals, 100 to 100,000. Default 1000.
    #[serde(default = "default_resamples")]
    pub resamples: usize,
    /// Decides what is drawn. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Game pairs a player needs for a rating, at least 1. Default 5.
    #[serde(default = "default_min_pairs")]
    pub min_pairs: u64,
}

fn default_resamples() -> usize {
    1000
}

fn default_min_pairs() -> u64 {
    5
}

impl RatingConfig {
    /// The defaults, with the rating of `anchor` at 0.
    pub fn anchored_at(anchor: impl Into<String>) -> Self {
        let (resamples, min_pairs) = (default_resamples(), default_min_pairs());
        RatingConfig { anchor: anchor.into(), resamples, seed: 0, min_pairs }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`EvalError::OutOfRange`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), EvalError> {
        let is_enough = (100..=100_000).contains(&self.resamples);
        check(is_enough, "resamples", self.resamples as f64, "100 to 100,000")?;
        check(self.min_pairs >= 1, "min_pairs", self.min_pairs as f64, "at least 1")
    }
}

/// What a rating rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingBasis {
    /// Points taken and lost connect the player with the anchor in both directions.
    Games,
    /// All points between the player, or those it is connected with, and the anchor's side went one way: without the
    /// prior the difference would have no bound, and the end of its interval on that side is only the prior's.
    Prior,
    /// There is no rating: a number would say more than so few pairs can.
    TooFewPairs {
        /// Game pairs played.
        pairs: u64,
        /// [`RatingConfig::min_pairs`].
        needed: u64,
    },
}

/// One player's line in a [`RatingTable`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Name of the player.
    pub player: String,
    /// Rating above the anchor, with the 95 % interval of that difference; `None` if there are too few pairs.
    pub estimate: Option<EloEstimate>,
    /// What it rests on.
    pub basis: RatingBasis,
    /// Games played.
    pub games: u64,
    /// Points per game in 0..=1.
    pub score: f64,
    /// Games drawn.
    pub draws: u64,
}

/// Ratings of players that met, best first; those without a number last.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingTable {
    /// One line a player, the greatest rating first.
    pub ratings: Vec<Rating>,
    /// The player whose rating is 0.
    pub anchor: String,
    /// [`PRIOR`].
    pub prior: &'static str,
    /// By how much the first move makes a player stronger.
    pub first_player_elo: EloEstimate,
    /// Davidson's ν: draws per √(wins · losses) expected in a game; 0 where nothing was drawn.
    pub draw: f64,
    /// Share of games in 0..1 that equal players would draw without an advantage of the first move: ν / (2 + ν).
    pub even_draw_share: f64,
    /// By line of `ratings`, then by resample: ratings in Elo points.
    #[serde(skip)]
    resampled: Vec<Vec<f64>>,
}

impl RatingTable {
    /// The ratings of greatest likelihood for all `encounters`, with the anchor at 0 and the [`PRIOR`].
    ///
    /// The model is Davidson's with a worth of the first move, on a scale where a small rating difference means as many
    /// points as on Elo's curve. Draw parameter and worth of the first move are the same for all players. The 95 %
    /// intervals are the percentiles of ratings from pairs drawn anew within each encounter; they are errors of the
    /// difference to the anchor, and the difference between two others is not found by adding theirs
    /// ([`los`](Self::los) compares any two). They are too narrow where openings repeat, and biased a little by matches
    /// that were stopped by their own result.
    ///
    /// # Errors
    /// Numbers of `config` out of range, [`EvalError::OwnOpponent`], [`EvalError::UnknownAnchor`], or
    /// [`EvalError::Unconnected`] with the groups of players that no games connect.
    pub fn fit(encounters: &[Encounter], config: &RatingConfig) -> Result<Self, EvalError> {
        config.validate()?;
        let league = League::collect(encounters)?;
        let anchor = &config.anchor;
        let Some(anchor_index) = league.players.iter().position(|player| player.name == *anchor) else {
            let players = league.players.into_iter().map(|player| player.name).collect();
            return Err(EvalError::UnknownAnchor { anchor: anchor.clone(), players });
        };
        let groups = league.groups();
        if groups.len() > 1 {
            return Err(EvalError::Unconnected { groups });
        }
        let is_measured = league.measured_against(anchor_index);
        let (estimate, resampled) = fit_and_resample(&league, anchor_index, config.resamples, config.seed);
        let scale = elo_per_logit(estimate.draw);
        let elo_of = |index: usize| -> Vec<f64> {
            resampled.iter().map(|drawn| elo_per_logit(drawn.draw) * drawn.logits[index]).collect()
        };
        let line = |(index, player): (usize, &Standing)| {
            let drawn = elo_of(index);
            let basis = match player.pairs {
                pairs if pairs < config.min_pairs && index != anchor_index => {
                    RatingBasis::TooFewPairs { pairs, needed: config.min_pairs }
                }
                _ if is_measured[index] => RatingBasis::Games,
                _ => RatingBasis::Prior,
            };
            let has_number = !matches!(basis, RatingBasis::TooFewPairs { .. });
            let rating = Rating {
                player: player.name.clone(),
                estimate: has_number.then(|| percentile_interval(scale * estimate.logits[index], &drawn)),
                basis,
                games: 2 * player.pairs,
                score: player.points / (2 * player.pairs) as f64,
                draws: player.draws,
            };
            (rating, drawn)
        };
        let mut lines: Vec<(Rating, Vec<f64>)> = league.players.iter().enumerate().map(line).collect();
        let elo = |rating: &Rating| rating.estimate.map_or(f64::NEG_INFINITY, |estimate| estimate.elo);
        lines.sort_by(|(x, _), (y, _)| elo(y).total_cmp(&elo(x)).then_with(|| x.player.cmp(&y.player)));
        let (ratings, resampled_ratings) = lines.into_iter().unzip();
        let advantages: Vec<f64> = resampled.iter().map(|drawn| elo_per_logit(drawn.draw) * drawn.advantage).collect();
        Ok(RatingTable {
            ratings,
            anchor: anchor.clone(),
            prior: PRIOR,
            first_player_elo: percentile_interval(scale * estimate.advantage, &advantages),
            draw: estimate.draw,
            even_draw_share: even_draw_share(estimate.draw),
            resampled: resampled_ratings,
        })
    }

    /// Likelihood of superiority in 0..=1 of the player in line `one` of `ratings` over the one in line `other`: the
    /// share of resamples in which it is rated higher, ties counting half.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn los(&self, one: usize, other: usize) -> f64 {
        let (ones, others) = (&self.resampled[one], &self.resampled[other]);
        let half_points = |(x, y): (&f64, &f64)| f64::from(u8::from(x > y) + u8::from(x >= y));
        ones.iter().zip(others).map(half_points).sum::<f64>() / (2 * ones.len()) as f64
    }

    /// [`los`](Self::los) of every player (row) over every other (column), in the order of `ratings`.
    pub fn los_matrix(&self) -> Vec<Vec<f64>> {
        let lines = 0..self.ratings.len();
        lines.clone().map(|one| lines.clone().map(|other| self.los(one, other)).collect()).collect()
    }
}

/// `elo` with the interval from the 2.5th to the 97.5th percentile of `drawn`.
fn percentile_interval(elo: f64, drawn: &[f64]) -> EloEstimate {
    let mut sorted = drawn.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    EloEstimate { elo, low: quantile(&sorted, 0.025), high: quantile(&sorted, 0.975) }
}

/// The quantile of `sorted` numbers, between two of them in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + place.fract() * (sorted[above] - sorted[below])
}
