//! How the board lies in a mask, and what depends on it: swaps and lines of five.
//!
//! Bit `9 · quadrant + 3 · row + column` is a cell, with row and column counted inside the quadrant, so that a quadrant
//! is nine neighbouring bits and a swap exchanges two such groups. Quadrants are A top left, B top right, C bottom left,
//! D bottom right. Action indices and planes count cells by `6 · row + column` of the board.

use selfplay_registry::Symmetry;

/// Rows and columns of the board.
pub(super) const SIDE: usize = 6;
/// Cells of the board.
pub(super) const CELLS: usize = SIDE * SIDE;
/// Cells of a quadrant.
pub(super) const QUADRANT_CELLS: usize = 9;
/// Quadrants of the board.
pub(super) const QUADRANT_COUNT: usize = 4;
/// All cells of the first quadrant; shift by nine for the next.
pub(super) const QUADRANT: u64 = (1 << QUADRANT_CELLS) - 1;
/// All cells.
pub(super) const BOARD: u64 = (1 << CELLS) - 1;
/// The middle cells of the four quadrants.
pub(super) const QUADRANT_CENTRES: u64 = 1 << 4 | 1 << 13 | 1 << 22 | 1 << 31;

/// Unordered pairs of quadrants.
pub(super) const PAIR_COUNT: usize = 6;
/// The quadrants of each pair, in the order AB, AC, AD, BC, BD, CD.
pub(super) const QUADRANTS_OF_PAIR: [[usize; 2]; PAIR_COUNT] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Bit number of each board cell.
pub(super) static BIT_OF_CELL: [u8; CELLS] = BITS;
/// Board cell of each bit number.
pub(super) static CELL_OF_BIT: [u8; CELLS] = cells_of_bits();

const BITS: [u8; CELLS] = bits_of_cells();
/// Runs of five cells: two on each of the twelve rows and columns and on the two long diagonals, one on the four
/// diagonals beside those.
pub(super) const WINDOW_COUNT: usize = 32;
/// The cells of each run of five.
pub(super) const WINDOWS: [u64; WINDOW_COUNT] = windows();
/// `[quadrant][nine bits of stones]`: the runs of five (bit = index in [`WINDOWS`]) that lack no stone in that quadrant.
static FILLED: [[u32; 1 << QUADRANT_CELLS]; QUADRANT_COUNT] = filled();

/// `[pair][cell]`: the runs through the place where the cell's stone lies after the swap; bit = index in [`WINDOWS`].
pub(super) static RUNS_AFTER_SWAP: [[u32; CELLS]; PAIR_COUNT] = runs_after_swaps();

/// `[symmetry][nine bits of stones]`: a quadrant seen through each symmetry, by [`Symmetry::index`].
static QUADRANT_IMAGES: [[u16; 1 << QUADRANT_CELLS]; 8] = quadrant_images();
/// `[symmetry][action]`: what each action becomes.
pub(super) static ACTION_IMAGES: [[u8; PAIR_COUNT * CELLS]; 8] = action_images();

/// The bit numbers set in `mask`, ascending.
#[inline]
pub(super) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        let is_any_left = mask != 0;
        mask &= mask.wrapping_sub(1);
        is_any_left.then_some(bit)
    })
}

/// The number of the pair of these two different quadrants, in either order.
const fn pair_of([first, second]: [usize; 2]) -> usize {
    let [low, high] = if first < second { [first, second] } else { [second, first] };
    // The pairs that start with A come first (0 to 2), then those with B (3, 4), then CD.
    [0, 2, 3][low] + high - 1
}

/// `stones` after the quadrants of `pair` changed places.
#[inline]
pub(super) const fn swap(stones: u64, pair: usize) -> u64 {
    let [low, high] = QUADRANTS_OF_PAIR[pair];
    let distance = QUADRANT_CELLS * (high - low);
    let differing = (stones ^ stones >> distance) & QUADRANT << (QUADRANT_CELLS * low);
    stones ^ differing ^ differing << distance
}

/// `stones` seen through `symmetry`.
#[inline]
pub(super) fn image(stones: u64, symmetry: Symmetry) -> u64 {
    (0..QUADRANT_COUNT).fold(0, |image, quadrant| {
        let part = QUADRANT_IMAGES[symmetry.index()][(stones >> (QUADRANT_CELLS * quadrant) & QUADRANT) as usize];
        image | u64::from(part) << (QUADRANT_CELLS * symmetry.map_cell(quadrant, 2))
    })
}

