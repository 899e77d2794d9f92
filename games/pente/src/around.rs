//! What a stone changes: the windows and flanked pairs on the four lines through one cell, in one word, as the cells they are
//! about.

use super::lines::{DIRECTIONS, FIVE_REACH, LANE, LANES, Lines};
use super::patterns::{Rows, exactly_four, exactly_three};

/// The windows of one line's 16-bit field by their first cell: all five contain the centre.
const WINDOWS: u64 = LANES * 0b1_1111;

/// The stones of two sides on the four lines through a cell, as [`lines_through`](super::lines::lines_through) has them, and
/// the cells of the board.
pub(super) struct Around {
    row: usize,
    column: usize,
    stones: [u64; 2],
    board: u64,
}

impl Around {
    /// The lines through (`row`, `column`).
    #[inline]
    pub(super) fn new<const N: usize>(stones: &[Lines<N>; 2], row: usize, column: usize) -> Self {
        let stones = [0, 1].map(|side| stones[side].through(row, column));
        Around { row, column, stones, board: on_board::<N>(row, column) }
    }

    /// The windows through the cell with exactly three and with exactly four stones of `side` and none of the other.
    #[inline]
    pub(super) fn windows(&self, side: usize) -> [u64; 2] {
        let steps = |cells: u64| -> [u64; 5] { std::array::from_fn(|step| cells >> step) };
        let own = steps(self.stones[side]);
        let closed = steps(self.stones[1 - side] | !self.board).into_iter().fold(0, |all, cells| all | cells);
        [exactly_three(own), exactly_four(own)].map(|windows| windows & !closed & WINDOWS)
    }

    /// The free cells of `windows` without a stone of the other side than `side`.
    #[inline]
    pub(super) fn free_cells(&self, side: usize, windows: u64) -> u64 {
        (windows | windows << 1 | windows << 2 | windows << 3 | windows << 4) & !self.stones[side]
    }

    /// The free cells on the lines where a stone of `side` captures along them.
    #[inline]
    pub(super) fn capturing(&self, side: usize) -> u64 {
        let (mine, theirs) = (self.stones[side], self.stones[1 - side]);
        let free = self.board & !(mine | theirs);
        let pair = theirs >> 1 & theirs >> 2;
        free & pair & mine >> 3 | (mine & pair & free >> 3) << 3
    }

    /// Adds the cells of a word to a set of the board.
    #[inline]
    pub(super) fn add<const N: usize>(&self, mut cells: u64, to: &mut Rows<N>) {
        while cells != 0 {
            let bit = cells.trailing_zeros() as usize;
            cells &= cells - 1;
            let ((down, right), steps) = (DIRECTIONS[bit / LANE], (bit % LANE) as isize - FIVE_REACH as isize);
            to[self.row.wrapping_add_signed(steps * down)] |= 1 << self.column.wrapping_add_signed(steps * right);
        }
    }
}

/// The cells of the board on the lines through a cell, as [`lines_through`](super::lines::lines_through) would have them on a
/// full board.
#[inline]
fn on_board<const N: usize>(row: usize, column: usize) -> u64 {
    let lane = |before: usize, behind: usize| -> u64 {
        let (first, last) = (FIVE_REACH - before.min(FIVE_REACH), FIVE_REACH + behind.min(FIVE_REACH));
        (2 << last) - (1 << first)
    };
    let (below, right) = (N - 1 - row, N - 1 - column);
    lane(column, right)
        | lane(row, below) << LANE
        | lane(row.min(column), below.min(right)) << (2 * LANE)
        | lane(row.min(right), below.min(column)) << (3 * LANE)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines_through;
    use super::*;

    fn agrees_with_a_full_board<const N: usize>() {
        for cell in 0..N * N {
            let expected = lines_through::<N, FIVE_REACH>(&[(1 << N) - 1; N], cell / N, cell % N);
            assert_eq!(on_board::<N>(cell / N, cell % N), expected, "cell {cell} of {N}");
        }
    }

    #[test]
    fn the_board_ends_where_a_full_one_does() {
        agrees_with_a_full_board::<9>();
        agrees_with_a_full_board::<19>();
    }
}
