//! Boards in memory: which cells of a buffer a layer goes through, planes to cells and back, pooling over a board.

use crate::grid::{Grid, Rows};
use crate::packed::{Aligned, zeros};

/// How a buffer holds a batch of boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Each board with a border of zeros, as [`Grid`] says: what a 3×3 window reads.
    Bordered,
    /// The boards' cells one after the other.
    Dense,
    /// One cell for each board, for numbers that belong to the whole of it.
    Single,
}

/// Where the cells of a batch of boards are.
#[derive(Clone, Debug)]
pub struct Boards {
    /// One board.
    pub grid: Grid,
    /// Most boards of a batch.
    pub capacity: usize,
    bordered: Rows,
    dense: Rows,
    first_cells: Rows,
}

impl Boards {
    /// Tables for batches of up to `capacity` boards.
    pub fn new(grid: Grid, capacity: usize) -> Self {
        Boards {
            grid,
            capacity,
            bordered: grid.rows(capacity),
            dense: Rows::every(1, capacity * grid.cells()),
            first_cells: Rows::every(grid.cells(), capacity),
        }
    }

    /// The cells of a buffer, board after board, without borders.
    pub fn rows(&self, layout: Layout) -> &Rows {
        match layout {
            Layout::Bordered => &self.bordered,
            Layout::Dense | Layout::Single => &self.dense,
        }
    }

    /// How many of those cells belong to the first `boards` boards.
    pub fn count(&self, layout: Layout, boards: usize) -> usize {
        match layout {
            Layout::Bordered | Layout::Dense => boards * self.grid.cells(),
            Layout::Single => boards,
        }
    }

    /// The first cell of each board in a dense buffer.
    pub(crate) fn first_cells(&self) -> &Rows {
        &self.first_cells
    }

    /// The cells of board number `board` in a buffer.
    fn cells_of(&self, layout: Layout, board: usize) -> &[u32] {
        let cells = self.count(layout, 1);
        &self.rows(layout).as_slice()[board * cells..][..cells]
    }
}

/// A buffer of `stride` numbers for each cell.
#[derive(Clone, Debug)]
pub struct Cells<T = f32> {
    /// The numbers, cell by cell.
    pub numbers: Aligned<T>,
    /// Numbers of a cell; those beyond its channels are zero or unused.
    pub stride: usize,
    /// Which cells there are.
    pub layout: Layout,
}

impl<T: Copy + Default> Cells<T> {
    /// Zeros for `boards` boards of `grid`.
    pub fn new(grid: Grid, layout: Layout, boards: usize, stride: usize) -> Self {
        let cells = match layout {
            Layout::Bordered => grid.bordered_cells(),
            Layout::Dense => grid.cells(),
            Layout::Single => 1,
        };
        Cells { numbers: zeros(boards * cells * stride), stride, layout }
    }

    /// Takes in `planes`, `[channels, height, width]`, as board number `board`, each number by way of `convert`.
    pub fn load(&mut self, boards: &Boards, board: usize, planes: &[f32], convert: impl Fn(f32) -> T) {
        for (cell, &place) in boards.cells_of(self.layout, board).iter().enumerate() {
            let numbers = &mut self.numbers[place as usize * self.stride..][..self.stride];
            for (number, plane) in numbers.iter_mut().zip(planes.chunks_exact(boards.grid.cells())) {
                *number = convert(plane[cell]);
            }
        }
    }
}

impl Cells {
    /// Writes the first channels of board number `board` as planes, `[channels, height, width]`.
    pub fn store(&self, boards: &Boards, board: usize, planes: &mut [f32]) {
        let places = boards.cells_of(self.layout, board);
        for (channel, plane) in planes.chunks_exact_mut(places.len()).enumerate() {
            for (number, &place) in plane.iter_mut().zip(places) {
                *number = self.numbers[place as usize * self.stride + channel];
            }
        }
    }

