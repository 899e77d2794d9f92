//! Lines that are still open, counted by marks in them; wins and threats line by line.

use super::{CELLS, FULL, LINES, TicTacToe};
use selfplay_registry::tactics::{ANSWERING_HINT, WINNING_HINT};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Tactics};

/// What a line without an opponent's mark is worth, by the number of own marks in it. Three happen only in finished
/// games.
const LINE_WORTH: [i32; 4] = [0, 1, 10, 10];

impl TicTacToe {
    /// Marks of the side to move and of the opponent.
    fn own_and_opponent(&self) -> (u16, u16) {
        let side = self.side_to_move();
        (self.marks[side.index()], self.marks[side.opponent().index()])
    }

    /// The empty cells that complete a line of `marks`, one of the two sides'.
    fn completions(&self, marks: u16) -> u16 {
        let missing = LINES.iter().map(|&line| line & !marks).filter(|missing| missing.is_power_of_two());
        missing.fold(0, |cells, missing| cells | missing) & FULL & !self.occupied()
    }
}

impl Tactics for TicTacToe {
    /// 1 for each own mark in a line without an opponent's mark, 10 for two of them, and the opponent's likewise
    /// against us.
    fn heuristic(&self) -> i32 {
        let (own, opponent) = self.own_and_opponent();
        let score = |mine: u16, theirs: u16| -> i32 {
            let open = LINES.iter().filter(|&&line| theirs & line == 0);
            open.map(|&line| LINE_WORTH[(mine & line).count_ones() as usize]).sum()
        };
        score(own, opponent) - score(opponent, own)
    }

    fn immediate_win(&self) -> ImmediateWin {
        match self.completions(self.own_and_opponent().0) {
            0 => ImmediateWin::None,
            cells => ImmediateWin::By(Action(cells.trailing_zeros() as u16)),
        }
    }

    fn is_threatened(&self) -> bool {
        self.completions(self.own_and_opponent().1) != 0
    }

    /// Wins, then answers; a quiet mark counts the lines through its cell that the opponent has no mark in.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let (own, opponent) = self.own_and_opponent();
        let (wins, answers) = (self.completions(own), self.completions(opponent));
        hints.clear();
        hints.extend(actions.iter().map(|action| {
            let cell = 1_u16 << (action.index() % CELLS);
            let open = LINES.iter().filter(|&&line| line & cell != 0 && line & opponent == 0).count() as i32;
            let is_in = |cells: u16| i32::from(cells & cell != 0);
            WINNING_HINT * is_in(wins) + ANSWERING_HINT * is_in(answers) + open
        }));
    }

    /// A draw as soon as both sides have a mark in every line.
    fn settled_outcome(&self) -> Option<Outcome> {
        let is_dead = |&line: &u16| self.marks.iter().all(|marks| marks & line != 0);
        self.outcome().or_else(|| LINES.iter().all(is_dead).then_some(Outcome::Draw))
    }
}
