//! Tensor encoding; the README beside this file lists planes and actions.
//!
//! A swap carries stones to the other end of the board, where no small kernel reaches. So a cell is also told what its
//! counterparts in the other quadrants hold, and what each decision on it would make or prevent: the longest open run
//! that its stone would lie in after the swap.

use super::PentagoSwap;
use super::arrangements::RunCounts;
use super::geometry::{BIT_OF_CELL, BOARD, CELLS, PAIR_COUNT, QUADRANT_CENTRES, SIDE, runs_through, swap};
use selfplay_kit::{PolicyShape, TensorEncoding};

/// First plane of each group.
const COUNTERPARTS: usize = 4;
const RUNS: usize = COUNTERPARTS + 2 * COUNTERPART_SWAPS.len();

/// The swaps that put a counterpart in a cell's place: side by side (AB and CD), above each other (AC and BD), crosswise
/// (AD and BC).
const COUNTERPART_SWAPS: [[usize; 2]; 3] = [[0, 5], [1, 4], [2, 3]];

impl TensorEncoding for PentagoSwap {
    const ENCODING_VERSION: u32 = 2;
    const PLANES: usize = RUNS + 2 * PAIR_COUNT;
    const HEIGHT: usize = SIDE;
    const WIDTH: usize = SIDE;
    const POLICY: PolicyShape = PolicyShape::Planes(PAIR_COUNT);
    const PLANE_NAMES: &'static [&'static str] = &[
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
    ];

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let (own, opponent) = self.own_and_opponent();
        let (boards, runs) = planes.split_at_mut(RUNS * CELLS);
        let mut masks = [own, opponent, BOARD, QUADRANT_CENTRES, 0, 0, 0, 0, 0, 0];
        for (swaps, pair) in COUNTERPART_SWAPS.into_iter().zip(masks[COUNTERPARTS..].as_chunks_mut::<2>().0) {
            *pair = [own, opponent].map(|stones| swaps.into_iter().fold(stones, swap));
        }
        for (mask, plane) in masks.into_iter().zip(boards.chunks_exact_mut(CELLS)) {
            for (&bit, number) in BIT_OF_CELL.iter().zip(plane) {
                *number = (mask >> bit & 1) as f32;
            }
        }
        let empty = BOARD & !(own | opponent);
        let [_, after_swaps @ ..] = RunCounts::of_arrangements(own, opponent);
        let (own_runs, opponent_runs) = runs.split_at_mut(PAIR_COUNT * CELLS);
        let planes = own_runs.chunks_exact_mut(CELLS).zip(opponent_runs.chunks_exact_mut(CELLS));
        for ((pair, counts), (own_plane, opponent_plane)) in after_swaps.into_iter().enumerate().zip(planes) {
            let by_stones = [counts.open_ones(), counts.open_twos(), counts.open_threes(), counts.open_fours()];
            for (cell, &bit) in BIT_OF_CELL.iter().enumerate() {
                let through = match empty >> bit & 1 {
                    1 => u64::from(runs_through(swap(1 << bit, pair).trailing_zeros() as usize)),
                    _ => 0,
                };
                let fullest = |runs_of_side: u64| {
                    let stones = by_stones.iter().rposition(|&runs| runs & runs_of_side != 0);
                    stones.map_or(0.0, |index| (index + 1) as f32 / 4.0)
                };
                own_plane[cell] = fullest(through);
                opponent_plane[cell] = fullest(through << 32);
            }
        }
    }
}
