//! Where the quadrants can lie after some swaps, whatever is placed meanwhile.
//!
//! A swap is an odd permutation of the four places. After one swap or three the quadrants lie in one of the twelve odd
//! permutations, after two in one of the twelve even ones. From each, one swap leads to six of the other kind.

use super::geometry::{PAIR_COUNT, QUADRANT, QUADRANT_CELLS, QUADRANT_COUNT, QUADRANTS_OF_PAIR, WINDOW_COUNT, WINDOWS};

/// Permutations of either parity.
pub(super) const PARITY_COUNT: usize = 12;

/// A way for the quadrants to lie.
#[derive(Clone, Copy)]
pub(super) struct Permutation {
    /// `[place]`: the quadrant whose stones lie there.
    pub quadrants: [usize; QUADRANT_COUNT],
    /// The permutations that are one swap away; bit = index among those of the other parity.
    pub neighbours: u64,
    /// `[run]`: its cells, by the bit numbers they have before any swap.
    pub runs: [u64; WINDOW_COUNT],
}

/// As they lie now, and after two swaps.
pub(super) static EVEN: [Permutation; PARITY_COUNT] = with_neighbours(EVEN_QUADRANTS, ODD_QUADRANTS);
/// After the swap of each pair, in the order of the pairs; then those that take three swaps.
pub(super) static ODD: [Permutation; PARITY_COUNT] = with_neighbours(ODD_QUADRANTS, EVEN_QUADRANTS);

type Quadrants = [usize; QUADRANT_COUNT];

const SINGLE_SWAPS: [Quadrants; PAIR_COUNT] = single_swaps();
const EVEN_QUADRANTS: [Quadrants; PARITY_COUNT] = one_swap_from(&SINGLE_SWAPS);
const ODD_QUADRANTS: [Quadrants; PARITY_COUNT] = one_swap_from(&EVEN_QUADRANTS);

/// `quadrants` after those in the places of `pair` changed places.
const fn swapped(quadrants: Quadrants, pair: usize) -> Quadrants {
    let mut after = quadrants;
    let [low, high] = QUADRANTS_OF_PAIR[pair];
    (after[low], after[high]) = (after[high], after[low]);
    after
}

const fn single_swaps() -> [Quadrants; PAIR_COUNT] {
    let mut swaps = [[0; QUADRANT_COUNT]; PAIR_COUNT];
    let mut pair = 0;
    while pair < PAIR_COUNT {
        swaps[pair] = swapped([0, 1, 2, 3], pair);
        pair += 1;
    }
    swaps
}

/// What one swap makes of `from`, each once, in the order of `from` and of the pairs.
const fn one_swap_from(from: &[Quadrants]) -> [Quadrants; PARITY_COUNT] {
    let mut found = [[0; QUADRANT_COUNT]; PARITY_COUNT];
    let mut count = 0;
    let mut swap = 0;
    while swap < from.len() * PAIR_COUNT {
        let quadrants = swapped(from[swap / PAIR_COUNT], swap % PAIR_COUNT);
        if index_of(quadrants, &found) == PARITY_COUNT {
            found[count] = quadrants;
            count += 1;
        }
        swap += 1;
    }
    assert!(count == PARITY_COUNT);
    found
}

/// Where `quadrants` stand in `list`; its length if they do not.
const fn index_of(quadrants: Quadrants, list: &[Quadrants; PARITY_COUNT]) -> usize {
    let mut index = 0;
    while index < PARITY_COUNT {
        let other = list[index];
        // Three places tell the fourth.
        if quadrants[0] == other[0] && quadrants[1] == other[1] && quadrants[2] == other[2] {
            return index;
        }
        index += 1;
    }
    PARITY_COUNT
}

const fn with_neighbours(
    these: [Quadrants; PARITY_COUNT],
    others: [Quadrants; PARITY_COUNT],
) -> [Permutation; PARITY_COUNT] {
    let unset = Permutation { quadrants: [0; QUADRANT_COUNT], neighbours: 0, runs: [0; WINDOW_COUNT] };
    let mut all = [unset; PARITY_COUNT];
    let mut index = 0;
    while index < PARITY_COUNT {
        let quadrants = these[index];
        all[index].quadrants = quadrants;
        let mut pair = 0;
        while pair < PAIR_COUNT {
            all[index].neighbours |= 1 << index_of(swapped(quadrants, pair), &others);
            pair += 1;
        }
        let mut run = 0;
        while run < WINDOW_COUNT {
            let mut place = 0;
            while place < QUADRANT_COUNT {
                let cells = WINDOWS[run] >> (QUADRANT_CELLS * place) & QUADRANT;
                all[index].runs[run] |= cells << (QUADRANT_CELLS * quadrants[place]);
                place += 1;
            }
            run += 1;
        }
        index += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{bits, swap};
    use selfplay_registry::rng::{RngExt, rng_for};

    #[test]
    fn every_permutation_has_its_six_neighbours() {
        assert_eq!(EVEN[0].quadrants, [0, 1, 2, 3]);
        for (these, others) in [(&EVEN, &ODD), (&ODD, &EVEN)] {
            for (index, permutation) in these.iter().enumerate() {
                assert_eq!(permutation.neighbours.count_ones(), 6);
                for other in bits(permutation.neighbours) {
                    assert_eq!(others[other].neighbours >> index & 1, 1);
                    let differing =
                        (0..4).filter(|&place| permutation.quadrants[place] != others[other].quadrants[place]);
                    assert_eq!(differing.count(), 2);
                }
            }
        }
    }

    #[test]
    fn single_swaps_come_first_and_carry_the_runs_along() {
        let mut rng = rng_for(&[38]);
        for (pair, permutation) in ODD.iter().take(PAIR_COUNT).enumerate() {
            for _ in 0..100 {
                let stones = rng.random::<u64>() & rng.random::<u64>();
                for (run, cells) in permutation.runs.iter().enumerate() {
                    let there = (swap(stones, pair) & WINDOWS[run]).count_ones();
                    assert_eq!((stones & cells).count_ones(), there);
                }
            }
        }
    }
}
