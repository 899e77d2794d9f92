//! The replay buffer: the newest games, as records, with a window counted in positions.

use std::collections::VecDeque;
use std::ops::Bound::{Excluded, Included};

use selfplay_config::{InvalidKey, check, config_section};
use selfplay_env::rng::{GameRng, RngExt};

use crate::error::TrainError;
use crate::record::{GameRecord, SearchTarget};

config_section! {
    /// The replay window. Its growth and the policy surprise weighting are KataGo's (Wu 2019, appendix C; KataGo's methods).
    pub struct ReplayConfig, then check_validation {
        /// Maximum of positions in the window; only complete games are dropped, so it may exceed this by one game.
        pub capacity_positions: u64 = 500_000, in 1..;
        /// The window holds all positions until the run has generated this many (c).
        pub window_start_positions: u64 = 20_000, in 1..;
        /// Growth of the window after that (α): c·(1+β((N/c)^α−1)/α). 1 keeps a constant share, less lets the share of
        /// the past shrink.
        pub window_exponent: f64 = 0.75, in (Excluded(0.0), Included(1.0));
        /// Slope of the window's size at its start (β).
        pub window_slope: f64 = 0.4, in 0.0..=1.0;
        /// Training samples per new position (KataGo's main runs: at most 4).
        pub replay_ratio: f64 = 4.0, in 0.001..=100.0;
        /// Policy surprise weighting: share of the samples drawn within their game in proportion to KL(target ‖ prior)
        /// instead of uniformly. Measured: docs/research/recipe.md.
        pub policy_surprise_weight: f64 = 0.5, in 0.0..=1.0;
        /// Every Nth game is a validation game, excluded from training; 0 for none. `selfplay doctor` reports overfitting when
        /// the losses on validation games and on the training games next to them drift apart.
        pub validation_every: u32 = 20, in 0..;
    }
}

impl ReplayConfig {
    fn check_validation(&self) -> Result<(), InvalidKey> {
        check(
            self.validation_every != 1,
            "validation_every",
            1,
            "0 or at least 2: every game would be a validation game",
        )
    }

    /// Positions in the window after `generated` positions of the whole run:
    /// `c · (1 + β · ((N/c)^α − 1) / α)`, at most the capacity (Wu 2019, "Accelerating Self-Play Learning in Go",
    /// appendix C).
    pub fn window_positions(&self, generated: u64) -> u64 {
        let start = self.window_start_positions as f64;
        let ratio = generated as f64 / start;
        if ratio <= 1.0 {
            return generated.min(self.capacity_positions);
        }
        let factor = 1.0 + self.window_slope * (ratio.powf(self.window_exponent) - 1.0) / self.window_exponent;
        ((start * factor) as u64).min(self.capacity_positions).min(generated)
    }

    /// Training steps of `batch_size` samples owed for `new_positions`, at least one.
    pub fn steps_for(&self, new_positions: u64, batch_size: usize) -> u64 {
        ((new_positions as f64 * self.replay_ratio / batch_size as f64).round() as u64).max(1)
    }
}

/// Games inside the window, oldest first. The documentation of the [crate] shows its use.
#[derive(Debug, Default)]
pub struct ReplayBuffer {
    games: VecDeque<Held>,
    /// Generations that have been added, also those of which nothing is left.
    generations: u32,
    /// Positions of the run so far, also those that have left the window.
    generated: u64,
    /// The newest validation games, oldest first.
    validation: VecDeque<Held>,
    /// The games before them, which are learned from, oldest first.
    neighbours: VecDeque<Held>,
    policy_surprise_weight: f64,
}

/// A game in the buffer.
#[derive(Clone, Debug)]
struct Held {
    /// The generation that it was added with, from 1.
    generation: u32,
    /// Number of its first position, counted over the positions of the run that are learned from.
    start: u64,
    record: GameRecord,
}

/// Positions of validation games that are kept, and of their neighbours.
const HELD_OUT_POSITIONS: usize = 2048;

