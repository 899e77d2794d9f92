//! A position in the middle of a chain of threats: the stones, and where something is up, kept from action to action. Only
//! the lines through a stone that comes or goes are looked at again.

use super::around::Around;
use super::lines::{FIVE_REACH, LANES, Lines, captured_cells, captures, has_five};
use super::patterns::{LineView, Rows, cells_in, cells_of_windows, count, is_any, union};
use super::threats::capturing_cells;
use super::{PAIRS_TO_WIN, Pente};

/// Index of the side that threatens.
pub(super) const ATTACKER: usize = 0;
/// Index of the side that answers.
pub(super) const DEFENDER: usize = 1;

/// A running position of a chain of threats.
pub(super) struct Chain<const N: usize> {
    /// Stones of each side.
    stones: [Lines<N>; 2],
    /// Cells without a stone.
    free: i32,
    spots: Spots<N>,
}

/// What changes with each action and is put back as it was.
///
/// The sets of cells hold at least what they name: a cell stays where a pattern is gone, and is tried when it is asked for.
#[derive(Clone, Copy)]
struct Spots<const N: usize> {
    /// Pairs that each side has captured.
    pairs: [u8; 2],
    /// Where each side makes five.
    fives: [Rows<N>; 2],
    /// Where each side captures.
    captures: [Rows<N>; 2],
    /// Where the attacker makes a four: cells of windows with three of its stones.
    fours: Rows<N>,
}

impl<const N: usize> Chain<N> {
    /// The chain at `position`, where `attacker` (0 is the side to move) threatens.
    pub(super) fn new(position: &Pente<N>, views: &[LineView<N>; 4], attacker: usize) -> Self {
        let indices = position.own_and_opponent();
        let sides = [attacker, 1 - attacker];
        let windows = |windows: &dyn Fn(&LineView<N>) -> Rows<N>| {
            views.iter().enumerate().fold([0; N], |cells, (line, view)| {
                let windows = windows(view);
                if is_any(&windows) { union(&cells, &cells_of_windows(line, &windows)) } else { cells }
            })
        };
        Chain {
            stones: sides.map(|side| Lines::new(cells_in(position.stones[indices[side]]))),
            free: (N * N) as i32 - count(&union(&position.stones[0], &position.stones[1])),
            spots: Spots {
                pairs: sides.map(|side| position.pairs[indices[side]]),
                fives: sides.map(|side| windows(&|view| view.fours(side))),
                captures: sides.map(|side| capturing_cells(views, side)),
                fours: windows(&|view| view.threes(attacker)),
            },
        }
    }

    /// Whether a stone of `side` somewhere makes five or captures the last pair it needs.
    pub(super) fn wins_at_once(&self, side: usize) -> bool {
        self.winning(side).next().is_some()
    }

    /// The cells that can keep the other side than `side` from winning at once, if it threatens to: those where it would win,
    /// and those where its stones are captured.
    pub(super) fn answers(&self, side: usize) -> Option<Rows<N>> {
        let threats = set_of(self.winning(1 - side));
        is_any(&threats).then(|| union(&threats, &self.capturing_cells(side)))
    }

    /// The cells where the attacker threatens to win at once, or captures and has one or two pairs left then.
    pub(super) fn threats(&self) -> Rows<N> {
        let fours = cells_in(self.free(&self.spots.fours)).filter(|&cell| {
            let [threes, _] = Around::new(&self.stones, cell / N, cell % N).windows(ATTACKER);
            threes != 0
        });
        let fours = set_of(fours);
        match self.spots.pairs[ATTACKER] + 2 < PAIRS_TO_WIN {
            true => fours,
            false => union(&fours, &self.capturing_cells(ATTACKER)),
        }
    }

    /// What `look` says of the position after a stone of `side`, who cannot win at once, on the free `cell`; `None` where that
    /// fills the board. Everything is as before then.
    pub(super) fn after<T>(&mut self, side: usize, cell: usize, look: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let (row, column) = (cell / N, cell % N);
        let before = self.spots;
        self.stones[side].flip(row, column);
        let captures = self.captures(side, cell);
        let captured = || captured_cells(captures, row, column);
        self.free -= 1;
        self.look_around(row, column);
        // Nearly always nothing is captured; this check is faster than a loop over no cells.
        let captures_any = captures != [0; 2];
        if captures_any {
            for (row, column) in captured() {
                self.stones[1 - side].flip(row, column);
                self.free += 1;
            }
            for (row, column) in captured() {
                self.look_around(row, column);
            }
            self.spots.pairs[side] += count_pairs(captures) as u8;
        }
        let found = (self.free > 0).then(|| look(self));
        if captures_any {
            for (row, column) in captured() {
                self.stones[1 - side].flip(row, column);
                self.free -= 1;
            }
        }
        self.free += 1;
        self.stones[side].flip(row, column);
        self.spots = before;
        found
    }

    /// Adds the cells where something is up on the lines through a cell whose stone came or went.
    fn look_around(&mut self, row: usize, column: usize) {
        let around = Around::new(&self.stones, row, column);
        for side in [ATTACKER, DEFENDER] {
            let [threes, fours] = around.windows(side);
            around.add(around.free_cells(side, fours), &mut self.spots.fives[side]);
            if side == ATTACKER {
                around.add(around.free_cells(side, threes), &mut self.spots.fours);
            }
            around.add(around.capturing(side), &mut self.spots.captures[side]);
        }
    }

    /// The cells where a stone of `side` makes five or captures the last pair it needs.
    fn winning(&self, side: usize) -> impl Iterator<Item = usize> {
        let missing = u32::from(PAIRS_TO_WIN - self.spots.pairs[side]);
        cells_in(self.free(&union(&self.spots.fives[side], &self.spots.captures[side]))).filter(move |&cell| {
            has_five(self.through(side, cell) | LANES << FIVE_REACH)
                || count_pairs(self.captures(side, cell)) >= missing
        })
    }

    /// The cells where a stone of `side` captures.
    fn capturing_cells(&self, side: usize) -> Rows<N> {
        set_of(cells_in(self.free(&self.spots.captures[side])).filter(|&cell| self.captures(side, cell) != [0; 2]))
    }

    /// The pairs that a stone of `side` on a cell captures.
    #[inline]
    fn captures(&self, side: usize, cell: usize) -> [u64; 2] {
        captures(self.through(side, cell), self.through(1 - side, cell))
    }

    /// The stones of `side` on the lines through a cell.
    #[inline]
    fn through(&self, side: usize, cell: usize) -> u64 {
        self.stones[side].through(cell / N, cell % N)
    }

    /// Those of `cells` without a stone.
    #[inline]
    fn free(&self, cells: &Rows<N>) -> Rows<N> {
        std::array::from_fn(|row| cells[row] & !(self.stones[0].rows()[row] | self.stones[1].rows()[row]))
    }
}

/// How many pairs are captured. Nearly always none, which is a faster test than counting bits.
#[inline]
fn count_pairs(captures: [u64; 2]) -> u32 {
    if captures == [0; 2] { 0 } else { captures.map(u64::count_ones).iter().sum() }
}

fn set_of<const N: usize>(cells: impl Iterator<Item = usize>) -> Rows<N> {
    let mut set = [0; N];
    cells.for_each(|cell| set[cell / N] |= 1 << (cell % N));
    set
}
