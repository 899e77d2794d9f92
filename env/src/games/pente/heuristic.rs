//! Fives that are still possible, pairs captured and pairs that can be captured next.

use super::Pente;
use crate::heuristic::HEURISTIC_LIMIT;
use crate::{Game, Heuristic};

/// For a window of five cells without an opponent's stone, by own stones in it. Five have won already.
const WINDOW: [i32; 6] = [0, 1, 6, 30, 150, 0];
/// For the pairs captured so far.
const CAPTURED: [i32; 5] = [0, 60, 150, 300, 600];
/// For each pair of the opponent's that one own stone would capture.
const CAPTURABLE: i32 = 25;

impl<const N: usize> Heuristic for Pente<N> {
    /// Sum of three terms for us less the same for the opponent, cut off inside the limit:
    /// - each window of five cells in a line that only we have stones in: 1, 6, 30 or 150 for one to four stones;
    /// - one to four captured pairs: 60, 150, 300 or 600;
    /// - each pair of the opponent's between a stone of ours and an empty cell: 25.
    fn heuristic(&self) -> i32 {
        let side = self.side_to_move();
        let score = |mine: usize, theirs: usize| {
            let captured = CAPTURED[usize::from(self.pairs[mine]).min(CAPTURED.len() - 1)];
            captured + line_score(&self.stones[mine], &self.stones[theirs])
        };
        let (own, opponent) = (side.index(), side.opponent().index());
        (score(own, opponent) - score(opponent, own)).clamp(1 - HEURISTIC_LIMIT, HEURISTIC_LIMIT - 1)
    }
}

/// Windows of five and capturable pairs of one side.
fn line_score<const N: usize>(mine: &[u32; N], theirs: &[u32; N]) -> i32 {
    let mut score = 0;
    for line in Line::ALL {
        for (mine, theirs) in windows::<N, 5>(mine, line).zip(windows::<N, 5>(theirs, line)) {
            let open = !theirs.iter().fold(0, |any, cells| any | cells);
            for (stones, windows) in exactly(mine).into_iter().enumerate() {
                score += WINDOW[stones + 1] * (windows & open).count_ones() as i32;
            }
        }
        let columns = line.starts(N, 4);
        for (mine, theirs) in windows::<N, 4>(mine, line).zip(windows::<N, 4>(theirs, line)) {
            let empty = |cell: usize| columns & !(mine[cell] | theirs[cell]);
            let flanked = mine[0] & empty(3) | mine[3] & empty(0);
            score += CAPTURABLE * (flanked & theirs[1] & theirs[2]).count_ones() as i32;
        }
    }
    score
}

/// The four lines, each followed from its leftmost cell, vertical ones from the top.
#[derive(Clone, Copy)]
enum Line {
    Horizontal,
    Vertical,
    Falling,
    Rising,
}

impl Line {
    const ALL: [Line; 4] = [Line::Horizontal, Line::Vertical, Line::Falling, Line::Rising];

    /// Rows that a window of `length` cells covers.
    const fn height(self, length: usize) -> usize {
        if matches!(self, Line::Horizontal) { 1 } else { length }
    }

    /// The columns where a window of `length` cells can begin on a board `side` wide.
    const fn starts(self, side: usize, length: usize) -> u32 {
        let width = if matches!(self, Line::Vertical) { 1 } else { length };
        (1 << (side + 1 - width)) - 1
    }
}

/// All windows of `L` cells along `line`, those of one topmost row at a time: bit `c` of word `k` tells whether the
/// window that begins in column `c` has a stone in its cell `k`.
fn windows<const N: usize, const L: usize>(stones: &[u32; N], line: Line) -> impl Iterator<Item = [u32; L]> {
    let starts = line.starts(N, L);
    (0..=N - line.height(L)).map(move |top| {
        std::array::from_fn(|cell| {
            let along = match line {
                Line::Horizontal => stones[top] >> cell,
                Line::Vertical => stones[top + cell],
                Line::Falling => stones[top + cell] >> cell,
                Line::Rising => stones[top + L - 1 - cell] >> cell,
            };
            along & starts
        })
    })
}

/// The windows with exactly one, two, three and four stones: a bitwise adder, each bit position counting by itself.
fn exactly([a, b, c, d, e]: [u32; 5]) -> [u32; 4] {
    let majority = |x: u32, y: u32, z: u32| x & y | z & (x | y);
    let three = a ^ b ^ c;
    let ones = three ^ d ^ e;
    let (carry, other_carry) = (majority(a, b, c), majority(three, d, e));
    let (twos, fours) = (carry ^ other_carry, carry & other_carry);
    [ones & !twos & !fours, twos & !ones, ones & twos, fours & !ones]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_adder_counts_every_combination() {
        for bits in 0..32_u32 {
            let counted = exactly(std::array::from_fn(|cell| bits >> cell & 1));
            for (index, found) in counted.into_iter().enumerate() {
                assert_eq!(found == 1, bits.count_ones() as usize == index + 1, "{bits:05b}");
            }
        }
    }

    #[test]
    fn lines_and_captures_are_scored_as_documented() {
        // The centre of 9×9 lies in five windows of each line.
        let mut mine = [0; 9];
        let mut theirs = [0; 9];
        mine[4] = 1 << 4;
        assert_eq!(line_score::<9>(&mine, &theirs), 20 * WINDOW[1]);
        // A corner lies in one window of three lines; the centre's falling line loses the one that has both.
        theirs[0] = 1;
        assert_eq!(line_score::<9>(&theirs, &mine), 2 * WINDOW[1]);
        assert_eq!(line_score::<9>(&mine, &theirs), 19 * WINDOW[1]);
        // Two stones beside the centre, the cell behind them empty, can be captured; taken, they cannot.
        theirs = [0; 9];
        theirs[4] = 0b110_0000;
        let open = line_score::<9>(&mine, &theirs);
        theirs[4] |= 1 << 7;
        assert_eq!(open - line_score::<9>(&mine, &theirs), CAPTURABLE);
    }
}
