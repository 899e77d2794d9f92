//! Tensor encoding; the README beside this file lists planes and actions.
//!
//! Besides the discs it shows what takes a small network several layers to see: where fours are completed, and on which
//! rows that helps whom, which depends on who began.

use super::threats::open_windows;
use super::{BOARD, CELLS, COLUMNS, Connect4, DIRECTIONS, ROWS, bit};
use selfplay_kit::{PolicyShape, TensorEncoding};

/// The number of windows through a cell that becomes 1.
const MOST_WINDOWS: u32 = 4;

impl TensorEncoding for Connect4 {
    const ENCODING_VERSION: u32 = 2;
    const PLANES: usize = 9;
    const HEIGHT: usize = ROWS;
    const WIDTH: usize = COLUMNS;
    const POLICY: PolicyShape = PolicyShape::Dense;
    const PLANE_NAMES: &'static [&'static str] = &[
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

    fn encode(&self, planes: &mut [f32]) {
        assert_eq!(planes.len(), Self::ENCODED_LEN);
        let (own, opponent) = self.own_and_opponent();
        let [suitable_rows, _] = self.suitable_rows();
        let completions = [self.completions(own), self.completions(opponent)];
        let sets = [own, opponent, BOARD, self.playable(), completions[0], completions[1], suitable_rows];
        let (yes_or_no, counts) = planes.split_at_mut(sets.len() * CELLS);
        for (set, plane) in sets.into_iter().zip(yes_or_no.chunks_exact_mut(CELLS)) {
            for (cell, number) in plane.iter_mut().enumerate() {
                *number = f32::from(u8::from(set & mask_of(cell) != 0));
            }
        }
        let sides = [(own, opponent), (opponent, own)];
        for ((mine, theirs), plane) in sides.into_iter().zip(counts.chunks_exact_mut(CELLS)) {
            let pairs = DIRECTIONS.map(|step| open_windows(mine, theirs, step)[0]);
            for (cell, number) in plane.iter_mut().enumerate() {
                let mask = mask_of(cell);
                let windows = if self.occupied & mask == 0 { windows_through(mask, pairs) } else { 0 };
                *number = windows.min(MOST_WINDOWS) as f32 / MOST_WINDOWS as f32;
            }
        }
    }
}

/// How many of the windows that start on the cells `starts`, for each direction, hold the cell `cell`.
fn windows_through(cell: u64, starts: [u64; DIRECTIONS.len()]) -> u32 {
    let windows = starts.into_iter().zip(DIRECTIONS).map(|(starts, step)| {
        let starts_with_cell = cell | cell >> step | cell >> (2 * step) | cell >> (3 * step);
        (starts & starts_with_cell).count_ones()
    });
    windows.sum()
}

/// The bit of the cell number row · 7 + column of a plane.
pub(super) const fn mask_of(cell: usize) -> u64 {
    // Planes have their first row on top, masks at the bottom.
    bit(ROWS - 1 - cell / COLUMNS, cell % COLUMNS)
}
