//! Which games of a generation are stored: its shard while it grows.
//!
//! Games are appended in the order in which they end, and are on the disk before they are reported. Data that a crash
//! leaves after the last complete game is cut off. Once all games are there, they are sorted by their numbers. The
//! shard of a generation is therefore byte-identical for any workers, threads and machines.

use std::ops::Range;
use std::path::Path;

use selfplay_env::Rules;

use crate::error::TrainError;
use crate::record::{GameRecord, ShardHeader};
use crate::selfplay_config::SelfPlayConfig;
use crate::shard::ShardWriter;

/// The games of a generation, stored and missing.
#[derive(Debug)]
pub struct GameLedger {
    header: ShardHeader,
    writer: ShardWriter,
    /// By their numbers; `None` where the game is missing.
    games: Vec<Option<GameRecord>>,
    /// The numbers of the stored games in the order in which the shard holds them.
    order: Vec<u32>,
    /// How many of them were found when the ledger was opened.
    found: usize,
}

impl GameLedger {
    /// Opens the shard at `path` for the games of `generation` by `rules`, or creates it.
    ///
    /// # Errors
    /// If the shard cannot be read or written, belongs to something else, or holds games that the rules do not allow.
    pub fn open(
        path: &Path,
        rules: &dyn Rules,
        run_seed: u64,
        generation: u32,
        config: &SelfPlayConfig,
    ) -> Result<Self, TrainError> {
        let header = ShardHeader::new(rules, run_seed, generation);
        let (mut writer, mut records) = ShardWriter::open(path, &header)?;
        let mut games = vec![None; config.games_per_generation as usize];
        let mut is_there = vec![false; games.len()];
        let is_new = |record: &GameRecord| match is_there.get_mut(record.game_number as usize) {
            Some(there) => !std::mem::replace(there, true),
            None => false,
        };
        let kept = records.iter().map(is_new).take_while(|&is_new| is_new).count();
        if kept < records.len() {
            records.truncate(kept);
            writer.keep_only(&header, &records)?;
        }
        let order: Vec<u32> = records.iter().map(|record| record.game_number).collect();
        for record in records {
            let number = record.game_number as usize;
            games[number] = Some(record);
        }
        for record in games.iter().flatten() {
            if !record.agrees_with(rules) {
                return Err(TrainError::ImpossibleRecord {
                    path: path.into(),
                    game_number: record.game_number,
                    game: rules.id(),
                });
            }
        }
        Ok(GameLedger { header, writer, games, found: order.len(), order })
    }

