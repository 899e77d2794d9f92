//! How boards are cut into tiles.

use super::transforms::Side;
use crate::grid::Grid;

/// Stands for a place that is not on the board.
pub const OUTSIDE: u32 = u32::MAX;

/// A tile costs as much as its multiplications and its transforms, and these are the smaller part from so many channels on.
const MIN_INPUTS: usize = 8;
const MIN_OUTPUTS: usize = 16;
/// The definition has so many times the multiplications, at least; with less a single board would lose too much: its tiles'
/// weights are several times those of the definition.
const MIN_GAIN: usize = 3;

/// The sides that tiles may have along columns and rows, small ones first. Work over tiles is compiled for each; other pairs
/// are the best for few boards.
pub const PAIRS: [[Side; 2]; 6] = [
    [Side::Three, Side::Three],
    [Side::Four, Side::Four],
    [Side::Five, Side::Five],
    [Side::Four, Side::Six],
    [Side::Six, Side::Four],
    [Side::Six, Side::Six],
];

/// The sides, along columns and rows, that compute a 3×3 layer of `inputs` and `outputs` channels with the fewest
/// multiplications; none where the definition is about as quick.
pub fn tiles_that_pay(grid: Grid, inputs: usize, outputs: usize) -> Option<[Side; 2]> {
    let elements = |side: Side, cells: usize| cells.div_ceil(side.results()) * side.elements();
    let multiplications = |[rows, columns]: &[Side; 2]| elements(*rows, grid.height) * elements(*columns, grid.width);
    // Of equals the smaller: it rounds less, and has fewer weights.
    let sides = PAIRS.into_iter().min_by_key(multiplications)?;
    let gains = 9 * grid.cells() >= MIN_GAIN * multiplications(&sides);
    let pays = inputs >= MIN_INPUTS && outputs >= MIN_OUTPUTS && gains;
    pays.then_some(sides)
}

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
    /// The same cells counted from the board's first with its border, as `reads`: where the gradients of results are.
    pub gradients: Vec<u32>,
}

impl Tiling {
    /// Tiles of these sides.
    ///
    /// # Panics
    /// If they are none of [`PAIRS`].
    pub fn new(grid: Grid, sides: [Side; 2]) -> Self {
        assert!(PAIRS.contains(&sides), "tiles of {sides:?}: expected one of {PAIRS:?}");
        let [results, elements] = [sides.map(Side::results), sides.map(Side::elements)];
        let counts = [grid.height.div_ceil(results[0]), grid.width.div_ceil(results[1])];
        let (mut reads, mut writes, mut gradients) = (Vec::new(), Vec::new(), Vec::new());
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
                        gradients.push(if is_inside { grid.cell(0, row, column) as u32 } else { 0 });
                    }
                }
            }
        }
        Tiling { sides, tiles: counts[0] * counts[1], reads, writes, gradients }
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
    fn boards_have_the_tiles_with_the_fewest_multiplications() {
        use Side::{Five, Four, Six, Three};
        let sides = |height, width| tiles_that_pay(Grid { height, width }, 64, 64);
        assert_eq!(sides(3, 3), Some([Three, Three]));
        assert_eq!(sides(4, 4), Some([Four, Four]));
        assert_eq!(sides(6, 6), Some([Six, Six]));
        assert_eq!(sides(6, 7), Some([Six, Four]));
        assert_eq!(sides(9, 9), Some([Five, Five]));
        assert_eq!(sides(8, 8), Some([Four, Four]));
        assert_eq!(sides(13, 13), Some([Five, Five]));
        assert_eq!(sides(19, 19), Some([Five, Five]));
        assert_eq!([sides(1, 1), sides(2, 3)], [None, None], "there is little to save");
        let of_planes = |inputs, outputs| tiles_that_pay(Grid { height: 6, width: 6 }, inputs, outputs);
        assert_eq!([of_planes(4, 64), of_planes(64, 8)], [None, None], "transforms would take longer");
    }

    #[test]
    fn every_cell_is_written_once_and_reads_what_is_around_it() {
        for (height, width) in [(1, 1), (4, 4), (6, 6), (7, 6), (9, 9), (19, 19)] {
            for sides in PAIRS {
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
