//! Wins by force: actions that each threaten to win at once, against which few answers help, and those in vain.

use super::Pente;
use super::chain::{ATTACKER, Chain, DEFENDER};
use super::patterns::{LineView, Rows, cells_in, common, is_any, union};
use super::threats::capturing_cells;
use selfplay_registry::{Action, Game, Outcome};

/// Positions that one question looks at before it gives up. 1,024 find little more and cost more than that is worth (measured:
/// docs/research/recipe.md).
const MAX_POSITIONS: u32 = 64;

impl<const N: usize> Pente<N> {
    /// The winner of a running game, if one side wins at once, or by threats to do so that the other must answer. `None`
    /// where [`MAX_POSITIONS`] do not suffice. Each result follows from those of the successors, which get the same
    /// number of positions.
    pub(super) fn threat_outcome(&self) -> Option<Outcome> {
        let views = self.views();
        let side = self.side_to_move();
        let mut chain = Chain::new(self, &views, 0);
        if chain.wins_at_once(ATTACKER) {
            return Some(Outcome::Win(side));
        }
        let answers = chain.answers(ATTACKER);
        if let Some(answers) = &answers
            && Chain::new(self, &views, 1).answers_fail(answers, &mut { MAX_POSITIONS })
        {
            return Some(Outcome::Win(side.opponent()));
        }
        chain.threats_win(answers, &mut { MAX_POSITIONS }).then_some(Outcome::Win(side))
    }

    /// The cells after which the other side does not win at once, if it threatens to, the side to move cannot win itself
    /// and something helps.
    pub(super) fn tenable_cells(&self) -> Option<Rows<N>> {
        let views = self.views();
        let answers = self.answers(&views).filter(|_| !is_any(&self.winning_cells(&views, 0)))?;
        let mut tenable = [0; N];
        for cell in cells_in(self.playable_of(&answers)) {
            let mut after = *self;
            after.play(Action::from_index(cell));
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
        is_any(&threats).then(|| self.playable_of(&union(&threats, &capturing_cells(views, 0))))
    }

    /// Those of `cells` where a stone may go.
    fn playable_of(&self, cells: &Rows<N>) -> Rows<N> {
        std::array::from_fn(|row| cells[row] & self.playable(row))
    }
}

impl<const N: usize> Chain<N> {
    /// Whether the attacker, who is to move and cannot win at once, wins by threats to do so: by fours, or by captures that leave
    /// one or two pairs. `answers` are the cells that can keep the defender from winning at once, if it threatens to.
    /// `positions` is what may still be looked at.
    fn threats_win(&mut self, answers: Option<Rows<N>>, positions: &mut u32) -> bool {
        let mut tries = self.threats();
        if let Some(answers) = answers {
            tries = common(&tries, &answers);
        }
        cells_in(tries).any(|cell| self.after(ATTACKER, cell, |after| after.answers_in_vain(positions)) == Some(true))
    }

    /// Whether the defender, who is to move, must answer a threat to win at once, and the attacker wins by further ones
    /// whatever the answer.
    fn answers_in_vain(&mut self, positions: &mut u32) -> bool {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        !self.wins_at_once(DEFENDER)
            && self.answers(DEFENDER).is_some_and(|answers| self.answers_fail(&answers, positions))
    }

    /// [`Self::answers_in_vain`] where nothing wins at once and these are the answers.
    fn answers_fail(&mut self, answers: &Rows<N>, positions: &mut u32) -> bool {
        cells_in(*answers).all(|cell| self.after(DEFENDER, cell, |after| after.attacks_to_win(positions)) == Some(true))
    }

    /// Whether the attacker, who is to move, wins at once or by threats to do so.
    fn attacks_to_win(&mut self, positions: &mut u32) -> bool {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        self.wins_at_once(ATTACKER) || self.threats_win(self.answers(ATTACKER), positions)
    }
}

#[cfg(test)]
mod tests {
    use super::super::patterns::cells_of_windows;
    use super::*;
    use selfplay_registry::Tactics;
    use selfplay_registry::rng::{RngExt, rng_for};

