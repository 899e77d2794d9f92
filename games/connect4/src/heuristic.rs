//! Windows of four that are still open, threats on rows that suit their side, and wins at once; all by shifts of masks.

use super::solver::Connect4Solver;
use super::threats::open_windows;
use super::{BOARD, COLUMN, COLUMN_BITS, COLUMNS, Connect4, DIRECTIONS};
use selfplay_registry::tactics::{ANSWERING_HINT, LOSING_HINT, WINNING_HINT};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, OwnSolver, Tactics};

/// A window of four with two own discs and no opponent's.
const TWO: i32 = 20;
/// A window of four with three own discs and an empty cell.
const THREE: i32 = 50;
/// A cell that completes four, on a row that suits its side: when all other cells are filled, it is this side that
/// comes to play there. Who began gets the odd rows counted from 1 at the bottom, the other the even ones (Allis, "A
/// knowledge-based approach of Connect-Four", 1988, section 3).
const SUITABLE_THREAT: i32 = 60;
/// A disc in the middle column: more windows cross it than any other.
const CENTRE: i32 = 3;
/// A hint's part for each cell that completes four after the disc.
const THREAT_HINT: i32 = 20;

const CENTRE_COLUMN: u64 = COLUMN << (COLUMNS / 2 * COLUMN_BITS);

impl Tactics for Connect4 {
    /// Own terms minus the opponent's: 20 for each window of four with two own discs and no opponent's, 50 with three.
    /// Also 60 for each empty cell that completes four on a row that suits the side; 3 for each disc in the middle column.
    fn heuristic(&self) -> i32 {
        let (own, opponent) = self.own_and_opponent();
        let [suits_own, suits_opponent] = self.suitable_rows();
        self.worth(own, opponent, suits_own) - self.worth(opponent, own, suits_opponent)
    }

    fn immediate_win(&self) -> ImmediateWin {
        match self.completions(self.own) & self.playable() {
            0 => ImmediateWin::None,
            cells => ImmediateWin::By(Action((cells.trailing_zeros() as usize / COLUMN_BITS) as u16)),
        }
    }

    fn is_threatened(&self) -> bool {
        self.completions(self.own_and_opponent().1) & self.playable() != 0
    }

    /// Wins, then answers, then by the cells that complete four afterwards; discs under a cell where the opponent
    /// completes four come last.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let (own, opponent) = self.own_and_opponent();
        let (wins, answers) = (self.completions(own), self.completions(opponent));
        let playable = self.playable();
        hints.clear();
        hints.extend(actions.iter().map(|action| {
            let disc = playable & COLUMN << (action.index() % COLUMNS * COLUMN_BITS);
            let after = Connect4 { occupied: self.occupied | disc, ..*self };
            let threats = after.completions(own | disc).count_ones() as i32;
            let is_in = |cells: u64| i32::from(cells & disc != 0);
            let centre = (COLUMNS / 2) as i32 - (action.index() as i32 - (COLUMNS / 2) as i32).abs();
            WINNING_HINT * is_in(wins)
                + ANSWERING_HINT * is_in(answers)
                + LOSING_HINT * is_in(answers >> 1)
                + THREAT_HINT * threats
                + centre
        }));
    }

    fn threat_outcome(&self) -> Option<Outcome> {
        self.settled_outcome().or_else(|| self.searched_winner())
    }

    fn solver(memory_mib: u32) -> Option<Box<dyn OwnSolver<Self>>> {
        Some(Box::new(Connect4Solver::new(memory_mib)?))
    }

    /// A draw as soon as neither side could make four with all the empty cells.
    fn settled_outcome(&self) -> Option<Outcome> {
        let (own, opponent) = self.own_and_opponent();
        let is_dead = |discs: u64| !Self::has_four(BOARD & !self.occupied | discs);
        self.outcome().or_else(|| (is_dead(own) && is_dead(opponent)).then_some(Outcome::Draw))
    }
}

impl Connect4 {
    fn worth(&self, mine: u64, theirs: u64, suitable_rows: u64) -> i32 {
        let (mut twos, mut threes) = (0, 0);
        for step in DIRECTIONS {
            let [with_two, with_three] = open_windows(mine, theirs, step);
            twos += with_two.count_ones();
            threes += with_three.count_ones();
        }
        let suitable = self.completions(mine) & suitable_rows;
        TWO * twos as i32
            + THREE * threes as i32
            + SUITABLE_THREAT * suitable.count_ones() as i32
            + CENTRE * (mine & CENTRE_COLUMN).count_ones() as i32
    }
}
