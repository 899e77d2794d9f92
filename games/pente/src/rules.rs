//! The rules: where a stone may go, what it captures, when it wins.

use super::lines::{FIVE_REACH, PAIR_REACH, captured_cells, captures, has_five, lines_through};
use super::patterns::cells_in;
use super::{PAIRS_TO_WIN, Pente, SECOND_STONE_DISTANCE, notation};
use selfplay_registry::zobrist;
use selfplay_registry::{Action, Game, GameSpec, NotationError, Outcome, Side};

/// Cells of the largest board.
const MAX_CELLS: usize = 19 * 19;
/// Four pairs and then eight at once: no side ever has more.
const MAX_PAIRS: usize = PAIRS_TO_WIN as usize - 1 + 8;
/// A key for each side and cell, then for each side and number of captured pairs; the sizes share one table.
static KEYS: [u64; 2 * MAX_CELLS + 2 * (MAX_PAIRS + 1)] = zobrist::keys(0x70_656e_7465);

pub(super) fn stone_key(side: Side, cell: usize) -> u64 {
    KEYS[side.index() * MAX_CELLS + cell]
}

fn pairs_key(side: Side, pairs: u8) -> u64 {
    KEYS[2 * MAX_CELLS + side.index() * (MAX_PAIRS + 1) + usize::from(pairs)]
}

/// The rules depend on who began; nothing is added for the first player.
fn starter_key(starter: Side) -> u64 {
    const SECOND_STARTED: [u64; 1] = zobrist::keys(0x73_7461_7274);
    match starter {
        Side::First => 0,
        Side::Second => SECOND_STARTED[0],
    }
}

impl<const N: usize> Pente<N> {
    /// Every column of a row.
    const ROW: u32 = (1 << N) - 1;
    /// Row and column of the centre.
    const CENTRE: usize = N / 2;

    /// A running position with these stones and captured pairs in a game that `starter` began.
    pub(super) fn from_parts(stones: [[u32; N]; 2], pairs: [u8; 2], starter: Side) -> Self {
        let (ply, hash) = (2 * u16::from(pairs[0] + pairs[1]), starter_key(starter));
        let mut position = Pente { stones, pairs, ply, starter, outcome: None, hash };
        for side in Side::BOTH {
            position.hash ^= pairs_key(side, pairs[side.index()]);
            for cell in position.cells_of(side) {
                position.hash ^= stone_key(side, cell);
                position.ply += 1;
            }
        }
        position
    }

    /// The stones of `side`: a word a row, row 0 at the top; bit 0 is the leftmost column.
    pub fn rows(&self, side: Side) -> &[u32; N] {
        &self.stones[side.index()]
    }

    /// Pairs that `side` has captured, 0 to 12.
    pub fn captured_pairs(&self, side: Side) -> u8 {
        self.pairs[side.index()]
    }

    /// The cells, as row · `N` + column, where `side` has stones.
    pub(super) fn cells_of(&self, side: Side) -> impl Iterator<Item = usize> + use<N> {
        cells_in(self.stones[side.index()])
    }

    /// The columns of `row` that the opening rule forbids for this action.
    pub(super) fn forbidden(&self, row: usize) -> u32 {
        match self.ply {
            0 if row == Self::CENTRE => Self::ROW & !(1 << Self::CENTRE),
            0 => Self::ROW,
            2 if row.abs_diff(Self::CENTRE) < SECOND_STONE_DISTANCE => {
                let width = 2 * SECOND_STONE_DISTANCE - 1;
                ((1 << width) - 1) << (Self::CENTRE + 1 - SECOND_STONE_DISTANCE)
            }
            _ => 0,
        }
    }

    /// The columns of `row` where a stone may go while the game runs, bit 0 leftmost.
    pub fn playable(&self, row: usize) -> u32 {
        Self::ROW & !(self.stones[0][row] | self.stones[1][row] | self.forbidden(row))
    }
}

impl<const N: usize> Game for Pente<N> {
    /// Actions = stones on the board + 2 · captured pairs. Before the last action a cell is empty and neither side
    /// has five pairs: at most N² − 1 + 2 · (4 + 4) actions, and the last makes N² + 16.
    fn spec() -> GameSpec {
        GameSpec::new(
            match N {
                19 => "pente",
                13 => "pente-13",
                9 => "pente-9",
                _ => panic!("Pente boards are 9, 13 or 19 wide"),
            },
            match N {
                19 => "Pente, 19×19",
                13 => "Pente, 13×13",
                _ => "Pente, 9×9",
            },
            N * N,
        )
        .side_names(["White", "Black"])
        .max_plies(N * N + 4 * (PAIRS_TO_WIN as usize - 1))
        .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        Self::from_parts([[0; N]; 2], [0; 2], Side::First)
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.starter.after(usize::from(self.ply))
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_none() {
            let playable = std::array::from_fn(|row| self.playable(row));
            actions.extend(cells_in::<N>(playable).map(Action::from_index));
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        let (row, column) = (action.index() / N, action.index() % N);
        row < N && self.playable(row) >> column & 1 == 1 && self.outcome.is_none()
    }

    fn illegal_reason(&self, action: Action) -> String {
        let (row, column) = (action.index() / N, action.index() % N);
        if row >= N {
            return "the board has no such intersection".into();
        }
        if self.forbidden(row) >> column & 1 == 0 {
            return "the intersection is taken".into();
        }
        let centre = Self::action_name(Action::from_index(Self::CENTRE * N + Self::CENTRE));
        let starter = Self::spec().side_names[self.starter.index()];
        if self.ply == 0 {
            return format!("{starter}'s first stone must be on the centre, {centre}");
        }
        format!(
            "{starter}'s second stone must be {SECOND_STONE_DISTANCE} or more rows or columns away from the centre, \
             {centre}"
        )
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (row, column) = (action.index() / N, action.index() % N);
        let side = self.side_to_move();
        let (mover, opponent) = (side.index(), side.opponent().index());
        self.stones[mover][row] |= 1 << column;
        self.hash ^= stone_key(side, action.index());
        self.ply += 1;

        let own_lines = lines_through::<N, FIVE_REACH>(&self.stones[mover], row, column);
        let captured = captures(own_lines, lines_through::<N, PAIR_REACH>(&self.stones[opponent], row, column));
        if captured != [0; 2] {
            for (row, column) in captured_cells(captured, row, column) {
                self.stones[opponent][row] &= !(1 << column);
                self.hash ^= stone_key(side.opponent(), row * N + column);
            }
            self.hash ^= pairs_key(side, self.pairs[mover]);
            self.pairs[mover] += captured.map(u64::count_ones).iter().sum::<u32>() as u8;
            self.hash ^= pairs_key(side, self.pairs[mover]);
        }

        let stones_on_board = usize::from(self.ply) - 2 * usize::from(self.pairs[0] + self.pairs[1]);
        if has_five(own_lines) || self.pairs[mover] >= PAIRS_TO_WIN {
            self.outcome = Some(Outcome::Win(side));
        } else if stones_on_board == N * N {
            self.outcome = Some(Outcome::Draw);
        }
    }

    fn position_hash(&self) -> u64 {
        self.hash
    }

    fn action_name(action: Action) -> String {
        notation::action_name::<N>(action)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        notation::parse_action::<N>(text)
    }

    fn board(&self) -> String {
        notation::board(self)
    }
}
