//! The transposition table: what is known of positions met before, in a fixed amount of memory.

use selfplay_config::InvalidKey;
use selfplay_env::Action;

use crate::hash_buckets::HashBuckets;

const NO_ACTION: u64 = 0xFFFF;
const GENERATION_SHIFT: u32 = 43;
/// The last generation that the bits of a slot can hold.
const LAST_GENERATION: u64 = (1 << (u64::BITS - GENERATION_SHIFT)) - 1;
/// An entry of an earlier search is given up before one of this search that is not this much shallower.
const AGE_WORTH: i32 = 8;

/// What the score of an entry says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
    /// It is this.
    Exact,
}

/// What is known of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Score for the side to move, proven results counted from this position; fits in 16 bits.
    pub score: i32,
    /// Plies looked ahead; at most 255.
    pub depth: u32,
    /// What the score says.
    pub bound: Bound,
    /// Whether the score rests on no guess: it holds at any depth.
    pub is_settled: bool,
    /// The best action, or the one that refuted.
    pub action: Option<Action>,
}

/// Which entries of earlier searches a new one may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// All: more is known, but the result depends on what was searched before.
    Keep,
    /// None: the search finds what it would with an empty table.
    Forget,
}

/// A table of fixed size.
#[derive(Debug)]
pub struct TranspositionTable {
    buckets: HashBuckets,
    generation: u64,
    /// Entries of earlier generations are not there.
    oldest: u64,
}

impl TranspositionTable {
    /// An empty table of no more than `memory_mib` MiB, at least 1. Memory is taken from the system only as it is used.
    ///
    /// # Errors
    /// [`InvalidKey`] if the system does not give so much.
    pub fn new(memory_mib: usize) -> Result<Self, InvalidKey> {
        Ok(TranspositionTable { buckets: HashBuckets::new(memory_mib)?, generation: 1, oldest: 1 })
    }

    /// Bytes allocated for entries.
    pub fn bytes(&self) -> usize {
        self.buckets.bytes()
    }

    /// Begins a search.
    pub fn start_search(&mut self, memory: Memory) {
        if self.generation == LAST_GENERATION {
            self.buckets.clear();
            self.generation = 0;
            self.oldest = 1;
        }
        self.generation += 1;
        if memory == Memory::Forget {
            self.oldest = self.generation;
        }
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let found = self.buckets.bucket(key).slots().find(|&(other, data)| other == key && self.is_there(data));
        found.map(|(_, data)| unpack(data))
    }

    /// Whether a slot's data is an entry that this search may use.
    #[inline]
    fn is_there(&self, data: u64) -> bool {
        data >> GENERATION_SHIFT >= self.oldest
    }

    /// Remembers `entry`, in the place of what is worth least: nothing, then what is old and shallow. What is known of the
    /// same position gives way unless it is exact or much deeper.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let bucket = self.buckets.bucket(key);
        let (mut victim, mut least) = (0, i32::MAX);
        for (slot, (other, data)) in bucket.slots().enumerate() {
            let generation = data >> GENERATION_SHIFT;
            let is_there = self.is_there(data);
            if is_there && other == key {
                let known = unpack(data);
                let is_current = generation == self.generation;
                if is_current && entry.bound != Bound::Exact && !entry.is_settled && known.depth > entry.depth + 3 {
                    return;
                }
                entry.action = entry.action.or(known.action);
                victim = slot;
                break;
            }
            let age = (self.generation - generation.min(self.generation)).min(16) as i32;
            let worth = if is_there { unpack(data).depth as i32 - AGE_WORTH * age } else { i32::MIN };
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        bucket.write(victim, key, pack(&entry) | self.generation << GENERATION_SHIFT);
    }
}

/// 16 bits of score, 16 of action, 8 of depth, 2 of bound, 1 of settledness; above them the generation.
fn pack(entry: &Entry) -> u64 {
    let bound = match entry.bound {
        Bound::Lower => 0,
        Bound::Upper => 1,
        Bound::Exact => 2,
    };
    let action = entry.action.map_or(NO_ACTION, |action| u64::from(action.0));
    let depth = u64::from(entry.depth.min(255));
    u64::from(entry.score as i16 as u16) | action << 16 | depth << 32 | bound << 40 | u64::from(entry.is_settled) << 42
}

fn unpack(data: u64) -> Entry {
    let action = data >> 16 & NO_ACTION;
    Entry {
        score: i32::from(data as u16 as i16),
        depth: (data >> 32 & 0xFF) as u32,
        bound: match data >> 40 & 3 {
            0 => Bound::Lower,
            1 => Bound::Upper,
            _ => Bound::Exact,
        },
        is_settled: data >> 42 & 1 == 1,
        action: (action != NO_ACTION).then_some(Action(action as u16)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(score: i32, depth: u32) -> Entry {
        Entry { score, depth, bound: Bound::Upper, is_settled: false, action: Some(Action(360)) }
    }

    #[test]
    fn entries_come_back_as_they_were_stored() {
        let table = TranspositionTable::new(1).unwrap();
        assert!(table.bytes() <= 1 << 20);
        for (index, score) in [-19_999, -1, 0, 1, 19_999].into_iter().enumerate() {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                for is_settled in [false, true] {
                    let stored = Entry { score, depth: 200, bound, is_settled, action: None };
                    let key = u64::MAX / 7 * index as u64;
                    table.store(key, stored);
                    assert_eq!(table.probe(key), Some(stored));
                }
            }
        }
        assert_eq!(table.probe(12345), None);
    }

    #[test]
    fn a_search_that_forgets_finds_nothing_old_even_after_all_generations() {
        let mut table = TranspositionTable::new(1).unwrap();
        table.store(9, entry(5, 3));
        table.start_search(Memory::Keep);
        assert_eq!(table.probe(9), Some(entry(5, 3)));
        table.start_search(Memory::Forget);
        assert_eq!(table.probe(9), None);
        table.generation = LAST_GENERATION;
        table.store(9, entry(5, 3));
        table.start_search(Memory::Keep);
        assert_eq!((table.generation, table.probe(9)), (1, None));
        table.store(9, entry(6, 3));
        assert_eq!(table.probe(9), Some(entry(6, 3)));
    }

    #[test]
    fn a_full_bucket_gives_up_the_shallowest() {
        let table = TranspositionTable::new(1).unwrap();
        for key in 0..5 {
            table.store(key, entry(0, [7, 2, 9, 4, 1][key as usize]));
        }
        let found: Vec<bool> = (0..5).map(|key| table.probe(key).is_some()).collect();
        assert_eq!(found, [true, false, true, true, true]);
    }
}
