//! Fixed memory for hash tables that threads share without locks.
//!
//! A slot is two words: the key XOR the data, and the data. A slot torn by two writers fits no key and is not
//! found (Hyatt and Mann, "A lock-less transposition-table implementation for parallel search", ICGA Journal 25, 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use selfplay_config::InvalidKey;

/// Slots that a key may stand in.
pub const SLOTS_PER_BUCKET: usize = 4;
const WORD_BYTES: usize = size_of::<u64>();
const WORDS_PER_SLOT: usize = 2;
/// A bucket fills one cache line.
const BUCKET_WORDS: usize = WORDS_PER_SLOT * SLOTS_PER_BUCKET;

/// Buckets of slots, each for a key and 64 bits of data. A slot never written holds data 0.
#[derive(Debug)]
pub struct HashBuckets {
    words: Box<[AtomicU64]>,
    /// The first word at the start of a cache line.
    first: usize,
    count: usize,
}

/// The slots of one bucket.
#[derive(Clone, Copy)]
pub struct Bucket<'a>(&'a [AtomicU64]);

impl HashBuckets {
    /// Empty buckets in no more than `memory_mib` MiB, at least 1. Memory is taken from the system only as it is used.
    ///
    /// # Errors
    /// [`InvalidKey`] if the system does not give so much.
    pub fn new(memory_mib: usize) -> Result<Self, InvalidKey> {
        let too_much = || InvalidKey {
            key: "memory_mib".into(),
            value: memory_mib.to_string(),
            expected: "at least 1, and no more than this machine has".into(),
        };
        let bytes = memory_mib.checked_mul(1 << 20).filter(|&bytes| bytes > 0).ok_or_else(too_much)?;
        let words = bytemuck::allocation::try_zeroed_slice_box::<AtomicU64>(bytes / WORD_BYTES);
        let words = words.map_err(|()| too_much())?;
        let line = BUCKET_WORDS * WORD_BYTES;
        let first = (words.as_ptr() as usize).next_multiple_of(line).wrapping_sub(words.as_ptr() as usize) / WORD_BYTES;
        let count = (words.len() - first) / BUCKET_WORDS;
        Ok(HashBuckets { words, first, count })
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.words.len() * WORD_BYTES
    }

    /// Empties all slots.
    pub fn clear(&mut self) {
        self.words.iter_mut().for_each(|word| *word.get_mut() = 0);
    }

    /// The slots in which `key` may stand.
    #[inline]
    pub fn bucket(&self, key: u64) -> Bucket<'_> {
        // The high bits of key · count choose the bucket: no division, any number of buckets.
        let index = ((u128::from(key) * self.count as u128) >> u64::BITS) as usize;
        let start = self.first + index * BUCKET_WORDS;
        Bucket(&self.words[start..start + BUCKET_WORDS])
    }
}

impl Bucket<'_> {
    /// Key and data of all slots. The key of a torn slot matches no entry.
    #[inline]
    pub fn slots(self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.0.chunks_exact(WORDS_PER_SLOT).map(|slot| {
            let data = slot[1].load(Relaxed);
            (slot[0].load(Relaxed) ^ data, data)
        })
    }

    /// Writes the slot with this index in 0..[`SLOTS_PER_BUCKET`].
    #[inline]
    pub fn write(self, index: usize, key: u64, data: u64) {
        let slot = &self.0[index * WORDS_PER_SLOT..][..WORDS_PER_SLOT];
        slot[0].store(key ^ data, Relaxed);
        slot[1].store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_slot_is_not_found() {
        let buckets = HashBuckets::new(1).unwrap();
        assert!(buckets.bytes() <= 1 << 20);
        let bucket = buckets.bucket(9);
        bucket.write(2, 9, 77);
        assert_eq!(bucket.slots().nth(2), Some((9, 77)));
        bucket.0[2 * WORDS_PER_SLOT + 1].fetch_xor(1 << 3, Relaxed);
        assert!(bucket.slots().all(|(key, _)| key != 9));
    }

    #[test]
    fn memory_that_no_machine_has_is_refused() {
        assert!(HashBuckets::new(0).is_err());
        assert!(HashBuckets::new(usize::MAX >> 22).is_err());
    }
}
