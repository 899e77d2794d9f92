//! Where the cells of a batch of boards lie in memory: boards with a border of zeros, so that a convolution reads
//! beyond the edge without asking, and tables of cells that a product walks over.

use std::ops::Range;

/// Boards of `height × width` cells, each with a border of one cell all around.
///
/// A cell is a number: boards one after the other, rows one after the other, border cells included. The numbers of a
/// cell with `stride` channels start at `cell · stride` of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Rows of the board, without the border.
    pub height: usize,
    /// Columns of the board, without the border.
    pub width: usize,
}

impl Grid {
    /// Cells of the board, without the border.
    pub const fn cells(self) -> usize {
        self.height * self.width
    }

    /// Cells of a board with its border.
    pub const fn bordered_cells(self) -> usize {
        (self.height + 2) * (self.width + 2)
    }

    /// Number of the cell at `row`, `column` of board number `board`, counted without the border.
    pub const fn cell(self, board: usize, row: usize, column: usize) -> usize {
        board * self.bordered_cells() + (row + 1) * (self.width + 2) + column + 1
    }

    /// The cells of the first `boards` boards without their borders: board, row, column.
    ///
    /// # Panics
    /// If there are more than 2³² cells.
    pub fn rows(self, boards: usize) -> Rows {
        let cells = (0..boards).flat_map(move |board| {
            (0..self.height).flat_map(move |row| (0..self.width).map(move |column| self.cell(board, row, column)))
        });
        Rows::new(cells)
    }

    /// What to add to a cell's number to reach its neighbours under a `kernel × kernel` window, row by row.
    ///
    /// # Panics
    /// If `kernel` is neither 1 nor 3: the border has one cell.
    pub fn taps(self, kernel: usize) -> Vec<isize> {
        assert!(kernel == 1 || kernel == 3, "a border of one cell suits kernels of 1 and 3");
        let reach = (kernel / 2) as isize;
        let row_step = (self.width + 2) as isize;
        (-reach..=reach).flat_map(|row| (-reach..=reach).map(move |column| row * row_step + column)).collect()
    }
}

/// Ascending numbers of cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rows(Vec<u32>);

impl Rows {
    /// The cells in the given order.
    ///
    /// # Panics
    /// If they do not ascend or one is not below 2³².
    pub fn new(cells: impl Iterator<Item = usize>) -> Self {
        let cells: Vec<u32> = cells.map(|cell| u32::try_from(cell).expect("cells are below 2^32")).collect();
        assert!(cells.is_sorted_by(|a, b| a < b), "cells ascend");
        Rows(cells)
    }

    /// `count` cells, each `step` after the one before, from cell 0.
    pub fn every(step: usize, count: usize) -> Self {
        Rows::new((0..count).map(|row| row * step))
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cells.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The numbers from the least to beyond the greatest of the first `count` cells.
    fn span(&self, count: usize) -> Range<usize> {
        match self.0[..count] {
            [first, .., last] => first as usize..last as usize + 1,
            [only] => only as usize..only as usize + 1,
            [] => 0..0,
        }
    }

    /// Checks that `numbers` numbers of each of the first `count` cells, moved by each of `taps`, lie in a buffer of
    /// `len` numbers, `stride` for each cell. Pointers rely on it.
    ///
    /// # Panics
    /// If they do not.
    pub(crate) fn assert_taps_lie_in(&self, count: usize, taps: &[isize], stride: usize, numbers: usize, len: usize) {
        let cells = self.span(count);
        for &tap in taps {
            let first = cells.start.checked_add_signed(tap).expect("the first tap lies in the input");
            let last = first + (cells.end - 1 - cells.start);
            assert!(end_of(last, stride, numbers) <= len, "the last tap lies in the input");
        }
    }

    /// Checks that the first `count` cells lie in a buffer of `len` numbers, `stride` for each cell. Pointers rely on
    /// it.
    ///
    /// # Panics
    /// With `message` if they do not.
    pub(crate) fn assert_cells_lie_in(&self, count: usize, stride: usize, len: usize, message: &str) {
        assert!(end_of(self.span(count).end, stride, 0) <= len, "{message}");
    }
}

/// Numbers of a buffer up to `extra` numbers of the cell with number `cell`.
///
/// # Panics
/// If that is beyond any buffer.
fn end_of(cell: usize, stride: usize, extra: usize) -> usize {
    cell.checked_mul(stride).and_then(|start| start.checked_add(extra)).expect("cells lie in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_leave_a_border() {
        let grid = Grid { height: 2, width: 3 };
        assert_eq!(grid.bordered_cells(), 20);
        assert_eq!(grid.rows(2).as_slice(), [6, 7, 8, 11, 12, 13, 26, 27, 28, 31, 32, 33]);
        assert_eq!(grid.taps(3), [-6, -5, -4, -1, 0, 1, 4, 5, 6]);
        assert_eq!(grid.taps(1), [0]);
        assert_eq!(grid.rows(2).span(6), 6..14);
        assert_eq!(Rows::every(5, 3).as_slice(), [0, 5, 10]);
    }

    #[test]
    #[should_panic(expected = "cells ascend")]
    fn cells_out_of_order_are_refused() {
        Rows::new([3, 3].into_iter());
    }
}
