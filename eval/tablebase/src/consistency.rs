//! Whether a whole table agrees with itself: each value is the best of those that a turn leads to.
//!
//! That is a proof of all values, if the turns are right. For wins and losses it is by induction over the turns to the end. From a draw a
//! turn leads to a draw again and none to a lost position of the other side, so neither side is forced to lose.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use selfplay_env::position_index::{Turn, TurnGenerator};

use serde::Serialize;

use crate::error::TableError;
use crate::layout::BLOCK;
use crate::shards::{Shards, run_watched};
use crate::summary::Summary;
use crate::table::Tablebase;
use crate::value::{TurnValue, ValueByte};

/// Numbers that a thread takes at a time.
const SHARD: u64 = 1 << 16;
/// Numbers with a wrong value that are reported.
const MAX_TOLD: usize = 10;

/// Positions in which it is a disadvantage to be the one to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Zugzwang {
    /// Positions that are worth less to the side to move than if the other side were to move.
    pub better_to_pass: u64,
    /// Those among them that are lost, and won if the other side were to move.
    pub lost_by_moving: u64,
}

/// What a look at all values of a table found.
#[derive(Clone, PartialEq, Debug)]
pub struct Consistency {
    /// How many positions are worth what.
    pub summary: Summary,
    /// Positions whose value is not the best of those that a turn leads to.
    pub wrong: u64,
    /// Some of them: the number, the value in the table, and the best that a turn leads to.
    pub examples: Vec<(u64, TurnValue, TurnValue)>,
    /// Turns looked at.
    pub turns: u64,
    /// What moving costs; `None` where the game cannot tell what a position is with the other side to move.
    pub zugzwang: Option<Zugzwang>,
    /// Positions that are won, drawn and lost, by the pieces on the board; empty where the game cannot tell.
    pub by_pieces: BTreeMap<usize, [u64; 3]>,
    /// The least of the numbers that take the most turns to their end.
    pub longest: Option<(u64, TurnValue)>,
}

impl Tablebase {
    /// Every value as it stands, in memory.
    fn load(&self) -> Result<Vec<u8>, TableError> {
        let mut bytes = vec![0; self.position_index().count() as usize];
        for (block, bytes) in bytes.chunks_mut(BLOCK).enumerate() {
            let mut values = bytes.iter_mut();
            self.for_each_in_block(block, |_, value| {
                *values.next().expect("as many values as numbers") = ValueByte::encode(value).0;
            })?;
        }
        Ok(bytes)
    }

    /// Compares every value with those that a turn leads to, on so many threads, with all values in memory: a byte for each
    /// number. `watch` is called with the number of indices done.
    ///
    /// # Errors
    /// [`TableError`] if the table is damaged or has outcomes alone.
    pub fn check(&self, threads: usize, watch: &mut (dyn FnMut(u64) + Send)) -> Result<Consistency, TableError> {
        if !self.has_turns() {
            return Err(self.refuses("it tells outcomes only, which do not prove each other"));
        }
        let (bytes, position_index) = (self.load()?, self.position_index());
        let initial = self.value(position_index.initial())?;
        let nothing = Consistency {
            summary: Summary::new(initial),
            wrong: 0,
            examples: Vec::new(),
            turns: 0,
            zugzwang: None,
            by_pieces: BTreeMap::new(),
            longest: None,
        };
        let shards = Shards::new(position_index.count(), SHARD);
        let (passed, found) = (AtomicU64::new(0), Mutex::new(nothing.clone()));
        let work = || {
            let mut own = nothing.clone();
            let mut walker = position_index.walker();
            while let Some(shard) = shards.take() {
                passed.fetch_add(shard.end - shard.start, Relaxed);
                look(&mut *walker, &bytes, shard, &mut own);
            }
            found.lock().expect("nobody panics with it").join(own);
        };
        run_watched(threads, work, || {
            watch(passed.load(Relaxed));
            Duration::from_millis(20)
        });
        let mut found = found.into_inner().expect("nobody panics with it");
        found.examples.sort_by_key(|&(number, ..)| number);
        found.examples.truncate(MAX_TOLD);
        Ok(found)
    }
}

impl Consistency {
    /// Remembers a number if it is farther from its end than all before, or as far and smaller.
    fn meet(&mut self, number: u64, value: TurnValue) {
        let rank = |(number, value): (u64, TurnValue)| (value.turns(), Reverse(number));
        if value.turns().is_some() && self.longest.is_none_or(|longest| rank(longest) < rank((number, value))) {
            self.longest = Some((number, value));
        }
    }

    fn join(&mut self, other: Consistency) {
        self.summary.join(&other.summary);
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
        self.turns += other.turns;
        if let Some(Zugzwang { better_to_pass, lost_by_moving }) = other.zugzwang {
            let own = self.zugzwang.get_or_insert_default();
            own.better_to_pass += better_to_pass;
            own.lost_by_moving += lost_by_moving;
        }
        for (pieces, counts) in other.by_pieces {
            let own = self.by_pieces.entry(pieces).or_default();
            own.iter_mut().zip(counts).for_each(|(own, count)| *own += count);
        }
        other.longest.into_iter().for_each(|(number, value)| self.meet(number, value));
    }
}

fn look(walker: &mut dyn TurnGenerator, bytes: &[u8], shard: Range<u64>, found: &mut Consistency) {
    let value_of = |number: u64| ValueByte(bytes[number as usize]).value().expect("only values were loaded");
    for number in shard {
        if !walker.has_position(number) {
            continue;
        }
        let value = value_of(number);
        found.summary.add(value, 1);
        found.meet(number, value);
        if let Some(pieces) = walker.pieces(number) {
            found.by_pieces.entry(pieces).or_default()[(1 - value.sign()) as usize] += 1;
        }
        let mut best: Option<TurnValue> = None;
        walker.successors(number, &mut |turn| {
            found.turns += 1;
            let worth = match turn {
                Turn::To(next) => value_of(next).before(),
                Turn::Ends(1) => TurnValue::Win(1),
                Turn::Ends(0) => TurnValue::Draw,
                Turn::Ends(_) => TurnValue::Loss(1),
            };
            if best.is_none_or(|best| best.rank() < worth.rank()) {
                best = Some(worth);
            }
            ControlFlow::Continue(())
        });
        let best = best.unwrap_or(TurnValue::Loss(0));
        if best != value {
            found.wrong += 1;
            if found.examples.len() < MAX_TOLD {
                found.examples.push((number, value, best));
            }
        }
        if let Some(other) = walker.passed(number) {
            // To the side to move here.
            let if_passed = -value_of(other).sign();
            let counted = found.zugzwang.get_or_insert_default();
            counted.better_to_pass += u64::from(value.sign() < if_passed);
            counted.lost_by_moving += u64::from(value.sign() == -1 && if_passed == 1);
        }
    }
}
