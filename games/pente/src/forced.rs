//! Wins by force: decisions that each threaten to win at once, against which few answers help, and those in vain.

use super::patterns::{LineView, Rows, cells_in, cells_of_windows, common, is_any, union};
use super::threats::capturing_cells;
use super::{PAIRS_TO_WIN, Pente};
use selfplay_kit::{Action, Game, Outcome};

/// Positions that one question looks at before it gives up. Chosen, not measured.
const MOST_POSITIONS: u32 = 64;

impl<const N: usize> Pente<N> {
    /// The winner of a running game, if one side wins at once, or by threats to do so that the other must answer. `None`
    /// where [`MOST_POSITIONS`] do not suffice. Each result follows from those of the successors, which get the same
    /// number of positions.
    pub(super) fn forced_outcome(&self) -> Option<Outcome> {
        let views = self.views();
        let side = self.side_to_move();
        if is_any(&self.winning_cells(&views, 0)) {
            return Some(Outcome::Win(side));
        }
        let answers = self.answers(&views);
        if answers.is_some_and(|answers| self.answers_fail(&answers, &mut { MOST_POSITIONS })) {
            return Some(Outcome::Win(side.opponent()));
        }
        self.threats_win(&views, || answers, &mut { MOST_POSITIONS }).then_some(Outcome::Win(side))
    }

    /// The cells after which the other side does not win at once, if it threatens to, the side to move cannot win itself
    /// and something helps.
    pub(super) fn tenable_cells(&self) -> Option<Rows<N>> {
        let views = self.views();
        let answers = self.answers(&views).filter(|_| !is_any(&self.winning_cells(&views, 0)))?;
        let mut tenable = [0; N];
        for (cell, after) in self.after_each(&answers) {
            if !is_any(&after.winning_cells(&after.views(), 0)) {
                tenable[cell / N] |= 1 << (cell % N);
            }
        }
        is_any(&tenable).then_some(tenable)
    }

    /// The cells that can keep the other side from winning at once, if it threatens to: those where it would win, and
    /// those where its stones are captured. Everything else changes neither the line nor the pairs that it wins by.
    fn answers(&self, views: &[LineView<N>; 4]) -> Option<Rows<N>> {
        let threats = self.winning_cells(views, 1);
        is_any(&threats).then(|| union(&threats, &capturing_cells(views, 0)))
    }

    /// Whether the side to move wins at once or by threats to do so. `positions` is what may still be looked at.
    fn attacks_to_win(&self, positions: &mut u32) -> bool {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        let views = self.views();
        is_any(&self.winning_cells(&views, 0)) || self.threats_win(&views, || self.answers(&views), positions)
    }

    /// Whether the side to move must answer a threat to win at once, and the other side wins by further ones whatever it
    /// answers.
    fn answers_in_vain(&self, positions: &mut u32) -> bool {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        let views = self.views();
        !is_any(&self.winning_cells(&views, 0))
            && self.answers(&views).is_some_and(|answers| self.answers_fail(&answers, positions))
    }

    /// [`Self::attacks_to_win`] where nothing wins at once: by a four, or by a capture that leaves one or two pairs.
    /// `answers` are asked for only where there is something to try.
    fn threats_win(
        &self,
        views: &[LineView<N>; 4],
        answers: impl FnOnce() -> Option<Rows<N>>,
        positions: &mut u32,
    ) -> bool {
        let mut tries = match self.captured_pairs(self.side_to_move()) + 2 < PAIRS_TO_WIN {
            true => [0; N],
            false => capturing_cells(views, 0),
        };
        for (line, view) in views.iter().enumerate() {
            let threes = view.threes(0);
            if is_any(&threes) {
                tries = union(&tries, &cells_of_windows(line, &threes));
            }
        }
        if !is_any(&tries) {
            return false;
        }
        if let Some(answers) = answers() {
            tries = common(&tries, &answers);
        }
        self.after_each(&tries).any(|(_, after)| after.outcome.is_none() && after.answers_in_vain(positions))
    }

    /// [`Self::answers_in_vain`] where nothing wins at once and these are the answers.
    fn answers_fail(&self, answers: &Rows<N>, positions: &mut u32) -> bool {
        self.after_each(answers).all(|(_, after)| after.outcome.is_none() && after.attacks_to_win(positions))
    }

    /// The position after a stone on each of `cells` where one may go.
    fn after_each(&self, cells: &Rows<N>) -> impl Iterator<Item = (usize, Self)> {
        let playable: Rows<N> = std::array::from_fn(|row| cells[row] & self.playable(row));
        cells_in(playable).map(|cell| {
            let mut after = *self;
            after.play(Action::from_index(cell));
            (cell, after)
        })
    }
}
