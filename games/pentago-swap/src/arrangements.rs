//! How many stones each side has in every run of five, for the board as it is and after each swap.
//!
//! A run's count is spread over three words, one for each binary digit, and a bit in them is a run. So all runs of both
//! sides are counted with a few additions of bits, and each quadrant's share comes from a table. The counts tell who wins with
//! the next action.

use super::geometry::{
    BOARD, PAIR_COUNT, QUADRANT, QUADRANT_CELLS, QUADRANT_COUNT, QUADRANTS_OF_PAIR, WINDOW_COUNT, WINDOWS, swap,
};

/// The board as it is, then after the swap of each pair.
pub(super) const ARRANGEMENTS: usize = 1 + PAIR_COUNT;
/// The runs of the first of two sides in a word; the other's are above.
pub(super) const OWN: u64 = u32::MAX as u64;

/// `[quadrant][nine bits of stones]`: how many stones (none to three) each run has in the quadrant; the digit 1 in the
/// lower half and the digit 2 in the upper half of the word.
static SHARES: [[u64; 1 << QUADRANT_CELLS]; QUADRANT_COUNT] = shares();

/// The number of stones in each run, digit by digit: bit = index of the run in the lower half for the own stones, in
/// the upper half for the opponent's.
#[derive(Clone, Copy)]
pub(super) struct RunCounts {
    ones: u64,
    twos: u64,
    fours: u64,
}

/// Each quadrant's share of the stones in every run, for each place it can lie in: `[place][quadrant]`, both sides in a word.
pub(super) struct Shares {
    ones: [[u64; QUADRANT_COUNT]; QUADRANT_COUNT],
    twos: [[u64; QUADRANT_COUNT]; QUADRANT_COUNT],
}

impl Shares {
    #[inline]
    pub(super) fn new(own: u64, opponent: u64) -> Shares {
        let part = |stones: u64, quadrant: usize| (stones >> (QUADRANT_CELLS * quadrant) & QUADRANT) as usize;
        let mut shares = Shares { ones: Default::default(), twos: Default::default() };
        for (place, in_place) in SHARES.iter().enumerate() {
            for quadrant in 0..QUADRANT_COUNT {
                let (own, opponent) = (in_place[part(own, quadrant)], in_place[part(opponent, quadrant)]);
                shares.ones[place][quadrant] = own & OWN | opponent << 32;
                shares.twos[place][quadrant] = own >> 32 | opponent & !OWN;
            }
        }
        shares
    }

    /// The stones in the runs where `quadrants[place]` is the quadrant whose stones lie in that place.
    #[inline]
    pub(super) fn counts(&self, quadrants: [usize; QUADRANT_COUNT]) -> RunCounts {
        let [a, b, c, d] = quadrants;
        let of_quadrants =
            |digits: &[[u64; QUADRANT_COUNT]; QUADRANT_COUNT]| [digits[0][a], digits[1][b], digits[2][c], digits[3][d]];
        RunCounts::sum(of_quadrants(&self.ones), of_quadrants(&self.twos))
    }
}

impl RunCounts {
    /// For each arrangement: the board as it is, then after the swap of each pair.
    #[inline]
    pub(super) fn by_arrangement(own: u64, opponent: u64) -> [RunCounts; ARRANGEMENTS] {
        let shares = Shares::new(own, opponent);
        std::array::from_fn(|arrangement| {
            let mut quadrants = [0, 1, 2, 3];
            if arrangement > 0 {
                let [low, high] = QUADRANTS_OF_PAIR[arrangement - 1];
                quadrants.swap(low, high);
            }
            shares.counts(quadrants)
        })
    }

    /// Adds up the digits 1 and 2 of the four quadrants' shares. No run has more than five cells.
    #[inline]
    fn sum([a, b, c, d]: [u64; QUADRANT_COUNT], [e, f, g, h]: [u64; QUADRANT_COUNT]) -> RunCounts {
        let three = a ^ b ^ c;
        let ones = three ^ d;
        let (mut sum, mut fours) = (0, 0);
        for digit in [e, f, g, h, a & b | c & (a | b), three & d] {
            fours |= sum & digit;
            sum ^= digit;
        }
        RunCounts { ones, twos: sum, fours }
    }

    /// The same with the sides exchanged.
    #[inline]
    pub(super) fn exchanged(self) -> RunCounts {
        let RunCounts { ones, twos, fours } = self;
        RunCounts { ones: ones.rotate_left(32), twos: twos.rotate_left(32), fours: fours.rotate_left(32) }
    }

    /// The runs in which only one side has stones, or none.
    #[inline]
    fn open(self) -> u64 {
        !(self.ones | self.twos | self.fours).rotate_left(32)
    }

    /// The runs with exactly one stone.
    #[inline]
    pub(super) fn open_ones(self) -> u64 {
        self.ones & !self.twos & !self.fours & self.open()
    }

    /// The runs with exactly two stones, all of one side.
    #[inline]
    pub(super) fn open_twos(self) -> u64 {
        self.twos & !self.ones & self.open()
    }

