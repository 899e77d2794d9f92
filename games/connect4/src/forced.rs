//! Who wins, as far as a search of few positions tells.

use super::Connect4;
use super::threats::{Node, SafeMoves};
use selfplay_registry::{Game, Outcome};

/// Discs from which on a search of [`LATE_POSITIONS`] often reaches the ends of all lines.
const LATE_DISCS: u8 = 20;
/// Positions that one question looks at before it gives up: late, about what a small network takes for one position.
const LATE_POSITIONS: u32 = 3000;
/// Earlier: chains of threats at least.
const EARLY_POSITIONS: u32 = 100;

/// What the side to move wants at least.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Draw = 0,
    Win = 1,
}

impl Connect4 {
    /// The winner of a running game under perfect play, if so few positions for each of two questions suffice. Each result
    /// follows from those of the successors, which get no fewer. Draws are left to the search, which gains nothing by
    /// hearing of them (measured: `docs/research/recipe.md`, "Connect Four with a search in every leaf").
    pub(super) fn searched_winner(&self) -> Option<Outcome> {
        let side = self.side_to_move();
        let Some(node) = self.node() else { return Some(Outcome::Win(side)) };
        let most = if self.plies < LATE_DISCS { EARLY_POSITIONS } else { LATE_POSITIONS };
        let shown = node.most();
        // Whether the side to move reaches it, as far as is found.
        let reached = |goal: Goal| if shown < goal as i8 { Some(false) } else { reaches(node, goal, &mut { most }) };
        if reached(Goal::Draw) == Some(false) {
            return Some(Outcome::Win(side.opponent()));
        }
        (reached(Goal::Win) == Some(true)).then_some(Outcome::Win(side))
    }
}

/// Whether the side to move of a node, of which nothing is shown, reaches `goal` under perfect play. `positions` is what may
/// still be looked at; `None` where that is not enough.
fn reaches(node: Node, goal: Goal, positions: &mut u32) -> Option<bool> {
    *positions = positions.checked_sub(1)?;
    let cells = match node.choice() {
        SafeMoves::Full => return Some(goal == Goal::Draw),
        SafeMoves::Lost => return Some(false),
        SafeMoves::Cells(cells) => cells,
    };
    let others = if goal == Goal::Win { Goal::Draw } else { Goal::Win };
    // All that is shown at a look comes first: what it says of a position is then said of those before it as well.
    let tries = node.tries(cells);
    if tries.clone().any(|after| after.most() < others as i8) {
        return Some(true);
    }
    let mut answer = Some(false);
    for after in tries {
        match reaches(after, others, positions) {
            Some(false) => return Some(true),
            Some(true) => {}
            None => answer = None,
        }
    }
    answer
}
