//! Which lanes of a generation are stored: its shard while it grows, lane by lane as they are finished.
//!
//! Lanes are appended whole, in whatever order they come, and each is on the disk before anybody is told so. What a crash
//! leaves behind the last whole lane is cut off. Once all are there they are put in the order of their lanes, so that the
//! shard of a generation is the same to the byte whoever played it, on however many threads and machines.

use std::path::Path;

use selfplay_env::Rules;

use crate::error::TrainError;
use crate::record::{GameRecord, ShardHeader};
use crate::selfplay_config::SelfPlayConfig;
use crate::shard::ShardWriter;

/// The lanes of a generation, stored and missing.
#[derive(Debug)]
pub struct LaneLedger {
    header: ShardHeader,
    writer: ShardWriter,
    /// The games of each lane, by their numbers; `None` where the lane is missing. A lane without games is never missing.
    lanes: Vec<Option<Vec<GameRecord>>>,
    /// The stored lanes in the order in which the shard holds them.
    order: Vec<u32>,
    /// How many of them were found when the ledger was opened.
    found: usize,
}

impl LaneLedger {
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
        let unplayed = |lane| (config.games_of_lane(lane).len() == 0).then(Vec::new);
        let mut lanes: Vec<_> = (0..config.lanes).map(unplayed).collect();
        let mut order = Vec::new();
        let mut kept = 0;
        while let Some(lane) = lane_at(&records[kept..], config).filter(|&lane| lanes[lane as usize].is_none()) {
            let games = config.games_of_lane(lane).len();
            lanes[lane as usize] = Some(records[kept..kept + games].to_vec());
            order.push(lane);
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
        Ok(LaneLedger { header, writer, lanes, found: order.len(), order })
    }

    /// What the games belong to.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// The lanes that are missing, in order.
    pub fn missing(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.lanes.len() as u32).filter(|&lane| self.lane(lane).is_none())
    }

    /// The games of `lane`, by their numbers; `None` while it is missing.
    pub fn lane(&self, lane: u32) -> Option<&[GameRecord]> {
        self.lanes.get(lane as usize)?.as_deref()
    }

    /// The games that were found when the ledger was opened, in the shard's order.
    pub fn found(&self) -> impl Iterator<Item = &GameRecord> {
        self.order[..self.found].iter().filter_map(|&lane| self.lane(lane)).flatten()
    }

    /// Stores the games of a lane that is missing; on return they are on the disk.
    ///
    /// # Errors
    /// If the disk refuses; the lane is then still missing.
    ///
    /// # Panics
    /// If the lane is stored already.
    pub fn store(&mut self, lane: u32, games: Vec<GameRecord>) -> Result<(), TrainError> {
        assert!(self.lane(lane).is_none(), "lane {lane} is stored once");
        self.writer.append(&games)?;
        self.lanes[lane as usize] = Some(games);
        self.order.push(lane);
        Ok(())
    }

    /// The games of all lanes, lane by lane, once none is missing; the shard holds them in this order then.
    ///
    /// # Errors
    /// If the disk refuses.
    ///
    /// # Panics
    /// If a lane is missing.
    pub fn finish(self) -> Result<Vec<GameRecord>, TrainError> {
        assert_eq!(self.missing().next(), None, "all lanes are stored");
        let records = self.lanes.into_iter().flatten().flatten().collect::<Vec<_>>();
        if !self.order.is_sorted() {
            self.writer.replace(&self.header, &records)?;
        }
        Ok(records)
    }
}

/// The lane whose games, all of them and in order, `records` begin with.
fn lane_at(records: &[GameRecord], config: &SelfPlayConfig) -> Option<u32> {
    let lane = records.first()?.game_number;
    let games = config.games_of_lane(lane);
    let numbers = records.get(..games.len())?.iter().map(|record| record.game_number);
    (lane < config.lanes && games.eq(numbers)).then_some(lane)
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

    fn games_of(lane: u32) -> Vec<GameRecord> {
        let decisions = || [0, 3, 1, 4, 2].map(|action| DecisionRecord { action, target: None }).to_vec();
        let end = GameEnd::by_rules(Outcome::Win(Side::First));
        let numbers = config().games_of_lane(lane);
        numbers.map(|number| GameRecord { decisions: decisions(), end, ..GameRecord::new(number) }).collect()
    }

    fn open(path: &Path) -> LaneLedger {
        LaneLedger::open(path, rules::<TicTacToe>(), 3, 1, &config()).unwrap()
    }

    #[test]
    fn lanes_come_in_any_order_and_the_shard_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut shards = Vec::new();
        for order in [[0, 1, 2, 3], [3, 1, 0, 2], [1, 0, 3, 2]] {
            let path = folder.path().join(format!("{order:?}"));
            let mut ledger = open(&path);
            for (done, lane) in order.into_iter().enumerate() {
                assert_eq!(ledger.lane(lane), None);
                ledger.store(lane, games_of(lane)).unwrap();
                assert_eq!(ledger.lane(lane), Some(&games_of(lane)[..]));
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
    fn a_cut_anywhere_leaves_the_whole_lanes_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let mut ledger = open(&path);
        let mut ends = vec![std::fs::metadata(&path).unwrap().len()];
        let order = [2, 0, 3, 1];
        for lane in order {
            ledger.store(lane, games_of(lane)).unwrap();
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
            assert_eq!(again.found().count(), order[..left].iter().map(|&lane| games_of(lane).len()).sum::<usize>());
            missing.into_iter().for_each(|lane| again.store(lane, games_of(lane)).unwrap());
            assert_eq!(again.finish().unwrap().len(), 10);
        }
    }

    #[test]
    fn a_lane_that_is_there_twice_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let header = ShardHeader::new(rules::<TicTacToe>(), 3, 1);
        let twice = [games_of(1), games_of(1), games_of(2)].concat();
        ShardWriter::open(&path, &header).unwrap().0.append(&twice).unwrap();
        assert_eq!(open(&path).missing().collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(read_shard(&path).unwrap().1, games_of(1), "what follows is played again");
    }
}
