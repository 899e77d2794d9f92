//! Where actors get games from, and bring them to.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::record::GameRecord;

/// The games that some actors play: begun one by one, in any order, and handed in as they end.
pub trait GameQueue: Sync {
    /// The number of a game that nobody has begun; `None` if there is none now.
    fn next(&self) -> Option<u32>;

    /// Takes a finished game.
    fn finish(&self, game: GameRecord);
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

    fn finish(&self, game: GameRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.push(game);
    }
}
