//! The boards that stood at earlier turn starts, for the rule of threefold repetition.

use std::sync::Arc;

use crate::Side;

/// Keys kept inside the position itself.
const RECENT: usize = 8;

/// Every turn start of a game so far, as exact keys.
///
/// A search copies positions far more often than it plays them, so all but the last few keys are shared between the
/// copies: a copy touches no heap memory, and every ninth turn start pays for a new shared list.
#[derive(Clone, Debug)]
pub(super) struct History {
    shared: Arc<[u64]>,
    recent: [u64; RECENT],
    recent_len: u8,
}

impl History {
    /// No turn has started.
    pub(super) fn empty() -> Self {
        History { shared: Arc::default(), recent: [0; RECENT], recent_len: 0 }
    }

    /// Adds a turn start and returns how often it stood before.
    pub(super) fn record(&mut self, spheres: [u32; 2], side: Side) -> usize {
        let key = pack(spheres, side);
        let before = self.keys().map(|keys| keys.iter().filter(|&&k| k == key).count()).iter().sum();
        self.push(key);
        before
    }

    /// The same history on a transformed board; `image` maps a set of cells.
    pub(super) fn transform(&self, image: impl Fn(u32) -> u32) -> Self {
        let mut transformed = History::empty();
        let keys = self.keys().concat().into_iter().map(|key| {
            let (spheres, side) = unpack(key);
            pack(spheres.map(&image), side)
        });
        transformed.shared = keys.collect();
        transformed
    }

    fn push(&mut self, key: u64) {
        if usize::from(self.recent_len) == RECENT {
            self.shared = self.shared.iter().chain(&self.recent).copied().collect();
            self.recent_len = 0;
        }
        self.recent[usize::from(self.recent_len)] = key;
        self.recent_len += 1;
    }

    /// All keys, oldest first, in two pieces.
    fn keys(&self) -> [&[u64]; 2] {
        [&self.shared, &self.recent[..usize::from(self.recent_len)]]
    }
}

/// The board and the side to start a turn in 61 bits.
fn pack(spheres: [u32; 2], side: Side) -> u64 {
    u64::from(spheres[0]) | u64::from(spheres[1]) << 30 | (side.index() as u64) << 60
}

fn unpack(key: u64) -> ([u32; 2], Side) {
    const CELLS_MASK: u64 = (1 << 30) - 1;
    let spheres = [(key & CELLS_MASK) as u32, (key >> 30 & CELLS_MASK) as u32];
    (spheres, Side::BOTH[(key >> 60) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_reach_across_the_shared_and_the_recent_keys() {
        let mut history = History::empty();
        for turn in 0..50_u32 {
            let (spheres, side) = ([turn % 10, 7], Side::BOTH[(turn % 2) as usize]);
            assert_eq!(history.record(spheres, side), (turn / 10) as usize, "turn {turn}");
        }
        assert_eq!(history.record([0, 7], Side::Second), 0, "the side counts");
        assert_eq!(history.transform(|cells| cells + 100).record([103, 107], Side::Second), 5);
    }

    #[test]
    fn copies_do_not_share_what_comes_after() {
        let mut original = History::empty();
        original.record([1, 2], Side::First);
        let mut copy = original.clone();
        copy.record([3, 4], Side::Second);
        assert_eq!(original.record([3, 4], Side::Second), 0);
        assert_eq!(copy.record([1, 2], Side::First), 1);
    }

    #[test]
    fn packing_loses_nothing() {
        let spheres = [0x2AAA_AAAA, 0x1555_5555];
        for side in Side::BOTH {
            assert_eq!(unpack(pack(spheres, side)), (spheres, side));
        }
    }
}