/// Whether `stones` hold five in a row.
#[inline]
pub(super) fn has_five(stones: u64) -> bool {
    let windows = (0..QUADRANT_COUNT).fold(u32::MAX, |windows, quadrant| {
        windows & FILLED[quadrant][(stones >> (QUADRANT_CELLS * quadrant) & QUADRANT) as usize]
    });
    windows != 0
}

const fn quadrant_images() -> [[u16; 1 << QUADRANT_CELLS]; 8] {
    let mut images = [[0; 1 << QUADRANT_CELLS]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut stones = 1;
        while stones < 1 << QUADRANT_CELLS {
            // The image of all but the lowest stone is known.
            let lowest = (stones as u32).trailing_zeros() as usize;
            images[symmetry][stones] =
                images[symmetry][stones & (stones - 1)] | 1 << Symmetry::ALL[symmetry].map_cell(lowest, 3);
            stones += 1;
        }
        symmetry += 1;
    }
    images
}

const fn action_images() -> [[u8; PAIR_COUNT * CELLS]; 8] {
    let mut images = [[0; PAIR_COUNT * CELLS]; 8];
    let mut index = 0;
    while index < 8 {
        let symmetry = Symmetry::ALL[index];
        let mut action = 0;
        while action < PAIR_COUNT * CELLS {
            // Quadrants are the cells of a 2×2 board.
            let [first, second] = QUADRANTS_OF_PAIR[action / CELLS];
            let pair = pair_of([symmetry.map_cell(first, 2), symmetry.map_cell(second, 2)]);
            images[index][action] = (pair * CELLS + symmetry.map_cell(action % CELLS, SIDE)) as u8;
            action += 1;
        }
        index += 1;
    }
    images
}

const fn bits_of_cells() -> [u8; CELLS] {
    let mut bits = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / SIDE, cell % SIDE);
        bits[cell] = ((row / 3 * 2 + column / 3) * QUADRANT_CELLS + row % 3 * 3 + column % 3) as u8;
        cell += 1;
    }
    bits
}

const fn cells_of_bits() -> [u8; CELLS] {
    let mut cells = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        cells[BITS[cell] as usize] = cell as u8;
        cell += 1;
    }
    cells
}

const fn windows() -> [u64; WINDOW_COUNT] {
    let mut windows = [0; WINDOW_COUNT];
    let mut count = 0;
    // Steps (rows down, columns right) of the four directions.
    let steps: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (-1, 1)];
    let mut start = 0;
    while start < CELLS {
        let (row, column) = ((start / SIDE) as isize, (start % SIDE) as isize);
        let mut direction = 0;
        while direction < steps.len() {
            let (down, right) = steps[direction];
            let (last_row, last_column) = (row + 4 * down, column + 4 * right);
            if 0 <= last_row && last_row < SIDE as isize && last_column < SIDE as isize {
                let mut step = 0;
                while step < 5 {
                    let cell = (row + step * down) as usize * SIDE + (column + step * right) as usize;
                    windows[count] |= 1 << BITS[cell];
                    step += 1;
                }
                count += 1;
            }
            direction += 1;
        }
        start += 1;
    }
    assert!(count == WINDOW_COUNT);
    windows
}

const fn runs_after_swaps() -> [[u32; CELLS]; PAIR_COUNT] {
    let mut through = [[0; CELLS]; PAIR_COUNT];
    let mut index = 0;
    while index < PAIR_COUNT * CELLS {
        let (pair, cell) = (index / CELLS, index % CELLS);
        let mut run = 0;
        while run < WINDOW_COUNT {
            if WINDOWS[run] & swap(1 << BITS[cell], pair) != 0 {
                through[pair][cell] |= 1 << run;
            }
            run += 1;
        }
        index += 1;
    }
    through
}

const fn filled() -> [[u32; 1 << QUADRANT_CELLS]; QUADRANT_COUNT] {
    let mut filled = [[0; 1 << QUADRANT_CELLS]; QUADRANT_COUNT];
    let mut quadrant = 0;
    while quadrant < QUADRANT_COUNT {
        let mut stones = 0;
        while stones < 1 << QUADRANT_CELLS {
            let mut window = 0;
            while window < WINDOW_COUNT {
                let needed = WINDOWS[window] >> (QUADRANT_CELLS * quadrant) & QUADRANT;
                if needed & !(stones as u64) == 0 {
                    filled[quadrant][stones] |= 1 << window;
                }
                window += 1;
            }
            stones += 1;
        }
        quadrant += 1;
    }
    filled
}