/// One position of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct SampledPosition<'a> {
    /// The game.
    pub game: &'a GameRecord,
    /// Actions made before the position, which is one of those that are learned from.
    pub ply: usize,
}

impl<'a> SampledPosition<'a> {
    /// What is learned from the position.
    ///
    /// # Panics
    /// If that is nothing; the buffer gives no such position.
    pub fn target(&self) -> &'a SearchTarget {
        self.game.plies[self.ply].target.as_ref().expect("positions without a target are not sampled")
    }
}

impl ReplayBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the games of the next generation, in order, and drops what the window no longer holds.
    pub fn extend(&mut self, records: impl IntoIterator<Item = GameRecord>, config: &ReplayConfig) {
        self.policy_surprise_weight = config.policy_surprise_weight;
        self.generations += 1;
        for record in records {
            let targets = record.target_count() as u64;
            if targets == 0 {
                continue;
            }
            let every = config.validation_every;
            let place = if every > 0 { record.game_number % every } else { 0 };
            let held = Held { generation: self.generations, start: self.generated, record };
            if every > 0 && place == every - 1 {
                self.validation.push_back(held);
                continue;
            }
            if every > 0 && place == every - 2 {
                self.neighbours.push_back(held.clone());
            }
            self.generated += targets;
            self.games.push_back(held);
        }
        keep_newest(&mut self.validation);
        keep_newest(&mut self.neighbours);
        let window = config.window_positions(self.generated);
        // The oldest game stays while any of its positions is inside, so that the window is never short.
        while self.games.get(1).is_some_and(|second| self.generated - second.start >= window) {
            self.games.pop_front();
        }
    }

    /// Counts the next generation without its games, of which nothing would be left: so many positions that are learned from.
    pub fn pass_over(&mut self, positions: u64) {
        self.generations += 1;
        self.generated += positions;
    }

    /// The oldest generation, from 1, that any game is left of; `None` in an empty buffer.
    pub fn oldest_generation(&self) -> Option<u32> {
        let fronts = [&self.games, &self.validation, &self.neighbours].map(VecDeque::front);
        fronts.into_iter().flatten().map(|held| held.generation).min()
    }

    /// Positions that can be sampled.
    pub fn positions(&self) -> u64 {
        self.games.front().map_or(0, |first| self.generated - first.start)
    }

    /// Positions generated in the whole run.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// All games in the window, oldest first.
    pub fn games(&self) -> impl DoubleEndedIterator<Item = &GameRecord> {
        records(&self.games)
    }

    /// The newest validation games, oldest first.
    pub fn validation(&self) -> impl ExactSizeIterator<Item = &GameRecord> {
        records(&self.validation)
    }

    /// The game before each validation game, oldest first: played by the same network, and trained on. They may have
    /// left the window since.
    pub fn neighbours(&self) -> impl ExactSizeIterator<Item = &GameRecord> {
        records(&self.neighbours)
    }

    /// A position drawn from the window: its game in proportion to the positions that are learned from, then one of
    /// these uniformly, or, in [`policy_surprise_weight`](ReplayConfig::policy_surprise_weight) of the cases, in proportion to its
    /// surprise.
    ///
    /// # Errors
    /// If the buffer is empty.
    pub fn sample(&self, rng: &mut GameRng) -> Result<SampledPosition<'_>, TrainError> {
        let first = self.games.front().ok_or(TrainError::EmptyReplay)?.start;
        let number = rng.random_range(first..self.generated);
        let index = self.games.partition_point(|held| held.start <= number) - 1;
        let Held { start, record: game, .. } = &self.games[index];
        let is_by_surprise = self.policy_surprise_weight > 0.0 && rng.random::<f64>() < self.policy_surprise_weight;
        let surprising = if is_by_surprise { by_surprise(game, rng) } else { None };
        let nth = (number - start) as usize;
        let ply = surprising.or_else(|| game.targets().nth(nth).map(|(ply, _)| ply));
        Ok(SampledPosition { game, ply: ply.ok_or(TrainError::EmptyReplay)? })
    }
}

