//! Ratings of any number of players from all the matches between them.

use std::collections::BTreeSet;
use std::fmt;

use selfplay_config::{InvalidKey, check};
use serde::{Deserialize, Serialize};

use crate::davidson::{elo_per_logit, even_draw_share};
use crate::elo::EloEstimate;
use crate::error::RatingError;
use crate::league::{Encounter, League, PlayerSums};
use crate::likelihood::Parameters;
use crate::posterior::fit_and_sample;

pub use crate::prior::PRIOR;

/// The player at 0 where nothing else is asked for.
const USUAL_ANCHOR: &str = "random";

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
impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    /// Samples from the joint posterior of the ratings, 100 to 100,000. Default 1000.
    #[serde(default = "default_samples")]
    pub samples: usize,
    /// Seed of the samples. Default 0.
    #[serde(default)]
    pub seed: u64,
    /// Game pairs a player needs for a rating, at least 1. Default 5.
    #[serde(default = "default_min_pairs")]
    pub min_pairs: u64,
}

fn default_samples() -> usize {
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
        RatingConfig { anchor, samples: default_samples(), seed: 0, min_pairs: default_min_pairs() }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let is_enough = (100..=100_000).contains(&self.samples);
        check(is_enough, "samples", self.samples as f64, "100 to 100,000")?;
        check(self.min_pairs >= 1, "min_pairs", self.min_pairs as f64, "at least 1")?;
        match self.anchor {
            Anchor::Player { elo, .. } => check(elo.is_finite(), "anchor", elo, "a finite number of Elo points"),
            Anchor::Mean => Ok(()),
        }
    }
}

/// Players without a rating that a sentence names.
const MAX_NAMED: usize = 5;

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

/// Players without a rating; as text one sentence, however many they are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unrated {
    /// Game pairs that a rating needs.
    pub min_pairs: u64,
    /// Names of the players with fewer.
    pub players: Vec<String>,
}

impl fmt::Display for Unrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unrated { min_pairs, players } = self;
        let have = if players.len() == 1 { "player has" } else { "players have" };
        let (named, others) = players.split_at(players.len().min(MAX_NAMED));
        let count = players.len();
        write!(f, "{count} {have} fewer than {min_pairs} game pairs and no rating: {}", named.join(", "))?;
        if others.is_empty() { Ok(()) } else { write!(f, " and {} more", others.len()) }
    }
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

/// A line of the table with the samples behind it.
struct SampledRating {
    rating: Rating,
    elo: f64,
    samples: Vec<f64>,
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
    /// Advantage of the first move.
    pub first_player_elo: EloEstimate,
    /// Davidson's ν: draws per √(wins · losses) expected in a game; 0 where nothing was drawn.
    pub draw: f64,
    /// Share of games in 0..1 that equal players would draw without an advantage of the first move: ν / (2 + ν).
    pub even_draw_share: f64,
    /// By line of `ratings`, then by sample: ratings in Elo points.
    #[serde(skip)]
    samples: Vec<Vec<f64>>,
    /// By line of `ratings`: the rating, also where too few pairs were played to report it.
    #[serde(skip)]
    elos: Vec<f64>,
}

impl RatingTable {
    /// Fits the ratings that maximise the likelihood of all `encounters` with the [`PRIOR`], and places them by the anchor.
    ///
    /// The model is Davidson's with a first-move advantage, on a scale where a small rating difference means as many
    /// points as on Elo's curve. Draw parameter and first-move advantage are the same for all players. The 95 % intervals
    /// are 1.96 standard deviations of samples from the joint posterior (Laplace's approximation, scaled by the dispersion
    /// of pair results). They are errors of the difference to the anchor; [`difference`](Self::difference) and
    /// [`los`](Self::los) compare any two players. They are too narrow where games repeat, and biased a little by matches
    /// that were stopped by their own result. The prior does not use that generations of a run are related.
    ///
    /// # Errors
    /// Numbers of `config` out of range; [`RatingError::Unrated`]: a player that is its own opponent, an anchor without games,
    /// groups of players that no games connect.
    pub fn fit(encounters: &[Encounter], config: &RatingConfig) -> Result<Self, RatingError> {
        config.validate()?;
        let league = League::collect(encounters)?;
        let base = base_of(&league, &config.anchor)?;
        let groups = league.groups();
        if groups.len() > 1 {
            let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
            let between = "no games connect these groups of players";
            return Err(RatingError::Unrated(format!("{between}: {}", groups.join(" | "))));
        }
        let is_measured = league.measured_against(base);
        let basis_of = |(index, player): (usize, &PlayerSums)| match player.pairs {
            pairs if pairs < config.min_pairs && !config.anchor.is(&player.name) => {
                RatingBasis::TooFewPairs { pairs, needed: config.min_pairs }
            }
            _ if is_measured[index] => RatingBasis::Games,
            _ => RatingBasis::Prior,
        };
        let basis: Vec<RatingBasis> = league.players.iter().enumerate().map(basis_of).collect();
        let (estimate, sampled) = fit_and_sample(&league, base, config.samples, config.seed);
        let ratings_of = |parameters: &Parameters| config.anchor.place(parameters, &basis);
        let (elos, sampled_elos) = (ratings_of(&estimate), sampled.iter().map(ratings_of).collect::<Vec<_>>());
        let line = |(index, player): (usize, &PlayerSums)| {
            let samples: Vec<f64> = sampled_elos.iter().map(|elos| elos[index]).collect();
            let basis = basis[index];
            let has_number = !matches!(basis, RatingBasis::TooFewPairs { .. });
            let rating = Rating {
                player: player.name.clone(),
                estimate: has_number.then(|| interval(elos[index], samples.iter().copied())),
                basis,
                games: 2 * player.pairs,
                score: player.points / (2 * player.pairs) as f64,
                draws: player.draws,
            };
            SampledRating { rating, elo: elos[index], samples }
        };
        let mut lines: Vec<SampledRating> = league.players.iter().enumerate().map(line).collect();
        let elo = |line: &SampledRating| line.rating.estimate.map_or(f64::NEG_INFINITY, |estimate| estimate.elo);
        lines.sort_by(|x, y| elo(y).total_cmp(&elo(x)).then_with(|| x.rating.player.cmp(&y.rating.player)));
        let advantage = |parameters: &Parameters| elo_per_logit(parameters.draw) * parameters.advantage;
        Ok(RatingTable {
            anchor: config.anchor.clone(),
            prior: PRIOR,
            first_player_elo: interval(advantage(&estimate), sampled.iter().map(advantage)),
            draw: estimate.draw,
            even_draw_share: even_draw_share(estimate.draw),
            elos: lines.iter().map(|line| line.elo).collect(),
            samples: lines.iter().map(|line| line.samples.clone()).collect(),
            ratings: lines.into_iter().map(|line| line.rating).collect(),
        })
    }

