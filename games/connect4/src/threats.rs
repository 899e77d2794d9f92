//! Where the next disc can go, and where it completes four.

use super::{BOARD, BOTTOM_ROW, COLUMN_BITS, COLUMNS, Connect4, EVEN_ROWS, ODD_ROWS, key, mirrored};

/// A running game inside a search, where the side to move does not win with its next disc.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Discs of the side to move.
    pub own: u64,
    /// Discs of both sides.
    pub occupied: u64,
    /// Empty cells where the opponent completes four.
    pub awaited: u64,
    /// Number of discs.
    pub discs: u8,
}

/// What the side to move of a [`Node`] can do.
pub(super) enum SafeMoves {
    /// Nothing: the board is full.
    Full,
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
        playable(self.occupied)
    }

    /// The empty cells that complete four with `discs`, one of the two sides'.
    pub(super) fn completions(&self, discs: u64) -> u64 {
        completions(discs, self.occupied)
    }

    /// The cells of the rows that suit threats of the side to move, and of its opponent's.
    pub(super) fn suitable_rows(&self) -> [u64; 2] {
        if self.plies.is_multiple_of(2) { [ODD_ROWS, EVEN_ROWS] } else { [EVEN_ROWS, ODD_ROWS] }
    }

    /// Where a search begins; `None` where the side to move wins with its next disc.
    pub(super) fn node(&self) -> Option<Node> {
        let (own, opponent) = self.own_and_opponent();
        let awaited = self.completions(opponent);
        (self.completions(own) & self.playable() == 0).then_some(Node {
            own,
            occupied: self.occupied,
            awaited,
            discs: self.plies,
        })
    }
}

impl Node {
    /// A number that no other position has (John Tromp's).
    pub fn key(&self) -> u64 {
        key(self.own, self.occupied)
    }

    /// The key of the mirror image.
    pub fn mirrored_key(&self) -> u64 {
        key(mirrored(self.own), mirrored(self.occupied))
    }

    /// What one look at the position says of the next two discs.
    pub fn choice(&self) -> SafeMoves {
        let playable = playable(self.occupied);
        if playable == 0 {
            return SafeMoves::Full;
        }
        // A cell where the opponent completes four must be filled; one below such a cell must not.
        let threats = self.awaited & playable;
        let mut cells = playable & !(self.awaited >> 1);
        if threats != 0 {
            cells &= threats;
        }
        match cells == 0 || threats.count_ones() > 1 {
            true => SafeMoves::Lost,
            false => SafeMoves::Cells(cells),
        }
    }

    /// The positions after a disc on each of `cells`, a choice's, those with the most threats first, then those nearest the
    /// middle.
    pub fn tries(&self, mut cells: u64) -> impl Iterator<Item = Node> + Clone {
        let mut tries = [(0, 0, 0); COLUMNS];
        let mut count = 0;
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            let threats = completions(self.own | cell, self.occupied | cell);
            let from_middle = (cell.trailing_zeros() as usize / COLUMN_BITS).abs_diff(COLUMNS / 2);
            let order = COLUMNS * threats.count_ones() as usize + COLUMNS - from_middle;
            let mut place = count;
            while place > 0 && tries[place - 1].0 < order {
                tries[place] = tries[place - 1];
                place -= 1;
            }
            tries[place] = (order, cell, threats);
            count += 1;
        }
        let Node { own, occupied, discs, .. } = *self;
        tries.into_iter().take(count).map(move |(_, cell, awaited)| Node {
            own: own ^ occupied,
            occupied: occupied | cell,
            awaited,
            discs: discs + 1,
        })
    }
}

/// The lowest empty cell of each column that has one.
pub(super) fn playable(occupied: u64) -> u64 {
    (occupied + BOTTOM_ROW) & BOARD
}

/// The empty cells that complete four with `discs`.
fn completions(discs: u64, occupied: u64) -> u64 {
    let mut cells = discs << 1 & discs << 2 & discs << 3;
    for step in [COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1] {
        // The empty cell is after three discs, or third of four, and the same seen from the other end.
        let after_two = discs << step & discs << (2 * step);
        let before_two = discs >> step & discs >> (2 * step);
        cells |= after_two & (discs << (3 * step) | discs >> step);
        cells |= before_two & (discs >> (3 * step) | discs << step);
    }
    cells & BOARD & !occupied
}