fn records(games: &VecDeque<Held>) -> impl DoubleEndedIterator<Item = &GameRecord> + ExactSizeIterator {
    games.iter().map(|held| &held.record)
}

/// Drops the oldest games beyond [`HELD_OUT_POSITIONS`], but the last.
fn keep_newest(games: &mut VecDeque<Held>) {
    let mut positions: usize = records(games).map(GameRecord::target_count).sum();
    while positions > HELD_OUT_POSITIONS && games.len() > 1 {
        positions -= games.pop_front().map_or(0, |held| held.record.target_count());
    }
}

/// An action of the game that is learned from, drawn in proportion to its surprise; `None` if nothing was surprising.
fn by_surprise(game: &GameRecord, rng: &mut GameRng) -> Option<usize> {
    let surprise = |surprise: f32| f64::from(surprise.max(0.0));
    let total: f64 = game.targets().map(|(_, target)| surprise(target.surprise)).sum();
    let mut rest = rng.random::<f64>() * total;
    let mut found = None;
    for (ply, target) in game.targets().filter(|(_, target)| target.surprise > 0.0) {
        found = Some(ply);
        rest -= surprise(target.surprise);
        if rest < 0.0 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PlyRecord, SearchTarget};
    use selfplay_env::rng::rng_for;

    fn game(game_number: u32, plies: usize) -> GameRecord {
        let target = SearchTarget { policy: vec![(0, 1)], win: 0.0, loss: 0.0, proven: None, surprise: 0.0 };
        let ply = PlyRecord { action: 0, target: Some(target) };
        GameRecord { plies: vec![ply; plies], ..GameRecord::new(game_number) }
    }

    #[test]
    fn the_window_grows_slower_than_the_run() {
        let config = ReplayConfig { window_start_positions: 1000, ..ReplayConfig::default() };
        assert_eq!(config.window_positions(500), 500);
        assert_eq!(config.window_positions(1000), 1000);
        // 1000 · (1 + 0.4 · (16^0.75 − 1) / 0.75) = 1000 · (1 + 0.4 · 7 / 0.75)
        assert_eq!(config.window_positions(16_000), 4733);
        assert_eq!(config.window_positions(u64::MAX / 2), config.capacity_positions);
    }

    #[test]
    fn old_games_leave_whole_and_the_window_is_never_short() {
        let config = ReplayConfig { capacity_positions: 25, window_start_positions: 25, ..ReplayConfig::default() };
        let mut buffer = ReplayBuffer::new();
        for generation in 0..10 {
            buffer.extend([game(generation, 10), game(generation, 7)], &config);
            let wanted = config.window_positions(buffer.generated());
            assert!(buffer.positions() >= wanted && buffer.positions() < wanted + 10);
        }
        assert_eq!(buffer.generated(), 170);
    }

    #[test]
    fn every_position_of_the_window_is_drawn_about_equally_often() {
        let uniform = ReplayConfig { policy_surprise_weight: 0.0, ..ReplayConfig::default() };
        let mut buffer = ReplayBuffer::new();
        buffer.extend([game(0, 3), game(1, 0), game(2, 2)], &uniform);
        let mut rng = rng_for(&[1]);
        let mut counts = [[0; 3]; 3];
        for _ in 0..5000 {
            let sample = buffer.sample(&mut rng).unwrap();
            counts[sample.game.game_number as usize][sample.ply] += 1;
        }
        assert!(counts[0].iter().chain(&counts[2][..2]).all(|&n| (850..1150).contains(&n)), "{counts:?}");
        assert_eq!(counts[1], [0; 3]);
    }

    #[test]
    fn only_what_was_searched_in_full_is_drawn_and_surprises_more_often() {
        let config = ReplayConfig { policy_surprise_weight: 0.5, ..ReplayConfig::default() };
        let mut record = game(0, 4);
        record.plies[1].target = None;
        for (ply, surprise) in [(0, 0.0), (2, 3.0), (3, 1.0)] {
            record.plies[ply].target.as_mut().unwrap().surprise = surprise;
        }
        let mut buffer = ReplayBuffer::new();
        buffer.extend([record], &config);
        assert_eq!(buffer.positions(), 3);
        let mut rng = rng_for(&[1]);
        let mut counts = [0; 4];
        for _ in 0..6000 {
            counts[buffer.sample(&mut rng).unwrap().ply] += 1;
        }
        // Half of the samples uniform, half in the ratio 0 : 3 : 1.
        for (count, expected) in counts.into_iter().zip([1000, 0, 3250, 1750]) {
            assert!(i32::abs(count - expected) < 150 && (expected > 0 || count == 0), "{counts:?}");
        }
    }

    #[test]
    fn validation_games_are_never_sampled() {
        let config = ReplayConfig { validation_every: 4, ..ReplayConfig::default() };
        let mut buffer = ReplayBuffer::new();
        buffer.extend((0..8).map(|number| game(number, 3)), &config);
        let numbers = |games: &VecDeque<Held>| records(games).map(|game| game.game_number).collect::<Vec<_>>();
        assert_eq!(buffer.generated(), 18);
        assert_eq!((numbers(&buffer.validation), numbers(&buffer.neighbours)), (vec![3, 7], vec![2, 6]));
        assert!(buffer.games().all(|game| game.game_number % 4 != 3));
        buffer.extend((0..4).map(|number| game(number, 3000)), &config);
        for newest in [&buffer.validation, &buffer.neighbours] {
            assert_eq!(
                (newest.len(), newest[0].record.plies.len()),
                (1, 3000),
                "the newest game stays, whatever its length"
            );
        }
    }

    #[test]
    fn generations_of_which_nothing_is_left_may_be_passed_over() {
        let config = ReplayConfig {
            capacity_positions: 60,
            window_start_positions: 60,
            validation_every: 4,
            ..ReplayConfig::default()
        };
        let played = |generation: u32| (0..8).map(move |number| game(number, 300 + generation as usize));
        let mut all = ReplayBuffer::new();
        for generation in 1..=9 {
            all.extend(played(generation), &config);
        }
        let oldest = all.oldest_generation().unwrap();
        assert!((2..9).contains(&oldest), "validation games stay longer than the window: {oldest}");
        let mut without = ReplayBuffer::new();
        for generation in 1..=9 {
            match generation < oldest {
                true => without.pass_over(6 * (300 + u64::from(generation))),
                false => without.extend(played(generation), &config),
            }
        }
        assert_eq!(without.oldest_generation(), Some(oldest));
        assert_eq!((without.generated(), without.positions()), (all.generated(), all.positions()));
        let drawn = |buffer: &ReplayBuffer| {
            let sample = buffer.sample(&mut rng_for(&[1])).unwrap();
            (sample.game.clone(), sample.ply)
        };
        assert_eq!(drawn(&without), drawn(&all));
        let kept =
            |buffer: &ReplayBuffer| (buffer.validation().cloned().collect(), buffer.neighbours().cloned().collect());
        let (a, b): ((Vec<_>, Vec<_>), (Vec<_>, Vec<_>)) = (kept(&without), kept(&all));
        assert_eq!(a, b);
    }

    #[test]
    fn an_empty_buffer_says_so() {
        let buffer = ReplayBuffer::new();
        assert!(matches!(buffer.sample(&mut rng_for(&[1])), Err(TrainError::EmptyReplay)));
    }

    #[test]
    fn steps_follow_the_replay_ratio() {
        let config = ReplayConfig { replay_ratio: 4.0, ..ReplayConfig::default() };
        assert_eq!(config.steps_for(1000, 100), 40);
        assert_eq!(config.steps_for(1, 256), 1);
    }
}
