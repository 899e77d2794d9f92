//! What Breakthrough tells a search: pawns and how far they have come, a step that wins, captures first.

use selfplay::kit::tactics::WINNING_HINT;
use selfplay::kit::{Action, Game, ImmediateWin, Side, Tactics};

use crate::{Breakthrough, CELLS, SIZE, step};

/// What a pawn is worth by the rows it has come forward: the last one before the goal cannot be ignored.
const WORTH: [i32; SIZE] = [100, 100, 110, 130, 170, 250];
/// The hint for a capture, and for each row that a step has come forward.
const CAPTURE: i32 = 100;
const ROW: i32 = 5;

/// Rows from a side's first row to `cell`.
fn advance(side: Side, cell: usize) -> usize {
    match side {
        Side::First => SIZE - 1 - cell / SIZE,
        Side::Second => cell / SIZE,
    }
}

impl Breakthrough {
    fn worth(&self, side: Side) -> i32 {
        (0..CELLS).filter(|&cell| self.has_pawn(side, cell)).map(|cell| WORTH[advance(side, cell)]).sum()
    }
}

impl Tactics for Breakthrough {
    fn heuristic(&self) -> i32 {
        self.worth(self.side_to_move()) - self.worth(self.side_to_move().opponent())
    }

    fn immediate_win(&self) -> ImmediateWin {
        let mut steps = Vec::new();
        self.legal_actions(&mut steps);
        let wins = |&action: &Action| step(action).1.is_some_and(|to| advance(self.side_to_move(), to) == SIZE - 1);
        match steps.iter().copied().find(wins) {
            Some(action) => ImmediateWin::By(action),
            // The last pawn might be taken.
            None if self.pawns[self.side_to_move().opponent().index()].count_ones() == 1 => ImmediateWin::Unknown,
            None => ImmediateWin::None,
        }
    }

    /// A pawn one row before the goal always has a step there: its diagonals may be blocked by no pawn but its own side's,
    /// which would have won.
    fn is_threatened(&self) -> bool {
        let opponent = self.side_to_move().opponent();
        (0..CELLS).any(|cell| self.has_pawn(opponent, cell) && advance(opponent, cell) == SIZE - 2)
    }

    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let side = self.side_to_move();
        let hint = |&action: &Action| {
            let to = step(action).1.unwrap_or_default();
            let captures = CAPTURE * i32::from(self.has_pawn(side.opponent(), to));
            let wins = WINNING_HINT * i32::from(advance(side, to) == SIZE - 1);
            wins + captures + ROW * advance(side, to) as i32
        };
        hints.clear();
        hints.extend(actions.iter().map(hint));
    }
}
