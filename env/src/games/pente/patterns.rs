//! Windows of five and flanked pairs, for all cells of the board at once: a word a row, and the same few operations on
//! every row, which compilers turn into vectors.

use super::lines::DIRECTIONS;

/// A set of cells, or of windows by their first cell along a line: bit = column, a word a row.
pub(super) type Rows<const N: usize> = [u32; N];

/// What one line direction shows of two sides, ours first.
pub(super) struct LinePatterns<const N: usize> {
    /// `[side][stones]`: the windows of five with exactly two, three or four stones of the side and no other.
    pub(super) windows: [[Rows<N>; 3]; 2],
    /// `[side]`: the first cells of four in a row that are empty, two of the other side's stones and one of the side's,
    /// in this order.
    pub(super) captures_at_first: [Rows<N>; 2],
    /// `[side]`: the same with the side's stone first and the empty cell last.
    pub(super) captures_at_last: [Rows<N>; 2],
}

/// The patterns of all four directions, in the order of [`DIRECTIONS`].
#[inline]
pub(super) fn patterns<const N: usize>(stones: [&Rows<N>; 2]) -> [LinePatterns<N>; 4] {
    const { assert!(matches!(DIRECTIONS, [(0, 1), (1, 0), (1, 1), (1, -1)])) };
    [
        along_line::<N, 0, 1>(stones),
        along_line::<N, 1, 0>(stones),
        along_line::<N, 1, 1>(stones),
        along_line::<N, 1, -1>(stones),
    ]
}

/// For each direction the cells of the windows that begin at these.
#[inline]
pub(super) fn cells_of_windows<const N: usize>(line: usize, windows: &Rows<N>) -> Rows<N> {
    let mut cells = *windows;
    for steps in 1..5 {
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
    for steps in 0..5 {
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

/// The cells of both sets.
#[inline]
pub(super) fn common<const N: usize>(a: &Rows<N>, b: &Rows<N>) -> Rows<N> {
    std::array::from_fn(|row| a[row] & b[row])
}

/// How many cells there are in a set.
#[inline]
pub(super) fn count<const N: usize>(cells: &Rows<N>) -> i32 {
    cells.iter().map(|row| row.count_ones() as i32).sum()
}

fn along_line<const N: usize, const DOWN: usize, const RIGHT: isize>(stones: [&Rows<N>; 2]) -> LinePatterns<N> {
    // `[steps]`: bit = the cell that many steps ahead is in the set; cells off the board are in none.
    let ahead = |cells: &Rows<N>| -> [Rows<N>; 5] {
        std::array::from_fn(|steps| {
            let mut seen = [0; N];
            for (seen, row) in seen.iter_mut().zip(&cells[DOWN * steps..]) {
                *seen = if RIGHT < 0 { row << steps } else { row >> (RIGHT as usize * steps) };
            }
            seen
        })
    };
    let board = ahead(&[(1 << N) - 1; N]);
    let sides = stones.map(ahead);
    // Windows that fit on the board begin on it, so bits beyond the last column are cleared by the first cell.
    let open = [1, 0].map(|other: usize| -> Rows<N> {
        std::array::from_fn(|row| (0..5).fold(u32::MAX, |open, k| open & board[k][row] & !sides[other][k][row]))
    });
    let windows = [0, 1].map(|side: usize| {
        let mut windows = [[0; N]; 3];
        for row in 0..N {
            let [a, b, c, d, e] = std::array::from_fn(|k| sides[side][k][row]);
            // A bitwise adder, each bit position counting by itself.
            let majority = |x: u32, y: u32, z: u32| x & y | z & (x | y);
            let three = a ^ b ^ c;
            let ones = three ^ d ^ e;
            let (carry, other_carry) = (majority(a, b, c), majority(three, d, e));
            let (twos, fours) = (carry ^ other_carry, carry & other_carry);
            let open = open[side][row];
            windows[0][row] = twos & !ones & open;
            windows[1][row] = twos & ones & open;
            windows[2][row] = fours & !ones & open;
        }
        windows
    });
    let empty = |k: usize, row: usize| board[k][row] & !(sides[0][k][row] | sides[1][k][row]);
    let flanked = |first: &dyn Fn(usize) -> u32, pair: usize, last: &dyn Fn(usize) -> u32| -> Rows<N> {
        std::array::from_fn(|row| board[0][row] & first(row) & sides[pair][1][row] & sides[pair][2][row] & last(row))
    };
    LinePatterns {
        windows,
        captures_at_first: [0, 1].map(|s| flanked(&|row| empty(0, row), 1 - s, &|row| sides[s][3][row])),
        captures_at_last: [0, 1].map(|s| flanked(&|row| sides[s][0][row], 1 - s, &|row| empty(3, row))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{RngExt, rng_for};

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
            for (line, found) in patterns::<N>(stones).iter().enumerate() {
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
                            assert_eq!(has(&found.windows[side][own - 2]), expected);
                        }
                        let other = 1 - side;
                        let is_four = |cells: [usize; 4]| four.as_ref().is_some_and(|four| **four == cells);
                        assert_eq!(has(&found.captures_at_first[side]), is_four([2, other, other, side]));
                        assert_eq!(has(&found.captures_at_last[side]), is_four([side, other, other, 2]));
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
