//! Which ranges of a generation are stored: its shard while it grows, range by range as they are finished.
//!
//! Ranges are appended whole, in whatever order they come, and each is on the disk before anybody is told so. What a crash
//! leaves behind the last whole range is cut off. Once all are there they are put in the order of their ranges, so that the
//! shard of a generation is the same to the byte whoever played it, on however many threads and machines.

use std::path::Path;

use selfplay_env::Rules;

use crate::error::TrainError;
use crate::record::{GameRecord, ShardHeader};
use crate::selfplay_config::SelfPlayConfig;
use crate::shard::ShardWriter;

/// The ranges of a generation, stored and missing.
#[derive(Debug)]
pub struct GameLedger {
    header: ShardHeader,
    writer: ShardWriter,
    /// The games of each range, by their numbers; `None` where the range is missing. A range without games is never missing.
    ranges: Vec<Option<Vec<GameRecord>>>,
    /// The stored ranges in the order in which the shard holds them.
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
        let (mut writer, records) = ShardWriter::open(path, &header)?;
        let unplayed = |range| (config.games_of_range(range).len() == 0).then(Vec::new);
        let mut ranges: Vec<_> = (0..config.lanes).map(unplayed).collect();
        let mut order = Vec::new();
        let mut kept = 0;
        while let Some(range) = range_at(&records[kept..], config).filter(|&range| ranges[range as usize].is_none()) {
            let games = config.games_of_range(range).len();
            ranges[range as usize] = Some(records[kept..kept + games].to_vec());
            order.push(range);
            kept += games;
        }
        if kept < records.len() {
            writer.keep_only(&header, &records[..kept])?;
        }
        for record in &records[..kept] {
            if !record.agrees_with(rules) {
                return Err(TrainError::ImpossibleRecord {
                    path: path.into(),
                    game_number: record.game_number,
                    game: rules.id(),
                });
            }
        }
        Ok(GameLedger { header, writer, ranges, found: order.len(), order })
    }

    /// What the games belong to.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// The ranges that are missing, in order.
    pub fn missing(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.ranges.len() as u32).filter(|&range| self.range(range).is_none())
    }

    /// The games of `range`, by their numbers; `None` while it is missing.
    pub fn range(&self, range: u32) -> Option<&[GameRecord]> {
        self.ranges.get(range as usize)?.as_deref()
    }

    /// The games that were found when the ledger was opened, in the shard's order.
    pub fn found(&self) -> impl Iterator<Item = &GameRecord> {
        self.order[..self.found].iter().filter_map(|&range| self.range(range)).flatten()
    }

    /// Stores the games of a range that is missing; on return they are on the disk.
    ///
    /// # Errors
    /// If the disk refuses; the range is then still missing.
    ///
    /// # Panics
    /// If the range is stored already.
    pub fn store(&mut self, range: u32, games: Vec<GameRecord>) -> Result<(), TrainError> {
        assert!(self.range(range).is_none(), "range {range} is stored once");
        self.writer.append(&games)?;
        self.ranges[range as usize] = Some(games);
        self.order.push(range);
        Ok(())
    }

    /// The games of all ranges, range by range, once none is missing; the shard holds them in this order then.
    ///
    /// # Errors
    /// If the disk refuses.
    ///
    /// # Panics
    /// If a range is missing.
    pub fn finish(self) -> Result<Vec<GameRecord>, TrainError> {
        assert_eq!(self.missing().next(), None, "all ranges are stored");
        let records = self.ranges.into_iter().flatten().flatten().collect::<Vec<_>>();
        if !self.order.is_sorted() {
            self.writer.replace(&self.header, &records)?;
        }
        Ok(records)
    }
}

/// The range whose games, all of them and in order, `records` begin with.
fn range_at(records: &[GameRecord], config: &SelfPlayConfig) -> Option<u32> {
    let range = records.first()?.game_number;
    let games = config.games_of_range(range);
    let numbers = records.get(..games.len())?.iter().map(|record| record.game_number);
    (range < config.lanes && games.eq(numbers)).then_some(range)
}

#[cfg(test)]
mod tests {
    use selfplay_env::fixtures::TicTacToe;
    use selfplay_env::{Outcome, Side, rules};

    use super::*;
    use crate::record::{DecisionRecord, GameEnd};
    use crate::shard::read_shard;

    fn config() -> SelfPlayConfig {
        SelfPlayConfig { games_per_generation: 10, lanes: 4, ..SelfPlayConfig::default() }
    }

    fn games_of(range: u32) -> Vec<GameRecord> {
        let decisions = || [0, 3, 1, 4, 2].map(|action| DecisionRecord { action, target: None }).to_vec();
        let end = GameEnd::by_rules(Outcome::Win(Side::First));
        let numbers = config().games_of_range(range);
        numbers.map(|number| GameRecord { decisions: decisions(), end, ..GameRecord::new(number) }).collect()
    }

    fn open(path: &Path) -> GameLedger {
        GameLedger::open(path, rules::<TicTacToe>(), 3, 1, &config()).unwrap()
    }

    #[test]
    fn ranges_come_in_any_order_and_the_shard_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut shards = Vec::new();
        for order in [[0, 1, 2, 3], [3, 1, 0, 2], [1, 0, 3, 2]] {
            let path = folder.path().join(format!("{order:?}"));
            let mut ledger = open(&path);
            for (done, range) in order.into_iter().enumerate() {
                assert_eq!(ledger.range(range), None);
                ledger.store(range, games_of(range)).unwrap();
                assert_eq!(ledger.range(range), Some(&games_of(range)[..]));
                // Whoever opens it now finds the same.
                assert_eq!(open(&path).missing().collect::<Vec<_>>(), ledger.missing().collect::<Vec<_>>());
                assert_eq!(ledger.missing().count(), 3 - done);
            }
            let records = ledger.finish().unwrap();
            assert_eq!(read_shard(&path).unwrap().1, records);
            shards.push(std::fs::read(&path).unwrap());
        }
        assert!(shards.iter().all(|shard| *shard == shards[0]));
    }

    #[test]
    fn a_cut_anywhere_leaves_the_whole_ranges_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let mut ledger = open(&path);
        let mut ends = vec![std::fs::metadata(&path).unwrap().len()];
        let order = [2, 0, 3, 1];
        for range in order {
            ledger.store(range, games_of(range)).unwrap();
            ends.push(std::fs::metadata(&path).unwrap().len());
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let left = ends[1..].iter().filter(|&&end| end <= cut as u64).count();
            let mut missing: Vec<u32> = order[left..].to_vec();
            missing.sort_unstable();
            let mut again = open(&path);
            assert_eq!(again.missing().collect::<Vec<_>>(), missing, "cut at {cut}");
            assert_eq!(again.found().count(), order[..left].iter().map(|&range| games_of(range).len()).sum::<usize>());
            missing.into_iter().for_each(|range| again.store(range, games_of(range)).unwrap());
            assert_eq!(again.finish().unwrap().len(), 10);
        }
    }

    #[test]
    fn a_range_that_is_there_twice_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let header = ShardHeader::new(rules::<TicTacToe>(), 3, 1);
        let twice = [games_of(1), games_of(1), games_of(2)].concat();
        ShardWriter::open(&path, &header).unwrap().0.append(&twice).unwrap();
        assert_eq!(open(&path).missing().collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(read_shard(&path).unwrap().1, games_of(1), "what follows is played again");
    }
}
