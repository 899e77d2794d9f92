//! Where actors get games from, and bring them to.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use selfplay_mcts::CacheStats;

use crate::record::GameRecord;

/// The cost of a game to the actor that played it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct GameCost {
    /// CPU time of its thread since the game that ended before it.
    pub cpu_time: Duration,
    /// How often the cache was asked, and how often it knew the evaluation.
    pub cache: CacheStats,
}

impl std::ops::AddAssign for GameCost {
    fn add_assign(&mut self, other: Self) {
        self.cpu_time += other.cpu_time;
        self.cache += other.cache;
    }
}

/// The games that some actors play. They are started one by one, in any order, and submitted as they end.
pub trait GameQueue: Sync {
    /// The number of a game that has not been started; `None` if there is none now.
    fn next(&self) -> Option<u32>;

    /// Takes a finished game.
    fn finish(&self, game: GameRecord, cost: GameCost);
}

/// The games of a range of numbers, kept in memory.
#[derive(Debug)]
pub struct GameRange(Mutex<(Range<u32>, Vec<GameRecord>)>);

impl GameRange {
    /// The games with these numbers.
    pub fn new(numbers: Range<u32>) -> Self {
        GameRange(Mutex::new((numbers, Vec::new())))
    }

    /// The finished games, by their numbers.
    pub fn into_records(self) -> Vec<GameRecord> {
        let (_, mut records) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        records.sort_by_key(|record| record.game_number);
        records
    }
}

impl GameQueue for GameRange {
    fn next(&self) -> Option<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.next()
    }

    fn finish(&self, game: GameRecord, _: GameCost) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.push(game);
    }
}
