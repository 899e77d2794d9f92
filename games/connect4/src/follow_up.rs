//! What a plan of the opponent's shows without a search: to answer every disc with the one right above it (Allis, "A
//! knowledge-based approach of Connect-Four", 1988: claimeven, and zugzwang by an odd threat).
//!
//! In a column with an even number of empty cells that gives the opponent the even rows, counted from 1, and the side to
//! move the odd ones. In the other columns, here called odd, the lowest empty cell is on an even row: a disc there is
//! answered by one on the lowest cell of another odd column, after which both are even.

use super::threats::{Node, playable};
use super::{BOARD, COLUMN, COLUMN_BITS, Connect4, EVEN_ROWS, ODD_ROWS};

impl Node {
    /// What the side to move reaches at most, as far as the plan shows: 1 a win (so it shows nothing), 0 a draw, −1 neither.
    pub fn most(&self) -> i8 {
        if self.discs.is_multiple_of(2) { self.most_of_first() } else { self.most_of_second() }
    }

    /// With an even number of discs there is an even number of odd columns, so every disc has its answer.
    fn most_of_first(&self) -> i8 {
        let empty = BOARD & !self.occupied;
        let lowest_of_odd = playable(self.occupied) & EVEN_ROWS;
        // The side to move gets only some of the lowest cells of odd columns.
        if Connect4::has_four(self.own | empty & ODD_ROWS | lowest_of_odd) {
            return 1;
        }
        // These are all the opponent's when the board is full.
        let opponent = self.own ^ self.occupied;
        -i8::from(Connect4::has_four(opponent | empty & EVEN_ROWS & !lowest_of_odd))
    }

    /// With an odd number of discs one odd column is left over. Discs in it are answered right above, too, which gives the
    /// opponent its odd rows; the top cell has no answer. So the opponent must complete four there before: then it wins, and
    /// the side to move has to begin that column once all others are full.
    fn most_of_second(&self) -> i8 {
        let empty = BOARD & !self.occupied;
        let lowest_of_odd = playable(self.occupied) & EVEN_ROWS;
        let mut threats = self.awaited & ODD_ROWS;
        while threats != 0 {
            let threat = threats & threats.wrapping_neg();
            threats ^= threat;
            let bottom = 1 << (threat.trailing_zeros() as usize / COLUMN_BITS * COLUMN_BITS);
            let column = COLUMN * bottom;
            let below_threat = threat - bottom;
            let reached = ODD_ROWS & !column | EVEN_ROWS & below_threat;
            if lowest_of_odd & column != 0 && !Connect4::has_four(self.own | empty & reached | lowest_of_odd) {
                return -1;
            }
        }
        1
    }
}
