//! Windows of five and flanked pairs, for all cells of the board at once: a word a row, and the same few operations on
//! every row, which compilers turn into vectors.

use super::lines::DIRECTIONS;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Cells of a window: five in a row win.
const WINDOW: usize = 5;
/// Stones that are captured together.
const PAIR: usize = 2;

/// A set of cells, or of windows by their first cell along a line: bit = column, a word a row.
pub(super) type Rows<const N: usize> = [u32; N];

/// What the cells along one line direction hold, as seen from each first cell. A side is the index in the pair of sets of
/// stones that the view was made from.
pub(super) struct LineView<const N: usize> {
    /// `[side][steps]`: bit = the cell that many steps ahead has a stone of the side.
    stones: [[Rows<N>; WINDOW]; 2],
    /// Where four and where five cells in a row fit on the board.
    starts: [Rows<N>; 2],
}

impl<const N: usize> LineView<N> {
    /// The views along all four directions, in the order of [`DIRECTIONS`].
    #[inline]
    pub(super) fn all(stones: [&Rows<N>; 2]) -> [LineView<N>; 4] {
        const { assert!(matches!(DIRECTIONS, [(0, 1), (1, 0), (1, 1), (1, -1)])) };
        [
            Self::along::<0, 1>(stones),
            Self::along::<1, 0>(stones),
            Self::along::<1, 1>(stones),
            Self::along::<1, -1>(stones),
        ]
    }

    fn along<const DOWN: usize, const RIGHT: isize>(stones: [&Rows<N>; 2]) -> LineView<N> {
        let ahead = |cells: &Rows<N>| -> [Rows<N>; WINDOW] {
            std::array::from_fn(|steps| {
                let mut seen = [0; N];
                for (seen, row) in seen.iter_mut().zip(&cells[DOWN * steps..]) {
                    *seen = if RIGHT < 0 { row << steps } else { row >> (RIGHT as usize * steps) };
                }
                seen
            })
        };
        let starts = [PAIR + 2, WINDOW].map(|length| {
            let board = (1_u32 << N) - 1;
            let columns = match RIGHT {
                0 => board,
                1 => board >> (length - 1),
                _ => board & board << (length - 1),
            };
            std::array::from_fn(|row| if row + DOWN * (length - 1) < N { columns } else { 0 })
        });
        LineView { stones: stones.map(ahead), starts }
    }

    /// The windows of five with exactly two, three and four stones of `side` and none of the other.
    #[inline]
    pub(super) fn windows(&self, side: usize) -> [Rows<N>; 3] {
        let by_row: [[u32; 3]; N] = std::array::from_fn(|row| {
            let [a, b, c, d, e] = self.cells(side, row);
            // A bitwise adder, each bit position counting by itself.
            let majority = |x: u32, y: u32, z: u32| x & y | z & (x | y);
            let three = a ^ b ^ c;
            let ones = three ^ d ^ e;
            let (carry, other_carry) = (majority(a, b, c), majority(three, d, e));
            let (twos, fours) = (carry ^ other_carry, carry & other_carry);
            [twos & !ones, twos & ones, fours & !ones].map(|windows| windows & self.open(side, row))
        });
        std::array::from_fn(|stones| by_row.map(|windows| windows[stones]))
    }

    /// The windows of five with exactly four stones of `side` and none of the other.
    #[inline]
    pub(super) fn fours(&self, side: usize) -> Rows<N> {
        std::array::from_fn(|row| exactly_four(self.cells(side, row)) & self.open(side, row))
    }

    /// The windows of five with exactly three stones of `side` and none of the other.
    #[inline]
    pub(super) fn threes(&self, side: usize) -> Rows<N> {
        std::array::from_fn(|row| exactly_three(self.cells(side, row)) & self.open(side, row))
    }

    /// Runs of four cells by their first one, in which `side` captures: an empty cell, the other side's pair and a stone
    /// of `side` in this order; and the same from the other end.
    #[inline]
    pub(super) fn captures(&self, side: usize) -> [Rows<N>; 2] {
        let (mine, theirs) = (&self.stones[side], &self.stones[1 - side]);
        let mut captures = [[0; N]; 2];
        for row in 0..N {
            let pair = theirs[1][row] & theirs[2][row] & self.starts[0][row];
            captures[0][row] = pair & mine[3][row] & !(mine[0][row] | theirs[0][row]);
            captures[1][row] = pair & mine[0][row] & !(mine[3][row] | theirs[3][row]);
        }
        captures
    }

    #[inline]
    fn cells(&self, side: usize, row: usize) -> [u32; WINDOW] {
        std::array::from_fn(|steps| self.stones[side][steps][row])
    }

