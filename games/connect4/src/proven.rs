//! What the solver has proven of positions, in a fixed memory.

/// Bits of a position's key.
const KEY_BITS: u32 = 49;
const KEYS: u64 = (1 << KEY_BITS) - 1;
/// Bits of an effort and of each bound in an entry, and what makes bounds positive.
const EFFORT_BITS: u32 = 6;
const BOUND_BITS: u32 = 6;
const BOUND_OFFSET: i32 = 1 << (BOUND_BITS - 1);
/// Where an entry's key begins.
const KEY_SHIFT: u32 = EFFORT_BITS + 2 * BOUND_BITS;

/// Between what the score of a position lies, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub least: i32,
    pub most: i32,
}

/// Bounds by the position's key; no two keys are mistaken for each other.
pub(super) struct Proven {
    /// Two entries for each place: what took longest, and what came last. An entry is what the place does not say of
    /// the key, plus one, then the effort and the two bounds; 0 is none.
    places: Box<[[u64; 2]]>,
    place_bits: u32,
}

impl Proven {
    /// An empty table of no more than `memory_mib` MiB, at least 1; `None` if the system does not give so much. Memory is
    /// taken from it only as it is used.
    pub fn new(memory_mib: u32) -> Option<Self> {
        let places = (u64::from(memory_mib.max(1)) << 20) / size_of::<[u64; 2]>() as u64;
        // The rest of a key must fit into an entry with its other fields: always so from 1 MiB on.
        let place_bits = places.ilog2().min(KEY_BITS - 1);
        let places = bytemuck::allocation::try_zeroed_slice_box(1 << place_bits).ok()?;
        Some(Proven { places, place_bits })
    }

    /// What is known of the position with this key, of [`KEY_BITS`] bits.
    pub fn get(&self, key: u64) -> Option<Bounds> {
        let (place, rest) = self.place_of(key);
        let entry = self.places[place].into_iter().find(|entry| entry >> KEY_SHIFT == rest)?;
        let bound = |shift: u32| (entry >> shift & ((1 << BOUND_BITS) - 1)) as i32 - BOUND_OFFSET;
        Some(Bounds { least: bound(BOUND_BITS), most: bound(0) })
    }

    /// Keeps `bounds`, which took about two to the power of `effort` positions, in place of cheaper ones.
    pub fn insert(&mut self, key: u64, bounds: Bounds, effort: u32) {
        let (place, rest) = self.place_of(key);
        let bound = |bound: i32| (bound + BOUND_OFFSET) as u64;
        let effort = u64::from(effort.min((1 << EFFORT_BITS) - 1));
        let entry =
            rest << KEY_SHIFT | effort << (2 * BOUND_BITS) | bound(bounds.least) << BOUND_BITS | bound(bounds.most);
        let effort_of = |entry: u64| entry >> (2 * BOUND_BITS) & ((1 << EFFORT_BITS) - 1);
        let [dear, last] = &mut self.places[place];
        if *dear >> KEY_SHIFT == rest {
            *dear = entry;
        } else if effort >= effort_of(*dear) {
            (*dear, *last) = (entry, *dear);
        } else {
            *last = entry;
        }
    }

    /// Where a key's entries are, and what tells it there from others: together a bijection of the keys, so that nothing
    /// is lost, which scatters neighbours. Each step can be undone: multiplying by an odd number, and adding the upper half
    /// to the lower without carry.
    fn place_of(&self, key: u64) -> (usize, u64) {
        let mixed = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9].into_iter().fold(key, |key, odd: u64| {
            let product = key.wrapping_mul(odd) & KEYS;
            product ^ product >> (KEY_BITS / 2 + 1)
        });
        let place = mixed & ((1 << self.place_bits) - 1);
        (place as usize, (mixed >> self.place_bits) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::rng::{RngExt, rng_for};
    use std::collections::HashMap;

    #[test]
    fn what_is_found_is_what_was_put_in_last() {
        let mut table = Proven::new(1).unwrap();
        let mut rng = rng_for(&[1]);
        let mut known: HashMap<u64, Bounds> = HashMap::new();
        let mut found = 0;
        for _ in 0..200_000 {
            // Few enough keys that some come again, the largest ones among them.
            let key = KEYS - rng.random_range(0..40_000);
            if let Some(bounds) = table.get(key) {
                assert_eq!(Some(&bounds), known.get(&key));
                found += 1;
            }
            let least = rng.random_range(-21..=21);
            let bounds = Bounds { least, most: rng.random_range(least..=21) };
            table.insert(key, bounds, rng.random_range(0..70));
            assert_eq!(table.get(key), Some(bounds));
            known.insert(key, bounds);
        }
        assert!(found > 100_000, "{found}");
    }
}