    /// The same question without a chain that is kept: each position is looked at as a whole.
    fn plainly<const N: usize>(position: &Pente<N>) -> Option<Outcome> {
        let side = position.side_to_move();
        if wins_at_once(position) {
            return Some(Outcome::Win(side));
        }
        let answers = position.answers(&position.views());
        if answers.is_some_and(|answers| answers_fail(position, &answers, &mut { MAX_POSITIONS })) {
            return Some(Outcome::Win(side.opponent()));
        }
        threats_win(position, &mut { MAX_POSITIONS }).then_some(Outcome::Win(side))
    }

    fn wins_at_once<const N: usize>(position: &Pente<N>) -> bool {
        is_any(&position.winning_cells(&position.views(), 0))
    }

    fn after_each<const N: usize>(position: &Pente<N>, cells: Rows<N>) -> impl Iterator<Item = Pente<N>> {
        cells_in(cells).map(|cell| {
            let mut after = *position;
            after.play(Action::from_index(cell));
            after
        })
    }

    fn threats_win<const N: usize>(position: &Pente<N>, positions: &mut u32) -> bool {
        let views = position.views();
        let mut tries = match position.captured_pairs(position.side_to_move()) {
            0..=2 => [0; N],
            _ => capturing_cells(&views, 0),
        };
        for (line, view) in views.iter().enumerate() {
            tries = union(&tries, &cells_of_windows(line, &view.threes(0)));
        }
        let tries = common(&position.playable_of(&tries), &position.answers(&views).unwrap_or([u32::MAX; N]));
        after_each(position, tries).any(|after| after.outcome.is_none() && answers_in_vain(&after, positions))
    }

    fn answers_in_vain<const N: usize>(position: &Pente<N>, positions: &mut u32) -> bool {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        let answers = position.answers(&position.views());
        !wins_at_once(position) && answers.is_some_and(|answers| answers_fail(position, &answers, positions))
    }

    fn answers_fail<const N: usize>(position: &Pente<N>, answers: &Rows<N>, positions: &mut u32) -> bool {
        after_each(position, *answers).all(|after| {
            let Some(rest) = positions.checked_sub(1) else { return false };
            if after.outcome.is_some() {
                return false;
            }
            *positions = rest;
            wins_at_once(&after) || threats_win(&after, positions)
        })
    }

    /// In games of random actions near the stones, every other one the most urgent.
    fn agrees_with_a_look_at_whole_boards<const N: usize>(seed: u64, games: usize) {
        let mut rng = rng_for(&[seed]);
        let (mut actions, mut hints, mut told) = (Vec::new(), Vec::new(), 0);
        for _ in 0..games {
            let mut position = Pente::<N>::initial();
            while position.outcome().is_none() {
                let outcome = position.threat_outcome();
                assert_eq!(outcome, plainly(&position), "{}", position.board());
                told += usize::from(outcome.is_some() && !wins_at_once(&position));
                position.legal_actions(&mut actions);
                position.hints(&actions, &mut hints);
                let best = hints.iter().copied().max().unwrap_or(0);
                let least = if rng.random() { best } else { best.min(0) };
                let likely: Vec<Action> =
                    actions.iter().zip(&hints).filter(|(_, hint)| **hint >= least).map(|(&action, _)| action).collect();
                position.play(likely[rng.random_range(0..likely.len())]);
            }
        }
        assert!(told > games, "only {told} results that are not at once in {games} games");
    }

    #[test]
    fn a_chain_that_is_kept_agrees_with_a_look_at_whole_boards() {
        agrees_with_a_look_at_whole_boards::<9>(1, 60);
        agrees_with_a_look_at_whole_boards::<13>(2, 40);
        agrees_with_a_look_at_whole_boards::<19>(3, 20);
    }
}
