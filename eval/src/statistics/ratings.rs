//! Ratings of any number of players from all the matches between them.

use selfplay_env::config_key::{InvalidKey, check};
use serde::{Deserialize, Serialize};

use crate::error::EvalError;
use crate::statistics::davidson::{elo_per_logit, even_draw_share};
use crate::statistics::elo::EloEstimate;
use crate::statistics::league::{Encounter, League, Standing};
use crate::statistics::likelihood::Parameters;
use crate::statistics::resampling::fit_and_resample;

pub use crate::statistics::resampling::PRIOR;

/// What fixes the ratings, of which games tell only the differences.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Anchor {
    /// One player's rating is given.
    Player {
        /// Name of the player.
        name: String,
        /// Its rating, a finite number.
        elo: f64,
    },
    /// The mean rating is 0 of the player with the most game pairs, the first of these, and of all players with a number
    /// that points taken and lost connect with it.
    Mean,
}

/// As in `random = 0`.
impl std::fmt::Display for Anchor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Anchor::Player { name, elo } => write!(f, "{name} = {elo}"),
            Anchor::Mean => write!(f, "mean = 0"),
        }
    }
}

/// How ratings are computed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingConfig {
    /// What fixes the ratings.
    pub anchor: Anchor,
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
        Self::with_anchor(Anchor::Player { name: anchor.into(), elo: 0.0 })
    }

    /// The defaults, with ratings fixed by `anchor`.
    pub fn with_anchor(anchor: Anchor) -> Self {
        RatingConfig { anchor, resamples: default_resamples(), seed: 0, min_pairs: default_min_pairs() }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let is_enough = (100..=100_000).contains(&self.resamples);
        check(is_enough, "resamples", self.resamples as f64, "100 to 100,000")?;
        check(self.min_pairs >= 1, "min_pairs", self.min_pairs as f64, "at least 1")?;
        match self.anchor {
            Anchor::Player { elo, .. } => check(elo.is_finite(), "anchor", elo, "a finite number of Elo points"),
            Anchor::Mean => Ok(()),
        }
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
    /// Rating, with the 95 % interval of its difference to the anchor; `None` if there are too few pairs.
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
    /// What fixes the ratings.
    pub anchor: Anchor,
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
    /// The ratings of greatest likelihood for all `encounters`, with the anchor and the [`PRIOR`].
    ///
    /// The model is Davidson's with a worth of the first move, on a scale where a small rating difference means as many
    /// points as on Elo's curve. Draw parameter and worth of the first move are the same for all players. The 95 %
    /// intervals are the percentiles of ratings from pairs drawn anew within each encounter; they are errors of the
    /// difference to the anchor, and the difference between two others is not found by adding theirs
    /// ([`los`](Self::los) compares any two). They are too narrow where openings repeat, and biased a little by matches
    /// that were stopped by their own result.
    ///
    /// # Errors
    /// Numbers of `config` out of range; [`EvalError::Unrated`]: a player that is its own opponent, an anchor without games,
    /// groups of players that no games connect.
    pub fn fit(encounters: &[Encounter], config: &RatingConfig) -> Result<Self, EvalError> {
        config.validate()?;
        let league = League::collect(encounters)?;
        let base = base_of(&league, &config.anchor)?;
        let groups = league.groups();
        if groups.len() > 1 {
            let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
            let between = "no games connect these groups of players";
            return Err(EvalError::Unrated(format!("{between}: {}", groups.join(" | "))));
        }
        let is_measured = league.measured_against(base);
        let basis_of = |(index, player): (usize, &Standing)| match player.pairs {
            pairs if pairs < config.min_pairs && !config.anchor.is(&player.name) => {
                RatingBasis::TooFewPairs { pairs, needed: config.min_pairs }
            }
            _ if is_measured[index] => RatingBasis::Games,
            _ => RatingBasis::Prior,
        };
        let basis: Vec<RatingBasis> = league.players.iter().enumerate().map(basis_of).collect();
        let (estimate, resampled) = fit_and_resample(&league, base, config.resamples, config.seed);
        let ratings_of = |parameters: &Parameters| config.anchor.place(parameters, &basis);
        let (elos, drawn_elos) = (ratings_of(&estimate), resampled.iter().map(ratings_of).collect::<Vec<_>>());
        let scale = elo_per_logit(estimate.draw);
        let line = |(index, player): (usize, &Standing)| {
            let drawn: Vec<f64> = drawn_elos.iter().map(|elos| elos[index]).collect();
            let basis = basis[index];
            let has_number = !matches!(basis, RatingBasis::TooFewPairs { .. });
            let rating = Rating {
                player: player.name.clone(),
                estimate: has_number.then(|| percentile_interval(elos[index], &drawn)),
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
            anchor: config.anchor.clone(),
            prior: PRIOR,
            first_player_elo: percentile_interval(scale * estimate.advantage, &advantages),
            draw: estimate.draw,
            even_draw_share: even_draw_share(estimate.draw),
            resampled: resampled_ratings,
        })
    }

    /// Likelihood of superiority in 0..=1 of the player in line `one` of `ratings` over the one in line `other`: the
    /// share of resamples in which it is rated higher, ties counting half. As resamples are draws from the joint posterior
    /// of all ratings (Rubin 1981), this is the posterior probability that the program BayesElo calls so, whatever the
    /// two ratings have in common.
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

/// Index of the player whose strength is 0 in the fit.
fn base_of(league: &League, anchor: &Anchor) -> Result<usize, EvalError> {
    let players = &league.players;
    let (name, base) = match anchor {
        Anchor::Player { name, .. } => (name.as_str(), players.iter().position(|player| player.name == *name)),
        Anchor::Mean => ("the mean", (0..players.len()).rev().max_by_key(|&index| players[index].pairs)),
    };
    base.ok_or_else(|| {
        let known: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let reason = format!("`{name}` cannot anchor the ratings, it has no games; these have: {}", known.join(", "));
        EvalError::Unrated(reason)
    })
}

impl Anchor {
    fn is(&self, player: &str) -> bool {
        matches!(self, Anchor::Player { name, .. } if name == player)
    }

    /// Ratings of all players in Elo points, whose `basis` tells whom the mean is taken over.
    fn place(&self, parameters: &Parameters, basis: &[RatingBasis]) -> Vec<f64> {
        let scale = elo_per_logit(parameters.draw);
        let elos = parameters.logits.iter().map(|logit| scale * logit);
        let shift = match self {
            Anchor::Player { elo, .. } => *elo,
            Anchor::Mean => {
                let measured = elos.clone().zip(basis).filter(|(_, basis)| **basis == RatingBasis::Games);
                let (sum, count) = measured.fold((0.0, 0.0_f64), |(sum, count), (elo, _)| (sum + elo, count + 1.0));
                -sum / count.max(1.0)
            }
        };
        elos.map(|elo| elo + shift).collect()
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