    #[inline]
    fn open(&self, side: usize, row: usize) -> u32 {
        self.stones[1 - side].iter().fold(self.starts[1][row], |open, theirs| open & !theirs[row])
    }
}

/// A machine word, each of whose bits counts by itself.
pub(super) trait Word:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl Word for u32 {}
impl Word for u64 {}

/// The bits that are set in exactly three of the words.
#[inline]
pub(super) fn exactly_three<W: Word>([a, b, c, d, e]: [W; WINDOW]) -> W {
    // One of the first two with two of the last three, or both and one, or neither and three.
    let (one, both, neither) = (a ^ b, a & b, !(a | b));
    let odd = c ^ d ^ e;
    let two = (c & d | e & (c | d)) & !odd;
    one & two | both & odd & !(c & d & e) | neither & c & d & e
}

/// The bits that are set in exactly four of the words.
#[inline]
pub(super) fn exactly_four<W: Word>([a, b, c, d, e]: [W; WINDOW]) -> W {
    // Three of the last three with one of the first two, or two of them with both.
    let (both, one) = (a & b, a ^ b);
    c & d & e & one | both & ((c & d) ^ (c & e) ^ (d & e)) & !(c & d & e)
}

/// For each direction the cells of the windows that begin at these.
#[inline]
pub(super) fn cells_of_windows<const N: usize>(line: usize, windows: &Rows<N>) -> Rows<N> {
    let mut cells = *windows;
    for steps in 1..WINDOW {
        cells = union(&cells, &moved(line, windows, steps));
    }
    cells
}

/// The cells that lie `steps` further along the direction `line`.
#[inline]
pub(super) fn moved<const N: usize>(line: usize, cells: &Rows<N>, steps: usize) -> Rows<N> {
    let (down, right) = DIRECTIONS[line];
    let mut moved = [0; N];
    let rows_down = down as usize * steps;
    for (to, from) in moved[rows_down..].iter_mut().zip(cells) {
        *to = match right {
            0 => *from,
            1 => from << steps,
            _ => from >> steps,
        };
    }
    moved
}

/// The windows along the direction `line`, by their first cell, that contain one of `cells`.
#[inline]
pub(super) fn windows_with<const N: usize>(line: usize, cells: &Rows<N>) -> Rows<N> {
    let (down, right) = DIRECTIONS[line];
    let mut windows = [0; N];
    for steps in 0..WINDOW {
        for (window, row) in windows.iter_mut().zip(&cells[down as usize * steps..]) {
            *window |= match right {
                0 => *row,
                1 => row >> steps,
                _ => row << steps,
            };
        }
    }
    windows
}

/// The cells of either set.
#[inline]
pub(super) fn union<const N: usize>(a: &Rows<N>, b: &Rows<N>) -> Rows<N> {
    std::array::from_fn(|row| a[row] | b[row])
}

/// Whether there is a cell in the set.
#[inline]
pub(super) fn is_any<const N: usize>(cells: &Rows<N>) -> bool {
    cells.iter().fold(0, |all, row| all | row) != 0
}

/// The cells of both sets.
#[inline]
pub(super) fn common<const N: usize>(a: &Rows<N>, b: &Rows<N>) -> Rows<N> {
    std::array::from_fn(|row| a[row] & b[row])
}

/// The cells of a set, as row · `N` + column.
pub(super) fn cells_in<const N: usize>(cells: Rows<N>) -> impl Iterator<Item = usize> {
    cells.into_iter().enumerate().flat_map(|(row, cells)| columns(cells).map(move |column| row * N + column))
}

/// The columns whose bits are set, from the left.
fn columns(mut row: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (row != 0).then(|| {
            let column = row.trailing_zeros() as usize;
            row &= row - 1;
            column
        })
    })
}

/// How many cells of the board there are in a set.
#[inline]
pub(super) fn count<const N: usize>(cells: &Rows<N>) -> i32 {
    // As many rows as fit in one word: bits are counted a word at a time.
    let words = cells.chunks(u64::BITS as usize / N);
    words.map(|rows| rows.iter().fold(0, |word, &row| word << N | u64::from(row)).count_ones() as i32).sum()
}

/// A number from 0 to [`Counts::MOST`] for each cell.
#[derive(Clone, Copy)]
pub(super) struct Counts<const N: usize> {
    /// The cells whose number has the binary digit 1, 2 or 4 set.
    digits: [Rows<N>; 3],
}

impl<const N: usize> Counts<N> {
    /// What is counted stops here.
    pub(super) const MOST: u8 = 4;

    /// 0 for every cell.
    pub(super) fn new() -> Self {
        Counts { digits: [[0; N]; 3] }
    }

