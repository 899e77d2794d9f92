//! The evaluation of the minimax agent of the Pente course, kept up stone by stone: runs of stones, and captures.

use selfplay_env::{Action, Game, Side};
use selfplay_pente::Pente;

/// Cells of a run that wins.
const FIVE: usize = 5;
/// What five cells in a line with stones of one side only are worth, by stones in them, gaps included. Five stones end
/// the game and are worth nothing here.
const RUN_WORTH: [i32; FIVE + 1] = [0, 1, 10, 100, 1000, 0];
/// What a captured pair is worth.
const PAIR_WORTH: i32 = 150;
/// Steps along the four lines: rows down, columns right.
const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Stones in every run of five cells, and what all runs are worth together.
#[derive(Clone, Debug)]
pub(super) struct Runs<const N: usize> {
    /// `[cell]`: numbers of the runs through the cell.
    runs_through: Vec<Vec<u16>>,
    /// `[run]`: stones of each side, first player's first.
    stones: Vec<[u8; 2]>,
    /// For the first player.
    worth: i32,
}

impl<const N: usize> Runs<N> {
    /// The runs of an empty board.
    pub(super) fn new() -> Self {
        let mut runs_through = vec![Vec::new(); N * N];
        let mut count = 0;
        for start in 0..N * N {
            for step in STEPS {
                let cells: Vec<usize> = (0..FIVE as isize).filter_map(|k| cell_at::<N>(start, step, k)).collect();
                if cells.len() == FIVE {
                    cells.into_iter().for_each(|cell| runs_through[cell].push(count));
                    count += 1;
                }
            }
        }
        Runs { runs_through, stones: vec![[0; 2]; usize::from(count)], worth: 0 }
    }

    /// Starts from the stones of `position`.
    pub(super) fn set(&mut self, position: &Pente<N>) {
        self.stones.fill([0; 2]);
        self.worth = 0;
        for side in Side::BOTH {
            for_each_cell(position.rows(side), |cell| self.change(side, cell, 1));
        }
    }

    /// Follows the move that led from `before` to `after`.
    pub(super) fn play(&mut self, before: &Pente<N>, action: Action, after: &Pente<N>) {
        let mover = before.side_to_move();
        self.change(mover, action.index(), 1);
        let captured = captured_rows(before, after, mover);
        for_each_cell(&captured, |cell| self.change(mover.opponent(), cell, -1));
    }

    /// Takes back what [`play`](Self::play) did with the same arguments.
    pub(super) fn take_back(&mut self, before: &Pente<N>, action: Action, after: &Pente<N>) {
        let mover = before.side_to_move();
        let captured = captured_rows(before, after, mover);
        for_each_cell(&captured, |cell| self.change(mover.opponent(), cell, 1));
        self.change(mover, action.index(), -1);
    }

    /// The value of `position`, whose stones these are, for `side`: its runs and captured pairs less the other side's.
    pub(super) fn value(&self, position: &Pente<N>, side: Side) -> i32 {
        for_side(self.worth + captures_worth(position), side)
    }

    /// [`value`](Self::value) of `after`, which `action` led to from `before`, whose stones these are.
    pub(super) fn value_after(&mut self, before: &Pente<N>, action: Action, after: &Pente<N>, side: Side) -> i32 {
        let mover = before.side_to_move();
        if after.captured_pairs(mover) != before.captured_pairs(mover) {
            self.play(before, action, after);
            let value = self.value(after, side);
            self.take_back(before, action, after);
            return value;
        }
        let gain: i32 = self.runs_through[action.index()]
            .iter()
            .map(|&run| {
                let stones = self.stones[usize::from(run)];
                let mut added = stones;
                added[mover.index()] += 1;
                run_worth(added) - run_worth(stones)
            })
            .sum();
        for_side(self.worth + gain + captures_worth(after), side)
    }

    /// Adds (`by` 1) or removes (−1) a stone.
    fn change(&mut self, side: Side, cell: usize, by: i8) {
        for &run in &self.runs_through[cell] {
            let stones = &mut self.stones[usize::from(run)];
            let before = run_worth(*stones);
            stones[side.index()] = stones[side.index()].wrapping_add_signed(by);
            self.worth += run_worth(*stones) - before;
        }
    }
}

/// The first player's worth seen from `side`.
fn for_side(worth: i32, side: Side) -> i32 {
    if side == Side::First { worth } else { -worth }
}

/// What a run with these stones is worth to the first player.
fn run_worth(stones: [u8; 2]) -> i32 {
    match stones {
        [first, 0] => RUN_WORTH[usize::from(first)],
        [0, second] => -RUN_WORTH[usize::from(second)],
        _ => 0,
    }
}

fn captures_worth<const N: usize>(position: &Pente<N>) -> i32 {
    let pairs = |side| i32::from(position.captured_pairs(side));
    PAIR_WORTH * (pairs(Side::First) - pairs(Side::Second))
}

/// The stones that `mover` captured between the two positions.
fn captured_rows<const N: usize>(before: &Pente<N>, after: &Pente<N>, mover: Side) -> [u32; N] {
    let (had, has) = (before.rows(mover.opponent()), after.rows(mover.opponent()));
    std::array::from_fn(|row| had[row] & !has[row])
}

fn for_each_cell<const N: usize>(rows: &[u32; N], mut job: impl FnMut(usize)) {
    for (row, &columns) in rows.iter().enumerate() {
        let mut columns = columns;
        while columns != 0 {
            job(row * N + columns.trailing_zeros() as usize);
            columns &= columns - 1;
        }
    }
}

/// The cell `k` steps from `start`, if it is on the board.
fn cell_at<const N: usize>(start: usize, (down, right): (isize, isize), k: isize) -> Option<usize> {
    let row = (start / N).checked_add_signed(k * down)?;
    let column = (start % N).checked_add_signed(k * right)?;
    (row < N && column < N).then_some(row * N + column)
}

#[cfg(test)]
mod tests {
    use selfplay_env::random_play::play_random;
    use selfplay_env::rng::rng_for;

    use super::*;

    #[test]
    fn what_is_kept_up_is_what_is_counted_anew() {
        let (mut kept, mut fresh) = (Runs::<9>::new(), Runs::<9>::new());
        let mut captures = 0;
        for seed in 0..60 {
            let mut rng = rng_for(&[seed]);
            let mut position = Pente::<9>::initial();
            kept.set(&position);
            loop {
                let before = position;
                let Some(&action) = play_random(&mut position, 1, &mut rng).first() else { break };
                captures += usize::from(position.captured_pairs(before.side_to_move()) > 0);
                let at_once = kept.value_after(&before, action, &position, Side::Second);
                kept.play(&before, action, &position);
                fresh.set(&position);
                assert_eq!((kept.worth, &kept.stones), (fresh.worth, &fresh.stones));
                assert_eq!(at_once, kept.value(&position, Side::Second));
                assert_eq!(at_once, -kept.value(&position, Side::First));
                kept.take_back(&before, action, &position);
                fresh.set(&before);
                assert_eq!((kept.worth, &kept.stones), (fresh.worth, &fresh.stones));
                kept.play(&before, action, &position);
            }
        }
        assert!(captures > 20, "{captures}");
    }

    #[test]
    fn a_stone_in_the_centre_is_in_twenty_runs() {
        let runs = Runs::<19>::new();
        assert_eq!((runs.runs_through[180].len(), runs.runs_through[0].len()), (20, 3));
        // 15 · 19 horizontal and as many vertical ones, 15 · 15 on each diagonal.
        assert_eq!(runs.stones.len(), 2 * 15 * 19 + 2 * 15 * 15);
    }
}
