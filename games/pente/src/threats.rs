//! What a side can do with its next stone: win, capture.

use super::lines::{FIVE_REACH, PAIR_REACH, captures, lines_through};
use super::patterns::{LineView, Rows, cells_of_windows, is_any, moved, union};
use super::{PAIRS_TO_WIN, Pente};
use selfplay_registry::Game;

impl<const N: usize> Pente<N> {
    /// Indices of the side to move and of the other.
    pub(super) fn own_and_opponent(&self) -> [usize; 2] {
        let side = self.side_to_move();
        [side.index(), side.opponent().index()]
    }

    /// What the lines show of the side to move (side 0 of a view) and the other.
    pub(super) fn views(&self) -> [LineView<N>; 4] {
        LineView::all(self.own_and_opponent().map(|side| &self.stones[side]))
    }

    /// The cells where a stone of a side (0 is the side to move) makes five or captures the last pair it needs.
    pub(super) fn winning_cells(&self, views: &[LineView<N>; 4], side: usize) -> Rows<N> {
        let indices = self.own_and_opponent();
        let (mine, theirs) = (&self.stones[indices[side]], &self.stones[indices[1 - side]]);
        let mut cells = [0; N];
        for (line, view) in views.iter().enumerate() {
            let fours = view.fours(side);
            if is_any(&fours) {
                cells = union(&cells, &cells_of_windows(line, &fours));
            }
        }
        let missing = PAIRS_TO_WIN - self.pairs[indices[side]].min(PAIRS_TO_WIN);
        let mut capturing = capturing_cells(views, side);
        if missing > 1 {
            // Several pairs at once, each from another direction: count them at each cell.
            for (row, columns) in capturing.iter_mut().enumerate() {
                let mut rest = *columns;
                while rest != 0 {
                    let column = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let [along, against] = captures(
                        lines_through::<N, FIVE_REACH>(mine, row, column),
                        lines_through::<N, PAIR_REACH>(theirs, row, column),
                    );
                    if along.count_ones() + against.count_ones() < u32::from(missing) {
                        *columns &= !(1 << column);
                    }
                }
            }
        }
        std::array::from_fn(|row| (cells[row] | capturing[row]) & self.playable(row))
    }
}

/// The empty cells where a stone of the side captures.
#[inline]
pub(super) fn capturing_cells<const N: usize>(views: &[LineView<N>; 4], side: usize) -> Rows<N> {
    views.iter().enumerate().fold([0; N], |cells, (line, view)| {
        let [at_first, at_last] = view.captures(side);
        union(&cells, &union(&at_first, &moved(line, &at_last, 3)))
    })
}

/// The stones of the side that the other side's next stone can capture.
pub(super) fn capturable_stones<const N: usize>(views: &[LineView<N>; 4], side: usize) -> Rows<N> {
    views.iter().enumerate().fold([0; N], |cells, (line, view)| {
        let [at_first, at_last] = view.captures(1 - side);
        let captures = union(&at_first, &at_last);
        union(&cells, &union(&moved(line, &captures, 1), &moved(line, &captures, 2)))
    })
}