    /// Counts the windows along the direction `line`, by their first cells, at each cell that they contain.
    pub(super) fn add_windows(&mut self, line: usize, windows: &Rows<N>) {
        for steps in 0..WINDOW {
            self.add(&moved(line, windows, steps));
        }
    }

    /// One more at `cells`.
    fn add(&mut self, cells: &Rows<N>) {
        let [ones, twos, fours] = &mut self.digits;
        for row in 0..N {
            let one = cells[row] & !fours[row];
            let two = ones[row] & one;
            fours[row] |= twos[row] & two;
            twos[row] ^= two;
            ones[row] ^= one;
        }
    }

    /// The cells of `row` whose number has the binary digit 1, 2 or 4 set.
    #[inline]
    pub(super) fn digits(&self, row: usize) -> [u32; 3] {
        self.digits.map(|digit| digit[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::rng::{RngExt, rng_for};

    /// The contents of `length` cells from a first one on: 0 and 1 for the sides, 2 for empty; `None` if they do not
    /// fit on the board.
    fn cells<const N: usize>(
        stones: [&Rows<N>; 2],
        line: usize,
        start: (usize, usize),
        length: usize,
    ) -> Option<Vec<usize>> {
        let (down, right) = DIRECTIONS[line];
        (0..length as isize)
            .map(|k| {
                let (row, column) = (start.0 as isize + k * down, start.1 as isize + k * right);
                let is_inside = (0..N as isize).contains(&row) && (0..N as isize).contains(&column);
                let has = |side: usize| stones[side][row as usize] >> column & 1 == 1;
                is_inside.then(|| (0..2).find(|&side| has(side)).unwrap_or(2))
            })
            .collect()
    }

    fn agrees_with_a_look_at_each_cell<const N: usize>(seed: u64) {
        let mut rng = rng_for(&[seed]);
        for _ in 0..100 {
            let a: Rows<N> = std::array::from_fn(|_| rng.random::<u32>() & rng.random::<u32>() & ((1 << N) - 1));
            let b: Rows<N> =
                std::array::from_fn(|row| rng.random::<u32>() & rng.random::<u32>() & !a[row] & ((1 << N) - 1));
            let stones = [&a, &b];
            for (line, view) in LineView::<N>::all(stones).iter().enumerate() {
                let windows = [view.windows(0), view.windows(1)];
                let captures = [view.captures(0), view.captures(1)];
                assert_eq!([view.fours(0), view.fours(1)], [windows[0][2], windows[1][2]]);
                assert_eq!([view.threes(0), view.threes(1)], [windows[0][1], windows[1][1]]);
                for start in (0..N * N).map(|cell| (cell / N, cell % N)) {
                    let has = |rows: &Rows<N>| rows[start.0] >> start.1 & 1 == 1;
                    let five = cells(stones, line, start, 5);
                    let four = cells(stones, line, start, 4);
                    for side in 0..2 {
                        for own in 2..5 {
                            let expected = five.as_ref().is_some_and(|five| {
                                let count = |content: usize| five.iter().filter(|&&found| found == content).count();
                                count(side) == own && count(1 - side) == 0
                            });
                            assert_eq!(has(&windows[side][own - 2]), expected);
                        }
                        let other = 1 - side;
                        let is_four = |cells: [usize; 4]| four.as_ref().is_some_and(|four| **four == cells);
                        assert_eq!(has(&captures[side][0]), is_four([2, other, other, side]));
                        assert_eq!(has(&captures[side][1]), is_four([side, other, other, 2]));
                    }
                }
            }
        }
    }

    #[test]
    fn patterns_agree_with_a_look_at_each_cell() {
        agrees_with_a_look_at_each_cell::<9>(1);
        agrees_with_a_look_at_each_cell::<19>(2);
    }

    #[test]
    fn windows_are_found_by_their_cells() {
        let mut cell = [0; 13];
        cell[6] = 1 << 6;
        for (line, (down, right)) in DIRECTIONS.into_iter().enumerate() {
            let mut expected = [0; 13];
            for k in 0..5 {
                expected[(6 - k * down) as usize] |= 1 << (6 - k * right);
            }
            assert_eq!(windows_with(line, &cell), expected, "line {line}");
        }
    }

    #[test]
    fn the_cells_of_a_window_lie_along_its_line() {
        let mut start = [0; 13];
        start[4] = 1 << 6;
        for (line, (down, right)) in DIRECTIONS.into_iter().enumerate() {
            let mut expected = [0; 13];
            for k in 0..5 {
                expected[(4 + k * down) as usize] |= 1 << (6 + k * right);
            }
            assert_eq!(cells_of_windows(line, &start), expected, "line {line}");
        }
    }
}
