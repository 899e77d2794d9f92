//! How boards are cut into tiles.

use super::transforms::Side;
use crate::grid::Grid;

/// Stands for a place that is not on the board.
pub const OUTSIDE: u32 = u32::MAX;

/// The tiles of a board: where each reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// Along the columns of the board and along its rows.
    pub sides: [Side; 2],
    /// Tiles of a board.
    pub tiles: usize,
    /// For each tile and each of its elements, row by row: the cell to read, counted from the board's first with its border.
    /// What lies beyond the border is a cell of the border, and zero like it.
    pub reads: Vec<u32>,
    /// For each tile and each of its results, row by row: the cell to write, counted without the border, or [`OUTSIDE`].
    pub writes: Vec<u32>,
}

impl Tiling {
    /// Tiles of these sides.
    pub fn new(grid: Grid, sides: [Side; 2]) -> Self {
        let [results, elements] = [sides.map(Side::results), sides.map(Side::elements)];
        let counts = [grid.height.div_ceil(results[0]), grid.width.div_ceil(results[1])];
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for first_row in (0..counts[0]).map(|tile| tile * results[0]) {
            for first_column in (0..counts[1]).map(|tile| tile * results[1]) {
                for row in first_row..first_row + elements[0] {
                    for column in first_column..first_column + elements[1] {
                        let is_inside = row < grid.height + 2 && column < grid.width + 2;
                        reads.push(if is_inside { (row * (grid.width + 2) + column) as u32 } else { 0 });
                    }
                }
                for row in first_row..first_row + results[0] {
                    for column in first_column..first_column + results[1] {
                        let is_inside = row < grid.height && column < grid.width;
                        writes.push(if is_inside { (row * grid.width + column) as u32 } else { OUTSIDE });
                    }
                }
            }
        }
        Tiling { sides, tiles: counts[0] * counts[1], reads, writes }
    }

    /// Elements of a tile: its multiplications for each pair of channels.
    pub fn elements(&self) -> usize {
        self.sides[0].elements() * self.sides[1].elements()
    }

    /// Results of a tile.
    pub fn results(&self) -> usize {
        self.sides[0].results() * self.sides[1].results()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_written_once_and_reads_what_is_around_it() {
        for (height, width) in [(1, 1), (4, 4), (6, 6), (7, 6), (9, 9), (19, 19)] {
            for sides in Side::ALL.into_iter().flat_map(|rows| Side::ALL.map(|columns| [rows, columns])) {
                let grid = Grid { height, width };
                let tiling = Tiling::new(grid, sides);
                let mut written: Vec<u32> = tiling.writes.iter().copied().filter(|&cell| cell != OUTSIDE).collect();
                written.sort_unstable();
                assert_eq!(written, (0..grid.cells() as u32).collect::<Vec<_>>());
                let (results, elements) = (sides[1].results(), sides[1].elements());
                for tile in 0..tiling.tiles {
                    for (result, &cell) in
                        tiling.writes[tile * tiling.results()..][..tiling.results()].iter().enumerate()
                    {
                        if cell == OUTSIDE {
                            continue;
                        }
                        // The middle of the window, by its element.
                        let element = (result / results + 1) * elements + result % results + 1;
                        let (row, column) = (cell as usize / width, cell as usize % width);
                        assert_eq!(
                            tiling.reads[tile * tiling.elements() + element] as usize,
                            grid.cell(0, row, column)
                        );
                    }
                }
            }
        }
    }
}