    /// The players without a rating; `None` if all have one.
    pub fn unrated(&self) -> Option<Unrated> {
        let mut min_pairs = 0;
        let unrated = self.ratings.iter().filter_map(|rating| match rating.basis {
            RatingBasis::TooFewPairs { needed, .. } => {
                min_pairs = needed;
                Some(rating.player.clone())
            }
            RatingBasis::Games | RatingBasis::Prior => None,
        });
        let players: Vec<String> = unrated.collect();
        (!players.is_empty()).then_some(Unrated { min_pairs, players })
    }

    /// Rating of the player in line `one` of `ratings` above that of the player in line `other`, with the 95 % interval.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn difference(&self, one: usize, other: usize) -> EloEstimate {
        let samples = self.samples[one].iter().zip(&self.samples[other]).map(|(x, y)| x - y);
        interval(self.elos[one] - self.elos[other], samples)
    }

    /// Likelihood of superiority in 0..=1 of the player in line `one` of `ratings` over the one in line `other`: the
    /// share of samples in which it is rated higher, ties counting half. Samples are from the joint posterior of all
    /// ratings, so errors that the two ratings share cancel out. BayesElo uses the same name for this probability.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn los(&self, one: usize, other: usize) -> f64 {
        let (ones, others) = (&self.samples[one], &self.samples[other]);
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
fn base_of(league: &League, anchor: &Anchor) -> Result<usize, RatingError> {
    let players = &league.players;
    let (name, base) = match anchor {
        Anchor::Player { name, .. } => (name.as_str(), players.iter().position(|player| player.name == *name)),
        Anchor::Mean => ("the mean", (0..players.len()).rev().max_by_key(|&index| players[index].pairs)),
    };
    base.ok_or_else(|| {
        let known: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let reason = format!("`{name}` cannot anchor the ratings, it has no games; these have: {}", known.join(", "));
        RatingError::Unrated(reason)
    })
}

impl Anchor {
    /// The anchor that `text` asks for: `PLAYER=ELO`, or the name of one of `players`, which is then at 0. Without a text
    /// it is the player `random` at 0, if it is one of them, else the mean.
    ///
    /// Names of players hold equals signs themselves: the whole text is taken for a name before it is cut at the last one.
    ///
    /// # Errors
    /// [`RatingError::Unrated`].
    pub fn choose(text: Option<&str>, players: &BTreeSet<&str>) -> Result<Self, RatingError> {
        let player = |name: &str, elo: f64| Anchor::Player { name: name.into(), elo };
        let Some(text) = text else {
            return Ok(if players.contains(USUAL_ANCHOR) { player(USUAL_ANCHOR, 0.0) } else { Anchor::Mean });
        };
        if players.contains(text) {
            return Ok(player(text, 0.0));
        }
        let given = text.rsplit_once('=').and_then(|(name, elo)| Some((name, elo.trim().parse::<f64>().ok()?)));
        match given {
            Some((name, elo)) if elo.is_finite() && players.contains(name) => Ok(player(name, elo)),
            _ => {
                let known: Vec<&str> = players.iter().copied().collect();
                let expected = "expected PLAYER=ELO, such as random=0, with one of these players";
                Err(RatingError::Unrated(format!("anchor `{text}`: {expected}: {}", known.join(", "))))
            }
        }
    }

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

/// `elo` with an interval of 1.96 standard deviations of `samples`, which lie around it.
fn interval(elo: f64, samples: impl ExactSizeIterator<Item = f64>) -> EloEstimate {
    let count = samples.len() as f64;
    let squared: f64 = samples.map(|sample| (sample - elo).powi(2)).sum();
    EloEstimate::from_standard_error(elo, (squared / count).sqrt())
}
