//! Evaluations that are remembered, so that a position reached by several paths or in several games is evaluated once.
//!
//! Bounded memory, allocated once: answers of any length are written one after the other into a ring, the newest over
//! the oldest, and a table finds them by the key of their position ([`Game::evaluation_key`]). An answer is known until
//! the ring has come round to it. Answers are kept as they are, bit for bit.

use selfplay_env::{Game, Wdl};

use crate::evaluator::{Evaluator, Leaf};

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
    /// Questions.
    pub lookups: u64,
    /// Questions that were answered.
    pub hits: u64,
}

impl CacheStats {
    /// Share of the questions that were answered, 0..=1; 0 if there were none.
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

/// The evaluations that one evaluator gave lately. Of one game and one set of weights; [`clear`](Self::clear) it when
/// either changes.
#[derive(Clone, Debug)]
pub struct EvaluationCache {
    /// Buckets of slots, 0 where empty: the low bits say where the answer was written, counted from the first word ever
    /// written; the high bits repeat some of the key.
    table: Vec<u64>,
    /// Word `n` ever written lies at `n` modulo its length.
    ring: Vec<u32>,
    /// Number of words written, those skipped at the ring's end included.
    written: u64,
    stats: CacheStats,
    /// Of the leaves being evaluated, where those that are not known stood; kept for its memory.
    unknown: Vec<usize>,
}

impl EvaluationCache {
    /// A cache of at most this many mebibytes (2²⁰ bytes); 0 for one that never remembers anything.
    pub fn new(mebibytes: u32) -> Self {
        let bytes = (mebibytes as usize) << 20;
        let slots = bytes / BYTES_PER_SLOT / BUCKET * BUCKET;
        EvaluationCache {
            table: vec![0; slots],
            ring: vec![0; (bytes - slots * size_of::<u64>()) / size_of::<u32>()],
            written: 0,
            stats: CacheStats::default(),
            unknown: Vec::new(),
        }
    }

    /// Memory taken by what is remembered, in bytes. Never changes.
    pub fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>() + self.ring.len() * size_of::<u32>()
    }

    /// Questions and answers since the cache was made; none for a cache that never remembers anything.
    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    /// Forgets all answers, but not how often there were some.
    pub fn clear(&mut self) {
        self.table.fill(0);
    }

    /// Writes the answer for the position with evaluation key `key`, which is that of `leaf`, into `leaf`; false if it
    /// is not known.
    pub fn lookup<G: Game>(&mut self, key: u64, leaf: &mut Leaf<G>) -> bool {
        if self.table.is_empty() {
            return false;
        }
        self.stats.lookups += 1;
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
        self.stats.hits += 1;
        true
    }

    /// Remembers the answer in `leaf` for the position with evaluation key `key`; an answer longer than the whole ring
    /// is not remembered.
    pub fn insert<G: Game>(&mut self, key: u64, leaf: &Leaf<G>) {
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

    /// Answers all `leaves`, of which `evaluator` sees those that are not known, together; how many these were.
    pub fn evaluate<G: Game, E: Evaluator<G> + ?Sized>(&mut self, evaluator: &mut E, leaves: &mut [Leaf<G>]) -> usize {
        let mut unknown = std::mem::take(&mut self.unknown);
        unknown.clear();
        for index in 0..leaves.len() {
            let leaf = &mut leaves[index];
            if !self.lookup(leaf.position.evaluation_key(), leaf) {
                leaves.swap(unknown.len(), index);
                unknown.push(index);
            }
        }
        let asked = &mut leaves[..unknown.len()];
        if !asked.is_empty() {
            evaluator.evaluate(asked);
        }
        asked.iter().for_each(|leaf| self.insert(leaf.position.evaluation_key(), leaf));
        for (place, &index) in unknown.iter().enumerate().rev() {
            leaves.swap(place, index);
        }
        self.unknown = unknown;
        self.unknown.len()
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

/// The low bits of `key`, as a slot holds them.
fn tag(key: u64) -> u64 {
    key << POSITION_BITS
}