    /// What the games belong to.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// The numbers of the games that are missing, in order.
    pub fn missing(&self) -> impl Iterator<Item = u32> + '_ {
        self.games.iter().zip(0..).filter_map(|(game, number)| game.is_none().then_some(number))
    }

    /// Whether no game is missing.
    pub fn is_complete(&self) -> bool {
        self.order.len() == self.games.len()
    }

    /// The games with these numbers, in order; `None` while one of them is missing.
    pub fn range(&self, numbers: Range<u32>) -> Option<Vec<GameRecord>> {
        self.games.get(numbers.start as usize..numbers.end as usize)?.iter().cloned().collect()
    }

    /// The games that were found when the ledger was opened, in the shard's order.
    pub fn found(&self) -> impl Iterator<Item = &GameRecord> {
        self.order[..self.found].iter().filter_map(|&number| self.games[number as usize].as_ref())
    }

    /// Stores those of `games` that are missing; on return they are on the disk.
    ///
    /// # Errors
    /// If the disk cannot be written; the games are then still missing.
    ///
    /// # Panics
    /// If the generation has no game of such a number.
    pub fn store(&mut self, mut games: Vec<GameRecord>) -> Result<(), TrainError> {
        games.retain(|game| self.games[game.game_number as usize].is_none());
        self.writer.append(&games)?;
        for game in games {
            let number = game.game_number;
            self.games[number as usize] = Some(game);
            self.order.push(number);
        }
        Ok(())
    }

    /// All games by their numbers, once none is missing; the shard holds them in this order then.
    ///
    /// # Errors
    /// If the disk cannot be written.
    ///
    /// # Panics
    /// If a game is missing.
    pub fn finish(self) -> Result<Vec<GameRecord>, TrainError> {
        assert!(self.is_complete(), "all games are stored");
        let records: Vec<GameRecord> = self.games.into_iter().flatten().collect();
        if !self.order.is_sorted() {
            self.writer.replace(&self.header, &records)?;
        }
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::TicTacToe;
    use selfplay_env::{Outcome, Side, rules};

    use super::*;
    use crate::record::{GameEnd, PlyRecord};
    use crate::shard::read_shard;

    fn config() -> SelfPlayConfig {
        SelfPlayConfig { games_per_generation: 10, ..SelfPlayConfig::default() }
    }

    fn games(numbers: &[u32]) -> Vec<GameRecord> {
        let plies = || [0, 3, 1, 4, 2].map(|action| PlyRecord { action, target: None }).to_vec();
        let end = GameEnd::by_rules(Outcome::Win(Side::First));
        numbers.iter().map(|&number| GameRecord { plies: plies(), end, ..GameRecord::new(number) }).collect()
    }

    fn open(path: &Path) -> GameLedger {
        GameLedger::open(path, rules::<TicTacToe>(), 3, 1, &config()).unwrap()
    }

    fn missing(ledger: &GameLedger) -> Vec<u32> {
        ledger.missing().collect()
    }

    #[test]
    fn games_come_in_any_order_and_the_shard_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut shards = Vec::new();
        let orders: [&[&[u32]]; 3] = [
            &[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
            &[&[9, 2], &[0, 1, 3], &[8, 7, 4, 5, 6]],
            &[&[5, 6, 7, 8, 9], &[0, 1, 2, 3, 4]],
        ];
        for (name, order) in orders.into_iter().enumerate() {
            let path = folder.path().join(name.to_string());
            let mut ledger = open(&path);
            for some in order {
                assert!(!ledger.is_complete());
                ledger.store(games(some)).unwrap();
                // A ledger opened now has the same games missing.
                assert_eq!(missing(&open(&path)), missing(&ledger));
                assert!(some.iter().all(|number| !missing(&ledger).contains(number)));
            }
            let records = ledger.finish().unwrap();
            assert_eq!(records, games(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
            assert_eq!(read_shard(&path).unwrap().1, records);
            shards.push(std::fs::read(&path).unwrap());
        }
        assert!(shards.iter().all(|shard| *shard == shards[0]));
    }

    #[test]
    fn a_range_is_whole_or_missing_and_what_is_stored_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = open(&folder.path().join("games"));
        ledger.store(games(&[2, 1])).unwrap();
        assert_eq!(ledger.range(1..3), Some(games(&[1, 2])));
        assert_eq!((ledger.range(1..4), ledger.range(2..11)), (None, None));
        let mut again = games(&[1, 2, 3]);
        again[0].plies.pop();
        ledger.store(again).unwrap();
        assert_eq!(ledger.range(1..4), Some(games(&[1, 2, 3])));
    }

    #[test]
    fn what_follows_a_game_that_cannot_be_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        for wrong in [3, 10] {
            drop(std::fs::remove_file(&path));
            let header = ShardHeader::new(rules::<TicTacToe>(), 3, 1);
            let mut writer = ShardWriter::open(&path, &header).unwrap().0;
            writer.append(&games(&[3, 4, wrong, 5])).unwrap();
            let ledger = open(&path);
            assert_eq!(missing(&ledger), [0, 1, 2, 5, 6, 7, 8, 9]);
            assert_eq!(ledger.found().map(|game| game.game_number).collect::<Vec<_>>(), [3, 4]);
            assert_eq!(read_shard(&path).unwrap().1, games(&[3, 4]));
        }
    }

    #[test]
    fn games_against_the_rules_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let mut ledger = open(&path);
        let mut wrong = games(&[7]);
        wrong[0].plies[1].action = 0;
        ledger.store(wrong).unwrap();
        let error = GameLedger::open(&path, rules::<TicTacToe>(), 3, 1, &config()).unwrap_err();
        assert!(matches!(error, TrainError::ImpossibleRecord { game_number: 7, .. }), "{error}");
    }
}
