//! Where the next disc can go, and where it completes four.

use super::{BOARD, BOTTOM_ROW, COLUMN_BITS, Connect4};

impl Connect4 {
    /// The lowest empty cell of each column that has one.
    pub(super) fn playable(&self) -> u64 {
        (self.occupied + BOTTOM_ROW) & BOARD
    }

    /// The empty cells that complete four with `discs`, one of the two sides'.
    pub(super) fn completions(&self, discs: u64) -> u64 {
        let mut cells = discs << 1 & discs << 2 & discs << 3;
        for step in [COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1] {
            // The empty cell is after three discs, or third of four, and the same seen from the other end.
            let after_two = discs << step & discs << (2 * step);
            let before_two = discs >> step & discs >> (2 * step);
            cells |= after_two & (discs << (3 * step) | discs >> step);
            cells |= before_two & (discs >> (3 * step) | discs << step);
        }
        cells & BOARD & !self.occupied
    }
}
