//! Simulated leagues with known ratings: how often do intervals cover the truth, and do estimates shrink?
//!
//! A test checks a few designs; the example `rating_coverage` prints all of them.

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_ratings::{EloEstimate, Encounter, PairCounts, RatingConfig, RatingTable};

/// Standard deviation of the true ratings in Elo points.
pub const SPREAD: f64 = 200.0;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Every player meets every other player.
    Full,
    /// Every player meets the next three.
    Neighbours,
    /// Every player meets the first one only.
    Gauntlet,
    /// A training run: four baselines that meet each other; each generation meets the baselines and the one before. Ratings
    /// of the generations rise.
    Run,
}

/// A kind of league.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Design {
    pub players: usize,
    pub schedule: Schedule,
    /// Game pairs in each meeting.
    pub pairs: u32,
    /// Share of games that equal players draw.
    pub draw_share: f64,
    /// Advantage of the first move in Elo points.
    pub first_player_elo: f64,
    /// Share of pairs in which the opening, not chance, decides between likely results: what made the first player win the
    /// one game makes it win the other. Pairs then vary less than independent games.
    pub opening_share: f64,
}

/// Number of baselines of a training run.
const BASELINES: usize = 4;
/// Rating of the last generation of a training run above the weakest baseline.
const RUN_GAIN: f64 = 1000.0;

impl Design {
    fn meetings(&self) -> Vec<(usize, usize)> {
        let players = self.players;
        let meets = |one: usize, other: usize| match self.schedule {
            Schedule::Full => true,
            Schedule::Neighbours => other - one <= 3,
            Schedule::Gauntlet => one == 0,
            Schedule::Run => one < BASELINES || other - one == 1,
        };
        let pairs = (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other)));
        pairs.filter(|&(one, other)| meets(one, other)).collect()
    }

    fn true_ratings(&self, rng: &mut GameRng) -> Vec<f64> {
        let mut normal = |deviation: f64| -> f64 {
            let number: f64 = StandardNormal.sample(rng);
            deviation * number
        };
        if self.schedule != Schedule::Run {
            return (0..self.players).map(|_| normal(SPREAD)).collect();
        }
        let generations = (self.players - BASELINES) as f64;
        let rating = |player: usize| match player {
            baseline if baseline < BASELINES => baseline as f64 * SPREAD,
            generation => RUN_GAIN * ((generation - BASELINES + 1) as f64 / generations).sqrt(),
        };
        (0..self.players).map(|player| rating(player) + normal(30.0)).collect()
    }

    /// The results of one league.
    fn play(&self, truth: &[f64], rng: &mut GameRng) -> Vec<Encounter> {
        let encounter = |(one, other): (usize, usize)| {
            let mut pair_counts = PairCounts::default();
            for _ in 0..self.pairs {
                let difference = truth[one] - truth[other];
                let [chance, other_chance] = [0; 2].map(|_| rng.random_range(0.0..1.0));
                let is_alike = rng.random_range(0.0..1.0) < self.opening_share;
                let as_first = self.game(difference + self.first_player_elo, chance);
                let of_other =
                    self.game(-difference + self.first_player_elo, if is_alike { chance } else { other_chance });
                pair_counts.add_pair(as_first, -of_other);
            }
            Encounter { a: name(one), b: name(other), pair_counts }
        };
        self.meetings().into_iter().map(encounter).collect()
    }

    /// The result for the first player, who is `elo` points stronger, by Davidson's model and a number in 0..1.
    fn game(&self, elo: f64, chance: f64) -> i8 {
        let draw = 2.0 * self.draw_share / (1.0 - self.draw_share);
        let x = elo / (400.0 / 10f64.ln() * 2.0 / (2.0 + draw));
        let (win, loss) = ((x / 2.0).exp(), (-x / 2.0).exp());
        match chance * (win + draw + loss) {
            share if share < win => 1,
            share if share < win + draw => 0,
            _ => -1,
        }
    }
}

fn name(player: usize) -> String {
    format!("player {player}")
}

/// What simulated leagues of one [`Design`] come to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Share of 95 % intervals of the difference to the anchor that hold the true one.
    pub anchor_coverage: f64,
    /// Share of 95 % intervals of differences between neighbours in the list of players that hold the true one.
    pub pair_coverage: f64,
    /// Slope of the regression of ratings on true ratings, both less the league's mean.
    pub slope: f64,
}

#[derive(Default)]
struct Sums {
    anchored: [u32; 2],
    paired: [u32; 2],
    products: f64,
    squares: f64,
}

/// Simulates `leagues` leagues and rates them.
pub fn measure(design: &Design, leagues: u64, samples: usize) -> Measured {
    let league = |number: u64| {
        let mut rng = rng_for(&[11, number]);
        let truth = design.true_ratings(&mut rng);
        let encounters = design.play(&truth, &mut rng);
        let config = RatingConfig { samples, min_pairs: 1, ..RatingConfig::anchored_at(name(0)) };
        let table = RatingTable::fit(&encounters, &config).unwrap();
        compare(&table, &truth)
    };
    let all: Vec<Sums> = (0..leagues).into_par_iter().map(league).collect();
    let share = |counts: fn(&Sums) -> [u32; 2]| {
        let [held, of] = all.iter().map(counts).fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
        f64::from(held) / f64::from(of)
    };
    let sum = |part: fn(&Sums) -> f64| all.iter().map(part).sum::<f64>();
    Measured {
        anchor_coverage: share(|sums| sums.anchored),
        pair_coverage: share(|sums| sums.paired),
        slope: sum(|sums| sums.products) / sum(|sums| sums.squares),
    }
}

fn compare(table: &RatingTable, truth: &[f64]) -> Sums {
    let line = |player: usize| table.ratings.iter().position(|rating| rating.player == name(player)).unwrap();
    let lines: Vec<usize> = (0..truth.len()).map(line).collect();
    let estimate = |player: usize| table.ratings[lines[player]].estimate.unwrap();
    let holds = |EloEstimate { low, high, .. }, truth: f64| u32::from(low <= truth && truth <= high);
    let mean = |rating: &dyn Fn(usize) -> f64| (0..truth.len()).map(rating).sum::<f64>() / truth.len() as f64;
    let (mean_elo, mean_truth) = (mean(&|player| estimate(player).elo), mean(&|player| truth[player]));
    let mut sums = Sums::default();
    for player in 0..truth.len() {
        let from_mean = truth[player] - mean_truth;
        sums.products += from_mean * (estimate(player).elo - mean_elo);
        sums.squares += from_mean * from_mean;
        if player > 0 {
            sums.anchored[0] += holds(estimate(player), truth[player] - truth[0]);
            sums.anchored[1] += 1;
            let difference = table.difference(lines[player], lines[player - 1]);
            sums.paired[0] += holds(difference, truth[player] - truth[player - 1]);
            sums.paired[1] += 1;
        }
    }
    sums
}
