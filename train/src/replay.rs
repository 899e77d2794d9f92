//! The replay buffer: the newest games, as records, with a window counted in positions.

use std::collections::VecDeque;

use selfplay_env::rng::{GameRng, RngExt};
use serde::{Deserialize, Serialize};

use crate::error::TrainError;
use crate::record::GameRecord;

/// How much of the past the learner sees.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplayConfig {
    /// Most positions kept in memory and sampled from, up to the length of one game more: games leave whole.
    pub capacity_positions: u64,
    /// `c` of the window's growth: until this many positions were generated in the run, all are in the window.
    pub window_start_positions: u64,
    /// `α` of the window's growth, in 0..=1: 1 keeps a constant share, less lets the share of the past shrink.
    pub window_exponent: f64,
    /// `β` of the window's growth, in 0..=1: slope of the window's size at its start.
    pub window_slope: f64,
    /// Samples drawn for each newly generated position.
    pub replay_ratio: f64,
}

impl Default for ReplayConfig {
    /// Exponent and slope of KataGo's self-play training (Wu 2019, appendix C).
    fn default() -> Self {
        ReplayConfig {
            capacity_positions: 500_000,
            window_start_positions: 20_000,
            window_exponent: 0.75,
            window_slope: 0.4,
            replay_ratio: 4.0,
        }
    }
}

impl ReplayConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// The first key out of range.
    pub fn validate(&self) -> Result<(), TrainError> {
        let error = |key, value: String, expected| Err(TrainError::Config { key, value, expected });
        if self.capacity_positions == 0 {
            return error("capacity_positions", "0".into(), "at least 1");
        }
        if self.window_start_positions == 0 {
            return error("window_start_positions", "0".into(), "at least 1");
        }
        if !(self.window_exponent > 0.0 && self.window_exponent <= 1.0) {
            return error("window_exponent", self.window_exponent.to_string(), "above 0, at most 1");
        }
        if !(0.0..=1.0).contains(&self.window_slope) {
            return error("window_slope", self.window_slope.to_string(), "0 to 1");
        }
        if !(self.replay_ratio > 0.0 && self.replay_ratio <= 100.0) {
            return error("replay_ratio", self.replay_ratio.to_string(), "above 0, at most 100");
        }
        Ok(())
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

/// Games inside the window, oldest first.
#[derive(Debug, Default)]
pub struct ReplayBuffer {
    games: VecDeque<GameRecord>,
    /// Number of the first position of each game in `games`, counted over the run; same order.
    starts: VecDeque<u64>,
    /// Positions of the run so far, also those that have left the window.
    generated: u64,
}

/// One position of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct SampledPosition<'a> {
    /// The game.
    pub game: &'a GameRecord,
    /// Decisions made before the position.
    pub decision: usize,
}

impl ReplayBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the games of a generation, in order, and drops what the window no longer holds.
    pub fn extend(&mut self, records: impl IntoIterator<Item = GameRecord>, config: &ReplayConfig) {
        for record in records {
            if record.decisions.is_empty() {
                continue;
            }
            self.starts.push_back(self.generated);
            self.generated += record.decisions.len() as u64;
            self.games.push_back(record);
        }
        let window = config.window_positions(self.generated);
        // The oldest game stays while any of its positions is inside, so that the window is never short.
        while self.starts.get(1).is_some_and(|&second| self.generated - second >= window) {
            self.starts.pop_front();
            self.games.pop_front();
        }
    }

    /// Positions that can be sampled.
    pub fn positions(&self) -> u64 {
        self.starts.front().map_or(0, |first| self.generated - first)
    }

    /// Positions generated in the whole run.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// A position drawn uniformly from the window.
    ///
    /// # Errors
    /// If the buffer is empty.
    pub fn sample(&self, rng: &mut GameRng) -> Result<SampledPosition<'_>, TrainError> {
        let first = *self.starts.front().ok_or(TrainError::EmptyReplay)?;
        let number = rng.random_range(first..self.generated);
        let index = self.starts.partition_point(|&start| start <= number) - 1;
        Ok(SampledPosition { game: &self.games[index], decision: (number - self.starts[index]) as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DecisionRecord, GameEnd};
    use selfplay_env::rng::rng_for;

    fn game(game_number: u32, decisions: usize) -> GameRecord {
        let decision = DecisionRecord { action: 0, visits: vec![(0, 1)], root_value: 0.0 };
        GameRecord { game_number, decisions: vec![decision; decisions], end: GameEnd::Drawn, simulations: 0 }
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
        let mut buffer = ReplayBuffer::new();
        buffer.extend([game(0, 3), game(1, 0), game(2, 2)], &ReplayConfig::default());
        let mut rng = rng_for(&[1]);
        let mut counts = [[0; 3]; 3];
        for _ in 0..5000 {
            let sample = buffer.sample(&mut rng).unwrap();
            counts[sample.game.game_number as usize][sample.decision] += 1;
        }
        assert!(counts[0].iter().chain(&counts[2][..2]).all(|&n| (850..1150).contains(&n)), "{counts:?}");
        assert_eq!(counts[1], [0; 3]);
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
