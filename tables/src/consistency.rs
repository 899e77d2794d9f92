//! Whether a whole table agrees with itself: each value is the best of those that a turn leads to.
//!
//! That is a proof of all values, if the turns are right: by induction over the turns to the end for wins and losses; and from a
//! draw a turn leads to a draw again and none to a lost position of the other side, so nobody need ever lose.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use selfplay_env::numbering::{Turn, TurnWalker};

use crate::error::TableError;
use crate::layout::BLOCK;
use crate::summary::Summary;
use crate::table::Table;
use crate::value::{TurnValue, ValueByte};

/// Numbers that a thread takes at a time.
const SHARD: u64 = 1 << 16;
/// Numbers with a wrong value that are told.
const MOST_TOLD: usize = 10;

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
    /// Positions that are worth less to the side to move than if the other side were to move, where the game can tell.
    pub better_to_pass: u64,
    /// Those among them that are lost, and won if the other side were to move.
    pub lost_by_moving: u64,
}

impl Table {
    /// Every value as it stands, in memory.
    fn load(&self) -> Result<Vec<u8>, TableError> {
        let mut bytes = vec![0; self.numbering().count() as usize];
        for (block, bytes) in bytes.chunks_mut(BLOCK).enumerate() {
            let mut values = bytes.iter_mut();
            self.for_each_in_block(block, |_, value| {
                *values.next().expect("as many values as numbers") = ValueByte::of(value).0;
            })?;
        }
        Ok(bytes)
    }

    /// Compares every value with those that a turn leads to, on so many threads, with all values in memory: a byte for each
    /// number. `watch` is told how many numbers are passed.
    ///
    /// # Errors
    /// [`TableError`] if the table is damaged or has outcomes alone.
    pub fn check(&self, threads: usize, watch: &mut (dyn FnMut(u64) + Send)) -> Result<Consistency, TableError> {
        if !self.has_turns() {
            return Err(self.refuses("it tells outcomes only, which do not prove each other"));
        }
        let (bytes, numbering) = (self.load()?, self.numbering());
        let initial = self.value(numbering.initial())?;
        let nothing = Consistency {
            summary: Summary::new(initial),
            wrong: 0,
            examples: Vec::new(),
            turns: 0,
            better_to_pass: 0,
            lost_by_moving: 0,
        };
        let (next, passed, found) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(nothing.clone()));
        let work = || {
            let mut own = nothing.clone();
            let mut walker = numbering.walker();
            loop {
                let start = next.fetch_add(SHARD, Relaxed);
                if start >= numbering.count() {
                    break;
                }
                let shard = start..numbering.count().min(start + SHARD);
                passed.fetch_add(shard.end - shard.start, Relaxed);
                look(&mut *walker, &bytes, shard, &mut own);
            }
            found.lock().expect("nobody panics with it").join(own);
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            while !workers.iter().all(|worker| worker.is_finished()) {
                watch(passed.load(Relaxed));
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        let mut found = found.into_inner().expect("nobody panics with it");
        found.examples.sort_by_key(|&(number, ..)| number);
        found.examples.truncate(MOST_TOLD);
        Ok(found)
    }
}

impl Consistency {
    fn join(&mut self, other: Consistency) {
        self.summary.join(&other.summary);
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
        self.turns += other.turns;
        self.better_to_pass += other.better_to_pass;
        self.lost_by_moving += other.lost_by_moving;
    }
}

fn look(walker: &mut dyn TurnWalker, bytes: &[u8], shard: Range<u64>, found: &mut Consistency) {
    let value_of = |number: u64| ValueByte(bytes[number as usize]).value().expect("only values were loaded");
    for number in shard {
        if !walker.has_position(number) {
            continue;
        }
        let value = value_of(number);
        found.summary.add(value, 1);
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
            if found.examples.len() < MOST_TOLD {
                found.examples.push((number, value, best));
            }
        }
        if let Some(other) = walker.passed(number) {
            // To the side to move here.
            let if_passed = -value_of(other).sign();
            found.better_to_pass += u64::from(value.sign() < if_passed);
            found.lost_by_moving += u64::from(value.sign() == -1 && if_passed == 1);
        }
    }
}
