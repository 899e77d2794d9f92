//! Who wins, as far as a search of few positions tells.

use super::{COLUMNS, Connect4};
use selfplay_kit::{Game, Outcome};

/// Discs from which on a search of [`LATE_POSITIONS`] often reaches the ends of all lines.
const LATE_DISCS: u8 = 20;
/// Positions that one question looks at before it gives up: late, about what a small network takes for one position.
const LATE_POSITIONS: u32 = 3000;
/// Earlier: chains of threats at least.
const EARLY_POSITIONS: u32 = 100;

/// What the side to move wants at least.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Win,
    Draw,
}

impl Connect4 {
    /// The winner of a running game under perfect play, if so few positions for each of two questions suffice. Each result
    /// follows from those of the successors, which get no fewer. Draws are left to the search, which gains nothing by
    /// hearing of them (measured: `docs/recipe.md`, "Connect Four with a search in every leaf").
    pub(super) fn searched_winner(&self) -> Option<Outcome> {
        let side = self.side_to_move();
        let most = if self.plies < LATE_DISCS { EARLY_POSITIONS } else { LATE_POSITIONS };
        if self.reaches(Goal::Draw, &mut { most }) == Some(false) {
            return Some(Outcome::Win(side.opponent()));
        }
        (self.reaches(Goal::Win, &mut { most }) == Some(true)).then_some(Outcome::Win(side))
    }

    /// Whether the side to move reaches `goal` under perfect play. `positions` is what may still be looked at; `None`
    /// where that is not enough.
    fn reaches(&self, goal: Goal, positions: &mut u32) -> Option<bool> {
        *positions = positions.checked_sub(1)?;
        let (own, opponent) = self.own_and_opponent();
        let playable = self.playable();
        if playable == 0 {
            return Some(goal == Goal::Draw);
        }
        if self.completions(own) & playable != 0 {
            return Some(true);
        }
        // A cell where the opponent completes four must be filled; one below such a cell must not.
        let completions = self.completions(opponent);
        let threats = completions & playable;
        let mut cells = playable & !(completions >> 1);
        if threats != 0 {
            cells &= threats;
        }
        if cells == 0 || threats.count_ones() > 1 {
            return Some(false);
        }
        // The most threats first.
        let mut tries = [(0, 0); COLUMNS];
        let mut count = 0;
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            let after = Connect4 { occupied: self.occupied | cell, ..*self };
            tries[count] = (after.completions(own | cell).count_ones(), cell);
            count += 1;
        }
        let tries = &mut tries[..count];
        tries.sort_unstable_by(|a, b| b.cmp(a));
        let others = if goal == Goal::Win { Goal::Draw } else { Goal::Win };
        let mut answer = Some(false);
        for &(_, cell) in &*tries {
            let after = Connect4 { own: opponent, occupied: self.occupied | cell, ..*self };
            match after.reaches(others, positions) {
                Some(false) => return Some(true),
                Some(true) => {}
                None => answer = None,
            }
        }
        answer
    }
}
