//! Windows of four that are still open, counted by discs in them, and the middle column.

use super::{COLUMN, COLUMN_BITS, COLUMNS, Connect4, ROWS, bit};
use crate::Heuristic;
use crate::heuristic::open_window_worth;

/// What a window of four without an opponent's disc is worth, by the number of own discs in it. Four happen only in
/// finished games.
const WINDOW_WORTH: [i32; 5] = [0, 1, 10, 50, 50];
/// What a disc in the middle column is worth: more windows cross it than any other.
const CENTRE_WORTH: i32 = 3;
const CENTRE_COLUMN: u64 = COLUMN << (COLUMNS / 2 * COLUMN_BITS);
const WINDOW_COUNT: usize = 69;
/// The places where four can stand in a row.
static WINDOWS: [u64; WINDOW_COUNT] = windows();

const fn windows() -> [u64; WINDOW_COUNT] {
    let mut windows = [0; WINDOW_COUNT];
    let mut count = 0;
    // Steps (rows up, columns right) of the four directions.
    let steps: [(isize, isize); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];
    let mut start = 0;
    while start < ROWS * COLUMNS {
        let (row, column) = ((start / COLUMNS) as isize, (start % COLUMNS) as isize);
        let mut direction = 0;
        while direction < steps.len() {
            let (up, right) = steps[direction];
            let (last_row, last_column) = (row + 3 * up, column + 3 * right);
            if 0 <= last_row && last_row < ROWS as isize && last_column < COLUMNS as isize {
                let mut step = 0;
                while step < 4 {
                    windows[count] |= bit((row + step * up) as usize, (column + step * right) as usize);
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

impl Heuristic for Connect4 {
    /// For each window of four without an opponent's disc 1, 10 or 50 by its own discs (one, two, three), and 3 for
    /// each own disc in the middle column; the opponent's likewise against us.
    fn heuristic(&self) -> i32 {
        let (own, opponent) = self.own_and_opponent();
        let score = |mine: u64, theirs: u64| -> i32 {
            let windows = open_window_worth(mine, theirs, &WINDOWS, &WINDOW_WORTH);
            windows + CENTRE_WORTH * (mine & CENTRE_COLUMN).count_ones() as i32
        };
        score(own, opponent) - score(opponent, own)
    }
}