    /// The runs with exactly three stones, all of one side.
    #[inline]
    pub(super) fn open_threes(self) -> u64 {
        self.ones & self.twos & self.open()
    }

    /// The runs with exactly four stones, all of one side.
    #[inline]
    pub(super) fn open_fours(self) -> u64 {
        self.fours & !self.ones & self.open()
    }

    /// The full runs of either side.
    #[inline]
    pub(super) fn fives(self) -> u64 {
        self.fours & self.ones
    }
}

/// How many bits are set in the lower and in the upper halves of all `words` together.
#[inline]
pub(super) fn count_halves(words: [u64; ARRANGEMENTS]) -> [i32; 2] {
    let add = |a: u64, b: u64, c: u64| (a ^ b ^ c, a & b | c & (a | b));
    let [a, b, c, d, e, f, g] = words;
    // Seven words are three digits of a sum each bit position for itself: fewer words to count the bits of.
    let (first, carry_0) = add(a, b, c);
    let (second, carry_1) = add(d, e, first);
    let (ones, carry_2) = add(f, g, second);
    let (twos, fours) = add(carry_0, carry_1, carry_2);
    let half = |shift: u32| {
        let count = |word: u64| ((word >> shift) as u32).count_ones() as i32;
        count(ones) + 2 * count(twos) + 4 * count(fours)
    };
    [half(0), half(32)]
}

const fn shares() -> [[u64; 1 << QUADRANT_CELLS]; QUADRANT_COUNT] {
    let mut shares = [[0; 1 << QUADRANT_CELLS]; QUADRANT_COUNT];
    let mut quadrant = 0;
    while quadrant < QUADRANT_COUNT {
        let mut stones = 0;
        while stones < 1 << QUADRANT_CELLS {
            let mut run = 0;
            while run < WINDOW_COUNT {
                let cells = WINDOWS[run] >> (QUADRANT_CELLS * quadrant) & QUADRANT;
                let count = (cells & stones as u64).count_ones() as u64;
                shares[quadrant][stones] |= (count & 1) << run | (count >> 1) << (32 + run);
                run += 1;
            }
            stones += 1;
        }
        quadrant += 1;
    }
    shares
}

/// A cell (by its bit number) and a pair with which `own` completes five and `opponent` does not, if `own` is to move.
/// `after_swaps` are the stones in the runs after the swap of each pair.
pub(super) fn winning_placement(
    after_swaps: &[RunCounts; PAIR_COUNT],
    own: u64,
    opponent: u64,
) -> Option<(usize, usize)> {
    for (pair, counts) in after_swaps.iter().enumerate() {
        let (fives, fours) = (counts.fives(), counts.open_fours() & OWN);
        if fives & !OWN != 0 || (fives | fours) == 0 {
            continue;
        }
        // With five already there, any cell will do. Swapping back tells where to place before the swap.
        let cells = if fives != 0 {
            BOARD & !(own | opponent)
        } else {
            swap(WINDOWS[fours.trailing_zeros() as usize] & !swap(own, pair), pair)
        };
        return Some((cells.trailing_zeros() as usize, pair));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::swap;
    use selfplay_registry::rng::{RngExt, rng_for};

    #[test]
    fn counts_agree_with_counting_each_run() {
        let mut rng = rng_for(&[36]);
        for _ in 0..2_000 {
            let (own, other, third) = (rng.random::<u64>(), rng.random::<u64>(), rng.random::<u64>());
            let (own, opponent) = (own & !other, other & third & !own);
            let arrangements = RunCounts::by_arrangement(own, opponent);
            for (arrangement, counts) in arrangements.into_iter().enumerate() {
                let arranged = |stones: u64| if arrangement == 0 { stones } else { swap(stones, arrangement - 1) };
                for (run, &cells) in WINDOWS.iter().enumerate() {
                    let [mine, theirs] = [own, opponent].map(|stones| (arranged(stones) & cells).count_ones());
                    for (shift, here, there) in [(0, mine, theirs), (32, theirs, mine)] {
                        let has = |runs: u64| runs >> (shift + run) & 1 == 1;
                        let is_open = |count: u32| here == count && there == 0;
                        assert_eq!(has(counts.open_ones()), is_open(1));
                        assert_eq!(has(counts.open_twos()), is_open(2));
                        assert_eq!(has(counts.open_threes()), is_open(3));
                        assert_eq!(has(counts.open_fours()), is_open(4));
                        assert_eq!(has(counts.fives()), here == 5);
                    }
                }
            }
        }
    }

    #[test]
    fn bits_are_counted_by_halves() {
        let mut rng = rng_for(&[37]);
        for _ in 0..200 {
            let words: [u64; ARRANGEMENTS] = std::array::from_fn(|_| rng.random());
            let count = |shift: u32| words.iter().map(|word| ((word >> shift) as u32).count_ones() as i32).sum::<i32>();
            assert_eq!(count_halves(words), [count(0), count(32)]);
        }
    }
}