    /// Mean over the cells of each of `channels` channels, then the maximum of each, side by side in `summary`, which
    /// has a cell for each of the first `boards` boards; the buffer itself is dense, its boards have `cells` cells.
    /// `on_greater` hears of the number `board · channels + channel` and of the cell wherever one holds more than all
    /// before it.
    pub fn mean_and_max(
        &self,
        cells: usize,
        boards: usize,
        channels: usize,
        summary: &mut Cells,
        mut on_greater: impl FnMut(usize, usize),
    ) {
        let per_board = self.numbers.chunks_exact(cells * self.stride).take(boards);
        let summaries = summary.numbers.chunks_exact_mut(summary.stride);
        for (board, (cells_of_board, summary)) in per_board.zip(summaries).enumerate() {
            let (mean, max) = summary[..2 * channels].split_at_mut(channels);
            mean.fill(0.0);
            max.fill(f32::NEG_INFINITY);
            for (cell, numbers) in cells_of_board.chunks_exact(self.stride).enumerate() {
                let channels_of_cell = mean.iter_mut().zip(&mut *max).zip(numbers).enumerate();
                for (channel, ((mean, max), &number)) in channels_of_cell {
                    *mean += number;
                    if number > *max {
                        *max = number;
                        on_greater(board * channels + channel, cell);
                    }
                }
            }
            for mean in mean {
                *mean /= cells as f32;
            }
        }
    }
}

/// What each output of a layer starts from, in the units of the output.
#[derive(Clone, Copy, Debug)]
pub struct Bias<'a> {
    /// A number for each place of a cell of results, or so many for each board.
    pub numbers: &'a [f32],
    /// Cells that are computed of each board, if the bias differs from board to board.
    pub cells_per_board: Option<usize>,
}

impl Bias<'_> {
    /// Checks that the first `count` cells, `stride` numbers each, have their biases. Pointers rely on it.
    ///
    /// # Panics
    /// If they do not.
    pub(crate) fn assert_covers(&self, count: usize, stride: usize) {
        let boards = self.cells_per_board.map_or(1, |cells| count.div_ceil(cells));
        assert!(self.numbers.len() >= boards * stride, "each padded output has a bias");
    }

    /// Where the biases of the cell with number `index` among those computed start.
    #[inline(always)]
    pub(crate) fn start(&self, index: usize, stride: usize) -> usize {
        self.cells_per_board.map_or(0, |cells| index / cells * stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_become_cells_and_planes_again() {
        let boards = Boards::new(Grid { height: 2, width: 3 }, 2);
        let planes: Vec<f32> = (0..12).map(|number| number as f32).collect();
        for layout in [Layout::Bordered, Layout::Dense] {
            let mut cells: Cells = Cells::new(boards.grid, layout, 2, 4);
            cells.load(&boards, 1, &planes, |number| number);
            // Row 1, column 2 of the second board.
            let place = if layout == Layout::Dense { 11 } else { boards.grid.cell(1, 1, 2) };
            assert_eq!(cells.numbers[place * 4..][..4], [5.0, 11.0, 0.0, 0.0]);
            let mut found = [0.0; 12];
            cells.store(&boards, 1, &mut found);
            assert_eq!(found, planes[..]);
        }
    }

    #[test]
    fn boards_are_summed_up_with_the_first_of_equal_maxima() {
        let mut cells: Cells = Cells::new(Grid { height: 1, width: 3 }, Layout::Dense, 2, 2);
        cells.numbers.copy_from_slice(&[1.0, -4.0, 3.0, -5.0, 3.0, -6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0]);
        let mut summary: Cells = Cells::new(Grid { height: 1, width: 3 }, Layout::Single, 2, 5);
        let mut maxima = [9; 4];
        cells.mean_and_max(3, 2, 2, &mut summary, |channel, cell| maxima[channel] = cell);
        assert_eq!(*summary.numbers, [7.0 / 3.0, -5.0, 3.0, -4.0, 0.0, 0.0, 3.0, 0.0, 9.0, 0.0]);
        assert_eq!(maxima, [1, 0, 0, 2]);
    }
}
