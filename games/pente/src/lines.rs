//! The four lines through a cell packed into one word, and the two questions the rules ask of them.

/// Row and column steps of the four lines, in the order of the 16-bit fields of [`lines_through`].
pub const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The most cells that a line shows on either side of its centre: as far as a five can reach.
pub const FIVE_REACH: usize = 4;
/// As far as the pair next to the centre reaches.
pub const PAIR_REACH: usize = 2;
/// Bits from one line's field to the next. A line takes nine, so shifts by up to four never mix two lines.
pub const LANE: usize = 16;
/// Bit 0 of every field.
pub const LANES: u64 = 0x0001_0001_0001_0001;

/// The stones on the four lines through (`row`, `column`): bit `16 · d + 4 + k` is the cell `k` steps along
/// [`DIRECTIONS`]`[d]`, for `k` in −`REACH`..=`REACH`. Cells off the board are 0.
#[inline]
pub fn lines_through<const N: usize, const REACH: usize>(stones: &[u32; N], row: usize, column: usize) -> u64 {
    const { assert!(REACH <= FIVE_REACH) };
    // Shifted so that bit 4 + k is the cell k columns to the right.
    let around_column = |row_stones: u32| u64::from(row_stones) << FIVE_REACH >> column;
    let mut lines = around_column(stones[row]) & (((1 << (2 * REACH + 1)) - 1) << (FIVE_REACH - REACH));
    for bit in FIVE_REACH - REACH..=FIVE_REACH + REACH {
        // Above the top row the subtraction wraps around to beyond the last.
        let Some(&row_stones) = stones.get((row + bit).wrapping_sub(FIVE_REACH)) else { continue };
        let near = around_column(row_stones);
        let vertical = near >> FIVE_REACH & 1;
        let diagonal = near >> bit & 1;
        let antidiagonal = near >> (2 * FIVE_REACH - bit) & 1;
        lines |= (vertical << LANE | diagonal << (2 * LANE) | antidiagonal << (3 * LANE)) << bit;
    }
    lines
}

/// Lines of one direction on the largest board.
const MAX_LINES: usize = 2 * 19 - 1;

/// The stones of one side, a word for each line of the board in each of [`DIRECTIONS`]: what [`lines_through`] gathers from
/// nine rows is here four words.
pub struct Lines<const N: usize> {
    /// Bit = column in rows, and row in the others.
    words: [[u32; MAX_LINES]; 4],
}

impl<const N: usize> Lines<N> {
    /// The lines of stones on these cells, each as row · `N` + column.
    pub fn new(cells: impl Iterator<Item = usize>) -> Self {
        let mut lines = Lines { words: [[0; MAX_LINES]; 4] };
        cells.for_each(|cell| lines.flip(cell / N, cell % N));
        lines
    }

    /// Which line of each direction holds the cell, and where.
    #[inline]
    fn places(row: usize, column: usize) -> [(usize, usize); 4] {
        [(row, column), (column, row), (row + N - 1 - column, row), (row + column, row)]
    }

    /// Puts a stone on a free cell, or takes it from there.
    #[inline]
    pub fn flip(&mut self, row: usize, column: usize) {
        for (words, (line, place)) in self.words.iter_mut().zip(Self::places(row, column)) {
            words[line] ^= 1 << place;
        }
    }

    /// The stones, a word a row.
    #[inline]
    pub fn rows(&self) -> &[u32] {
        &self.words[0][..N]
    }

    /// What [`lines_through`] shows of these stones, as far as fives reach.
    #[inline]
    pub fn through(&self, row: usize, column: usize) -> u64 {
        let places = Self::places(row, column);
        (0..4).fold(0, |lines, lane| {
            let (line, place) = places[lane];
            lines | ((u64::from(self.words[lane][line]) << FIVE_REACH >> place) & 0x1FF) << (LANE * lane)
        })
    }
}

/// Whether five or more in a row pass through the centre, which holds a stone.
#[inline]
pub fn has_five(lines: u64) -> bool {
    let two = lines & lines >> 1;
    let four = two & two >> 2;
    four & lines >> 4 != 0
}

/// The pairs that a stone in the centre captures: bit `16 · d` of the first word for a pair along
/// [`DIRECTIONS`]`[d]`, of the second for a pair against it.
#[inline]
pub fn captures(own: u64, opponent: u64) -> [u64; 2] {
    [opponent >> 5 & opponent >> 6 & own >> 7 & LANES, opponent >> 3 & opponent >> 2 & own >> 1 & LANES]
}

/// The cells of the pairs that [`captures`] tells around (`row`, `column`).
pub fn captured_cells([along, against]: [u64; 2], row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
    let against = directions_of(against).map(|(down, right)| (-down, -right));
    directions_of(along).chain(against).flat_map(move |(down, right)| {
        [1, 2].map(|steps| (row.wrapping_add_signed(steps * down), column.wrapping_add_signed(steps * right)))
    })
}

/// The step of each direction whose bit is set in a word of [`captures`].
fn directions_of(mut captured: u64) -> impl Iterator<Item = (isize, isize)> {
    std::iter::from_fn(move || {
        (captured != 0).then(|| {
            let lane = captured.trailing_zeros() as usize / LANE;
            captured &= captured - 1;
            DIRECTIONS[lane]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::rng::{RngExt, rng_for};

    #[test]
    fn each_line_shows_nine_cells_and_nothing_off_the_board() {
        let full = [(1 << 9) - 1; 9];
        assert_eq!(lines_through::<9, FIVE_REACH>(&full, 4, 4), 0x01FF * LANES);
        // From the top left corner: right, down, down-right; the antidiagonal is the corner alone.
        assert_eq!(lines_through::<9, FIVE_REACH>(&full, 0, 0), 0x0010_01F0_01F0_01F0);
        assert_eq!(lines_through::<9, FIVE_REACH>(&full, 8, 0), 0x001F_0010_001F_01F0);
        // A shorter reach shows the middle of the same lines.
        assert_eq!(lines_through::<9, PAIR_REACH>(&full, 4, 4), 0x007C * LANES);
        assert_eq!(lines_through::<9, PAIR_REACH>(&full, 8, 0), 0x001C_0010_001C_0070);
    }

    #[test]
    fn lines_show_what_rows_show() {
        let mut rng = rng_for(&[5]);
        let mut stones: [u32; 13] = std::array::from_fn(|_| rng.random::<u32>() & ((1 << 13) - 1));
        let has_stone = |&cell: &usize| stones[cell / 13] >> (cell % 13) & 1 == 1;
        let mut lines = Lines::<13>::new((0..13 * 13).filter(has_stone));
        for _ in 0..200 {
            let (row, column) = (rng.random_range(0..13), rng.random_range(0..13));
            assert_eq!(lines.through(row, column), lines_through::<13, FIVE_REACH>(&stones, row, column));
            stones[row] ^= 1 << column;
            lines.flip(row, column);
            assert_eq!(lines.rows(), stones);
        }
    }

    #[test]
    fn a_bit_is_the_cell_that_many_steps_away() {
        for (lane, (row_step, column_step)) in DIRECTIONS.into_iter().enumerate() {
            for k in -4_isize..=4 {
                let mut stones = [0; 13];
                stones[(6 + k * row_step) as usize] = 1 << (6 + k * column_step);
                let bit = lines_through::<13, FIVE_REACH>(&stones, 6, 6) >> (LANE * lane) & 0x1FF;
                assert_eq!(bit, 1 << (4 + k), "lane {lane}, {k} steps");
            }
        }
    }
}
