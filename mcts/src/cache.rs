//! Evaluations that are remembered, so that a position reached by several paths or in several games is evaluated once.
//!
//! Bounded memory, allocated once and shared by all threads. Keys are spread over shards, each with its own lock. In a
//! shard, answers of any length are written one after the other into a ring, the newest over the oldest, and a table finds
//! them by their key. An answer is known until the ring has come round to it. Answers are kept as they are, bit for bit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selfplay_env::{Game, Wdl};

use crate::evaluator::Leaf;

/// Enough that threads seldom meet at one.
const SHARDS: usize = 64;

/// Slots of the table among which a key may choose.
const BUCKET: usize = 4;
/// One slot of 8 bytes in the table for this many bytes: an answer with nine priors and its slot.
const BYTES_PER_SLOT: usize = 64;
/// Words in the ring in front of the priors of an answer: key (two), win, draw and loss, number of priors.
const HEADER: usize = 6;
/// Bits of a slot that hold a position in the ring; a check of the key is in the rest.
const POSITION_BITS: u32 = 48;

/// How often a cache was asked and could answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CacheStats {
    /// Look-ups.
    pub lookups: u64,
    /// Look-ups that were answered.
    pub hits: u64,
}

impl CacheStats {
    /// Share of the look-ups that were answered, 0..=1; 0 if there were none.
    pub fn hit_rate(&self) -> f64 {
        self.hits as f64 / self.lookups.max(1) as f64
    }
}

impl std::ops::AddAssign for CacheStats {
    fn add_assign(&mut self, other: CacheStats) {
        self.lookups += other.lookups;
        self.hits += other.hits;
    }
}

/// Evaluations that all its clones share, whatever threads they are on.
#[derive(Clone, Debug)]
pub struct EvaluationCache {
    /// None for a cache that never remembers anything.
    shards: Arc<[Mutex<Shard>]>,
}

/// The evaluations of some keys.
#[derive(Debug)]
struct Shard {
    /// Buckets of slots, 0 where empty: the low bits say where the answer was written, counted from the first word ever
    /// written; the high bits repeat some of the key.
    table: Vec<u64>,
    /// Word `n` ever written lies at `n` modulo its length.
    ring: Vec<u32>,
    /// Number of words written, those skipped at the ring's end included.
    written: u64,
}

impl EvaluationCache {
    /// A cache of at most this many mebibytes (2²⁰ bytes); 0 for one that never remembers anything.
    pub fn new(mebibytes: u32) -> Self {
        let shards = if mebibytes == 0 { 0 } else { SHARDS };
        let bytes = ((mebibytes as usize) << 20) / SHARDS;
        EvaluationCache { shards: (0..shards).map(|_| Mutex::new(Shard::new(bytes))).collect() }
    }

    /// Memory that the entries take (bytes). It never changes.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).bytes()).sum()
    }

    /// Whether it remembers anything at all.
    pub fn is_on(&self) -> bool {
        !self.shards.is_empty()
    }

    /// Writes the answer for `key`, which stands for the position of `leaf`, into `leaf`; false if it is not known.
    pub fn lookup<G: Game>(&self, key: u64, leaf: &mut Leaf<G>) -> bool {
        self.shard(key).is_some_and(|shard| shard.lookup(key, leaf))
    }

    /// Remembers the answer in `leaf` for `key`, unless it is longer than a shard has room.
    pub fn insert<G: Game>(&self, key: u64, leaf: &Leaf<G>) {
        if let Some(mut shard) = self.shard(key) {
            shard.insert(key, leaf);
        }
    }

    /// The shard of `key`, which the bits between those for its buckets and those for its slots choose.
    fn shard(&self, key: u64) -> Option<MutexGuard<'_, Shard>> {
        self.shards.get((key >> TAG_BITS) as usize % SHARDS).map(lock)
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn new(bytes: usize) -> Self {
        let slots = bytes / BYTES_PER_SLOT / BUCKET * BUCKET;
        let words = (bytes - slots * size_of::<u64>()) / size_of::<u32>();
        Shard { table: vec![0; slots], ring: vec![0; words], written: 0 }
    }

    fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>() + self.ring.len() * size_of::<u32>()
    }

    fn lookup<G: Game>(&self, key: u64, leaf: &mut Leaf<G>) -> bool {
        let Some(start) = self.find(key).map(|slot| self.index_in_ring(self.table[slot])) else { return false };
        let header = &self.ring[start..start + HEADER];
        if header[HEADER - 1] as usize != leaf.actions.len() {
            return false;
        }
        let [win, draw, loss] = [header[2], header[3], header[4]].map(f32::from_bits);
        leaf.wdl = Wdl { win, draw, loss };
        leaf.priors.clear();
        let priors = &self.ring[start + HEADER..start + HEADER + leaf.actions.len()];
        leaf.priors.extend(priors.iter().map(|&bits| f32::from_bits(bits)));
        true
    }

    fn insert<G: Game>(&mut self, key: u64, leaf: &Leaf<G>) {
        let len = HEADER + leaf.priors.len();
        if len > self.ring.len() || self.find(key).is_some() {
            return;
        }
        let capacity = self.ring.len() as u64;
        let left = capacity - self.written % capacity;
        if left < len as u64 {
            // Answers lie in one piece.
            self.written += left;
        }
        let start = (self.written % capacity) as usize;
        let Wdl { win, draw, loss } = leaf.wdl;
        let head =
            [key as u32, (key >> 32) as u32, win.to_bits(), draw.to_bits(), loss.to_bits(), leaf.priors.len() as u32];
        self.ring[start..start + HEADER].copy_from_slice(&head);
        for (word, prior) in self.ring[start + HEADER..start + len].iter_mut().zip(&leaf.priors) {
            *word = prior.to_bits();
        }
        // Positions count from 1, so that no slot in use is 0.
        let slot = tag(key) | (self.written + 1);
        self.written += len as u64;
        let bucket = self.bucket(key);
        let position = |slot: &&mut u64| **slot & POSITION_MASK;
        if let Some(oldest) = self.table[bucket].iter_mut().min_by_key(position) {
            *oldest = slot;
        }
    }

    /// The slot of the answer for `key`, if that is still in the ring.
    fn find(&self, key: u64) -> Option<usize> {
        let head = [key as u32, (key >> 32) as u32];
        self.bucket(key).find(|&index| {
            let slot = self.table[index];
            let position = (slot & POSITION_MASK).wrapping_sub(1);
            let is_candidate = slot != 0 && slot & !POSITION_MASK == tag(key);
            is_candidate && self.written - position <= self.ring.len() as u64 && {
                let start = self.index_in_ring(slot);
                self.ring[start..start + 2] == head
            }
        })
    }

    fn index_in_ring(&self, slot: u64) -> usize {
        (((slot & POSITION_MASK) - 1) % self.ring.len() as u64) as usize
    }

    /// The slots that may hold `key`; its high bits choose, evenly for any number of buckets.
    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let buckets = self.table.len() / BUCKET;
        let bucket = ((u128::from(key) * buckets as u128) >> 64) as usize;
        bucket * BUCKET..(bucket + 1) * BUCKET
    }
}

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
const TAG_BITS: u32 = u64::BITS - POSITION_BITS;

/// The low bits of `key`, as a slot holds them.
fn tag(key: u64) -> u64 {
    key << POSITION_BITS
}
