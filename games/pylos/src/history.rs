//! The boards that stood at earlier turn starts, for the rule of threefold repetition.

use std::sync::Arc;

use selfplay_registry::Side;

/// Keys of a block, and keys kept inside the position itself.
const BLOCK: usize = 8;
/// Stands where no key is yet; packed boards have fewer bits.
const NO_KEY: u64 = u64::MAX;

/// Every turn start of a game so far, as exact keys.
///
/// A search copies positions far more often than it plays them, and nearly all boards are new. So all but the last few
/// keys are in blocks that copies share, no turn start costs more than making one block, and a filter tells for most
/// boards that no block has them.
#[derive(Clone, Debug)]
pub(super) struct History {
    blocks: Option<Arc<Block>>,
    recent: [u64; BLOCK],
    recent_len: u8,
}

impl History {
    /// No turn has started.
    pub(super) fn empty() -> Self {
        History { blocks: None, recent: [NO_KEY; BLOCK], recent_len: 0 }
    }

    /// Adds a turn start and returns how often it stood before.
    #[inline]
    pub(super) fn record(&mut self, spheres: [u32; 2], side: Side) -> usize {
        let key = pack(spheres, side);
        let before = occurrences(&self.recent, key) + self.blocks.as_ref().map_or(0, |newest| newest.occurrences(key));
        self.push(key);
        before
    }

    /// The same history with `image` of every turn start in its place.
    pub(super) fn map(&self, image: impl Fn([u32; 2], Side) -> ([u32; 2], Side)) -> Self {
        let mut blocks: Vec<&Block> = std::iter::successors(self.blocks.as_deref(), |b| b.older.as_deref()).collect();
        blocks.reverse();
        let mut mapped = History::empty();
        let recent = &self.recent[..usize::from(self.recent_len)];
        for &key in blocks.into_iter().flat_map(|block| &block.keys).chain(recent) {
            let (spheres, side) = unpack(key);
            let (spheres, side) = image(spheres, side);
            mapped.push(pack(spheres, side));
        }
        mapped
    }

    #[inline]
    fn push(&mut self, key: u64) {
        if usize::from(self.recent_len) == BLOCK {
            self.move_to_block();
        }
        self.recent[usize::from(self.recent_len)] = key;
        self.recent_len += 1;
    }

    #[cold]
    #[inline(never)]
    fn move_to_block(&mut self) {
        self.blocks = Some(Arc::new(Block::new(self.recent, self.blocks.take())));
        self.recent = [NO_KEY; BLOCK];
        self.recent_len = 0;
    }
}

/// Eight turn starts in a row and, behind them, all that came before.
#[derive(Debug)]
struct Block {
    keys: [u64; BLOCK],
    /// The marks of every key in this block and the older ones, a Bloom filter of one word a key (Putze, Sanders, Singler 2007).
    filter: [u64; FILTER_WORDS],
    older: Option<Arc<Block>>,
}

/// So many that after 400 turn starts only a few new boards in a hundred pass the filter. Also the bits of a word, so
/// that one kind of digit serves for both.
const FILTER_WORDS: usize = 64;

impl Block {
    fn new(keys: [u64; BLOCK], older: Option<Arc<Block>>) -> Self {
        let mut filter = older.as_ref().map_or([0; _], |older| older.filter);
        for key in keys {
            let (word, marks) = filter_place(key);
            filter[word] |= marks;
        }
        Block { keys, filter, older }
    }

    /// How often `key` stands in this block and the older ones.
    #[inline]
    fn occurrences(&self, key: u64) -> usize {
        let (word, marks) = filter_place(key);
        // Once a filter lacks a mark, no older block has the key either.
        std::iter::successors(Some(self), |block| block.older.as_deref())
            .take_while(|block| block.filter[word] & marks == marks)
            .map(|block| occurrences(&block.keys, key))
            .sum()
    }
}

impl Drop for Block {
    /// One block after the other: left alone, each would drop the next inside its own call, as deep as the game is long.
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(mut block) = older.and_then(Arc::into_inner) {
            older = block.older.take();
        }
    }
}

/// The word of `key` in a filter and its two marks there: digits of a multiplicative hash (Knuth's golden ratio constant).
#[inline]
fn filter_place(key: u64) -> (usize, u64) {
    let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let digit = |number: u32| hash >> (u64::BITS - number * FILTER_WORDS.ilog2()) & (FILTER_WORDS as u64 - 1);
    (digit(1) as usize, 1 << digit(2) | 1 << digit(3))
}

#[inline]
fn occurrences(keys: &[u64; BLOCK], key: u64) -> usize {
    keys.iter().filter(|&&k| k == key).count()
}

/// The board and the side to start a turn in 61 bits.
#[inline]
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
    fn counts_reach_across_the_blocks_and_the_recent_keys() {
        let mut history = History::empty();
        for turn in 0..50_u32 {
            let (spheres, side) = ([turn % 10, 7], Side::BOTH[(turn % 2) as usize]);
            assert_eq!(history.record(spheres, side), (turn / 10) as usize, "turn {turn}");
        }
        assert_eq!(history.record([0, 7], Side::Second), 0, "the side counts");
        let mut mapped = history.map(|spheres, side| (spheres.map(|cells| cells + 100), side.opponent()));
        assert_eq!(mapped.record([103, 107], Side::First), 5);
    }

    #[test]
    fn counts_are_exact_when_the_filter_is_full() {
        let mut history = History::empty();
        let boards = 100 * FILTER_WORDS as u32;
        for round in 0..2 {
            for board in 0..boards {
                assert_eq!(history.record([board, board / 2], Side::First), round, "board {board}");
            }
        }
        assert_eq!(history.record([boards, 0], Side::First), 0);
    }

    #[test]
    fn a_long_history_is_dropped_without_deep_calls() {
        let mut history = History::empty();
        for turn in 0..1_000_000 {
            history.push(turn);
        }
        let copy = history.clone();
        drop(history);
        drop(copy);
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
