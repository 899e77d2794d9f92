//! Tensor encoding; the README beside this file lists planes and actions.
//!
//! A swap carries stones to the other end of the board, where no small kernel reaches. So planes of a cell also show what its
//! counterparts in the other quadrants hold. They show what each action on it would make or prevent, which is the longest open run
//! that its stone would lie in after the swap. They show in how many open runs it lies wherever the next actions bring the
//! quadrants.

use super::PentagoSwap;
use super::arrangements::{OWN, RunCounts, Shares};
use super::geometry::{
    BIT_OF_CELL, BOARD, CELLS, PAIR_COUNT, QUADRANT_CENTRES, RUNS_AFTER_SWAP, SIDE, WINDOW_COUNT, bits, swap,
};
use super::permutations::{EVEN, ODD};
use selfplay_registry::bit_planes::{BitCounts, BitPlanes};
use selfplay_registry::{EncodingSpec, PolicyShape, TensorEncoding};

/// First plane of each group.
const COUNTERPARTS: usize = 4;
const FULLEST: usize = COUNTERPARTS + 2 * COUNTERPART_SWAPS.len();
const OPEN: usize = FULLEST + 2 * PAIR_COUNT;

/// Open runs are counted by their stones: two, three and four.
const OPEN_COUNTS: usize = 3;
/// The number of open runs through a cell: sixteen become 1.
type Runs = BitCounts<5>;

/// The swaps that put a counterpart in a cell's place: side by side (AB and CD), above each other (AC and BD), crosswise
/// (AD and BC).
const COUNTERPART_SWAPS: [[usize; 2]; 3] = [[0, 5], [1, 4], [2, 3]];

static BIT_PLANES: BitPlanes<CELLS> = BitPlanes::new(BIT_OF_CELL);

/// What each plane holds.
const PLANES: [&str; OPEN + 2 * OPEN_COUNTS] = [
    "own stones",
    "opponent's stones",
    "ones",
    "middles of quadrants",
    "own stones on the same cells of the quadrants beside",
    "opponent's stones on the same cells of the quadrants beside",
    "own stones on the same cells of the quadrants above or below",
    "opponent's stones on the same cells of the quadrants above or below",
    "own stones on the same cells of the quadrants across",
    "opponent's stones on the same cells of the quadrants across",
    "own stones / 4 in the fullest open run that a stone here joins after swap AB",
    "own stones / 4 in the fullest open run that a stone here joins after swap AC",
    "own stones / 4 in the fullest open run that a stone here joins after swap AD",
    "own stones / 4 in the fullest open run that a stone here joins after swap BC",
    "own stones / 4 in the fullest open run that a stone here joins after swap BD",
    "own stones / 4 in the fullest open run that a stone here joins after swap CD",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap AB",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap AC",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap AD",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap BC",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap BD",
    "opponent's stones / 4 in the fullest open run that a stone here blocks after swap CD",
    "empty cells: open runs with two own stones, where one or three swaps can bring the quadrants, at most 16, / 16",
    "the same with three own stones",
    "the same with four own stones",
    "empty cells: open runs with two of the opponent's stones, where two swaps or none bring the quadrants, at most 16, / 16",
    "the same with three of the opponent's stones",
    "the same with four of the opponent's stones",
];

impl TensorEncoding for PentagoSwap {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&PLANES, SIDE, SIDE).version(3).policy(PolicyShape::Planes(PAIR_COUNT))
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let (own, opponent) = self.own_and_opponent();
        let (boards, rest) = planes.split_at_mut(FULLEST * CELLS);
        let (fullest, open) = rest.split_at_mut((OPEN - FULLEST) * CELLS);
        encode_boards(own, opponent, boards);
        encode_fullest_runs(own, opponent, fullest);
        encode_open_runs(own, opponent, open);
    }
}

fn encode_boards(own: u64, opponent: u64, planes: &mut [f32]) {
    let mut masks = [own, opponent, BOARD, QUADRANT_CENTRES, 0, 0, 0, 0, 0, 0];
    for (swaps, pair) in COUNTERPART_SWAPS.into_iter().zip(masks[COUNTERPARTS..].as_chunks_mut::<2>().0) {
        *pair = [own, opponent].map(|stones| swaps.into_iter().fold(stones, swap));
    }
    for (mask, plane) in masks.into_iter().zip(planes.chunks_exact_mut(CELLS)) {
        BIT_PLANES.write_set(mask, plane);
    }
}

fn encode_fullest_runs(own: u64, opponent: u64, planes: &mut [f32]) {
    let empty = BOARD & !(own | opponent);
    let is_empty = BIT_OF_CELL.map(|bit| if empty >> bit & 1 == 1 { u32::MAX } else { 0 });
    let [_, after_swaps @ ..] = RunCounts::by_arrangement(own, opponent);
    let (own_runs, opponent_runs) = planes.split_at_mut(PAIR_COUNT * CELLS);
    let planes = own_runs.chunks_exact_mut(CELLS).zip(opponent_runs.chunks_exact_mut(CELLS));
    for ((counts, runs_through), (own_plane, opponent_plane)) in after_swaps.iter().zip(&RUNS_AFTER_SWAP).zip(planes) {
        let mut at_least = [counts.open_fours(), counts.open_threes(), counts.open_twos(), counts.open_ones()];
        for fuller in 0..3 {
            at_least[fuller + 1] |= at_least[fuller];
        }
        for (shift, plane) in [(0, own_plane), (32, opponent_plane)] {
            let at_least = at_least.map(|runs| (runs >> shift) as u32);
            // All cells alike and without branches: so they are computed several at a time.
            for ((number, runs), is_empty) in plane.iter_mut().zip(runs_through).zip(&is_empty) {
                let stones: i32 = at_least.iter().map(|fullest| i32::from(fullest & runs & is_empty != 0)).sum();
                *number = stones as f32 / 4.0;
            }
        }
    }
}

/// The side to move has decided once or twice when the quadrants lie in an odd permutation, the opponent when they lie in an
/// even one: so runs of either count where its own actions find them.
fn encode_open_runs(own: u64, opponent: u64, planes: &mut [f32]) {
    let empty = BOARD & !(own | opponent);
    let sides = [(own, opponent, &ODD), (opponent, own, &EVEN)];
    for ((mine, theirs, permutations), planes) in sides.into_iter().zip(planes.chunks_exact_mut(OPEN_COUNTS * CELLS)) {
        let shares = Shares::new(mine, theirs);
        // By the runs' stones, from two.
        let mut runs_through = [Runs::new(); OPEN_COUNTS];
        // The runs of two permutations in a word: fewer words to go through.
        for pair @ [first, second] in permutations.as_chunks::<2>().0 {
            let (low, high) = (shares.counts(first.quadrants), shares.counts(second.quadrants));
            let both = |low: u64, high: u64| low & OWN | high << 32;
            let by_stones = [
                both(low.open_twos(), high.open_twos()),
                both(low.open_threes(), high.open_threes()),
                both(low.open_fours(), high.open_fours()),
            ];
            for (&runs, through) in by_stones.iter().zip(&mut runs_through) {
                for run in bits(runs) {
                    through.add(pair[run / WINDOW_COUNT].runs[run % WINDOW_COUNT]);
                }
            }
        }
        for (through, plane) in runs_through.iter().zip(planes.chunks_exact_mut(CELLS)) {
            BIT_PLANES.write_numbers(through.digits_of(empty), 1.0 / Runs::MOST as f32, plane);
        }
    }
}
