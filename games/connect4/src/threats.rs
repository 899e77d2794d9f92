//! Where the next disc can go, and where it completes four.

use super::{BOARD, BOTTOM_ROW, COLUMN_BITS, COLUMNS, Connect4};

/// What the side to move can do.
pub(super) enum Choice {
    /// Nothing: the board is full.
    Full,
    /// Win with the next disc.
    Win,
    /// Only lose by the opponent's next disc.
    Lost,
    /// Play one of these cells, after which the opponent does not win with the next disc.
    Cells(u64),
}

/// The windows of four along `step`, by their first cells, with two discs of `mine` and none of `theirs`, then those with three.
pub(super) fn open_windows(mine: u64, theirs: u64, step: usize) -> [u64; 2] {
    let in_window = |cells: u64| [cells, cells >> step, cells >> (2 * step), cells >> (3 * step)];
    // The starts are those whose four cells are all on the board and not theirs.
    let [a, b, c, d] = in_window(BOARD & !theirs);
    let open = a & b & c & d;
    let [a, b, c, d] = in_window(mine);
    let (odd, is_pair_full) = (a ^ b ^ c ^ d, a & b | c & d);
    // An even count is two or none in a running game.
    [!odd & (a | b | c) & open, odd & is_pair_full & open]
}

impl Connect4 {
    /// The lowest empty cell of each column that has one.
    pub(super) fn playable(&self) -> u64 {
        (self.occupied + BOTTOM_ROW) & BOARD
    }

    /// The empty cells that complete four with `discs`, one of the two sides'.
    pub(super) fn completions(&self, discs: u64) -> u64 {
        let mut cells = discs << 1 & discs << 2 & discs << 3;
        for step in [COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1] {
            // The empty cell is after three discs, or third of four, and the same seen from the other end.
            let after_two = discs << step & discs << (2 * step);
            let before_two = discs >> step & discs >> (2 * step);
            cells |= after_two & (discs << (3 * step) | discs >> step);
            cells |= before_two & (discs >> (3 * step) | discs << step);
        }
        cells & BOARD & !self.occupied
    }

    /// What one look at the position says of the next two discs.
    pub(super) fn choice(&self) -> Choice {
        let (own, opponent) = self.own_and_opponent();
        let playable = self.playable();
        if playable == 0 {
            return Choice::Full;
        }
        if self.completions(own) & playable != 0 {
            return Choice::Win;
        }
        // A cell where the opponent completes four must be filled; one below such a cell must not.
        let completions = self.completions(opponent);
        let threats = completions & playable;
        let mut cells = playable & !(completions >> 1);
        if threats != 0 {
            cells &= threats;
        }
        match cells == 0 || threats.count_ones() > 1 {
            true => Choice::Lost,
            false => Choice::Cells(cells),
        }
    }

    /// The positions after a disc on each of `cells`, those with the most threats first, then those nearest the middle. Whose
    /// turn it is is not kept.
    pub(super) fn tries(&self, mut cells: u64) -> impl Iterator<Item = Connect4> {
        let (own, opponent) = self.own_and_opponent();
        let mut tries = [(0, *self); COLUMNS];
        let mut count = 0;
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            let after = Connect4 { own: opponent, occupied: self.occupied | cell, plies: self.plies + 1, ..*self };
            let from_middle = (cell.trailing_zeros() as usize / COLUMN_BITS).abs_diff(COLUMNS / 2);
            let order = COLUMNS * after.completions(own | cell).count_ones() as usize + COLUMNS - from_middle;
            let mut place = count;
            while place > 0 && tries[place - 1].0 < order {
                tries[place] = tries[place - 1];
                place -= 1;
            }
            tries[place] = (order, after);
            count += 1;
        }
        tries.into_iter().take(count).map(|(_, after)| after)
    }
}
