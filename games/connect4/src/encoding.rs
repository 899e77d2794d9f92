//! Tensor encoding; the README beside this file lists planes and actions.
//!
//! Besides the discs it shows what takes a small network several layers to see: where fours are completed, and on which
//! rows that helps whom, which depends on who began.

use super::threats::open_windows;
use super::{BOARD, CELLS, COLUMNS, Connect4, DIRECTIONS, ROWS, bit};
use selfplay_registry::bit_planes::{BitCounts, BitPlanes};
use selfplay_registry::{EncodingSpec, TensorEncoding};

/// The number of windows through a cell: four become 1.
type Windows = BitCounts<3>;

static BIT_PLANES: BitPlanes<CELLS> = BitPlanes::new(bits());

/// What each plane holds.
const PLANES: [&str; 9] = [
    "own discs",
    "opponent's discs",
    "ones",
    "cells that the next disc can fall on",
    "empty cells that complete four for the side to move",
    "empty cells that complete four for the opponent",
    "rows that suit threats of the side to move: from the bottom the first, third and fifth if it began, else the others",
    "empty cells: windows of four with two own discs and none of the opponent's, at most 4, / 4",
    "empty cells: windows of four with two of the opponent's discs and no own, at most 4, / 4",
];

impl TensorEncoding for Connect4 {
    fn encoding() -> EncodingSpec {
        EncodingSpec::new(&PLANES, ROWS, COLUMNS).version(2)
    }

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::encoding().encoded_len());
        let (own, opponent) = self.own_and_opponent();
        let [suitable_rows, _] = self.suitable_rows();
        let completions = [self.completions(own), self.completions(opponent)];
        let sets = [own, opponent, BOARD, self.playable(), completions[0], completions[1], suitable_rows];
        let (yes_or_no, counts) = planes.split_at_mut(sets.len() * CELLS);
        for (set, plane) in sets.into_iter().zip(yes_or_no.chunks_exact_mut(CELLS)) {
            BIT_PLANES.write_set(set, plane);
        }
        let sides = [(own, opponent), (opponent, own)];
        for ((mine, theirs), plane) in sides.into_iter().zip(counts.chunks_exact_mut(CELLS)) {
            let mut windows = Windows::new();
            for step in DIRECTIONS {
                let [starts_of_pairs, _] = open_windows(mine, theirs, step);
                for place in 0..4 {
                    windows.add(starts_of_pairs << (place * step));
                }
            }
            BIT_PLANES.write_numbers(windows.digits_of(BOARD & !self.occupied), 1.0 / Windows::MOST as f32, plane);
        }
    }
}

/// The bit numbers of the cells, row by row.
const fn bits() -> [u8; CELLS] {
    let mut bits = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        bits[cell] = mask_of(cell).trailing_zeros() as u8;
        cell += 1;
    }
    bits
}

/// The bit of the cell number row · 7 + column of a plane.
pub(super) const fn mask_of(cell: usize) -> u64 {
    // Planes have their first row on top, masks at the bottom.
    bit(ROWS - 1 - cell / COLUMNS, cell % COLUMNS)
}
