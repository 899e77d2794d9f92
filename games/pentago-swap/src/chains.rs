//! Wins by threat sequences. After each threat, whatever is swapped, the side wins with its next action unless the
//! answer stands on the one cell that completes five. A sequence ends where three plies decide the game.

use super::PentagoSwap;
use super::tactics::{answers, foresee};
use selfplay_registry::{Action, Game, Outcome};
use std::ops::ControlFlow;

/// Threats of a sequence before three plies decide, at most.
const MAX_THREATS: u32 = 2;
/// Positions that one question looks at before it gives up.
const MAX_POSITIONS: u32 = 128;

/// The result of a position, if it has a tactical outcome or one side wins by a threat sequence. Each result follows
/// from those of the successors, which get the same number of positions.
pub(super) fn threat_outcome(position: &PentagoSwap) -> Option<Outcome> {
    let open = match foresee(position) {
        ControlFlow::Break(outcome) => return Some(outcome),
        ControlFlow::Continue(open) => open,
    };
    let side = position.side_to_move();
    let (answers, attacks) = (open.answers(), open.attacks());
    (1..=MAX_THREATS).find_map(|threats| {
        if answers_fail(position, answers.as_deref(), threats - 1, &mut { MAX_POSITIONS }) {
            return Some(Outcome::Win(side.opponent()));
        }
        wins(position, &attacks, threats, &mut { MAX_POSITIONS }).then_some(Outcome::Win(side))
    })
}

/// Whether the side to move wins by a sequence of so many threats, of which the first is one of `attacks`. `positions`
/// is the number of positions that may still be searched.
fn wins(position: &PentagoSwap, attacks: &[Action], threats: u32, positions: &mut u32) -> bool {
    attacks.iter().any(|&attack| {
        let after = played(position, attack);
        answers_fail(&after, answers(&after).as_deref(), threats - 1, positions)
    })
}

/// Whether the side to move, which cannot win at once, must answer a threat by one of `answers` and loses after each.
/// The loss is a tactical outcome or a sequence of at most so many further threats.
fn answers_fail(position: &PentagoSwap, answers: Option<&[Action]>, threats: u32, positions: &mut u32) -> bool {
    let opponent_wins = Outcome::Win(position.side_to_move().opponent());
    let Some(answers) = answers else { return false };
    answers.iter().all(|&answer| {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        let after = played(position, answer);
        match foresee(&after) {
            ControlFlow::Continue(open) => threats > 0 && wins(&after, &open.attacks(), threats, positions),
            ControlFlow::Break(outcome) => outcome == opponent_wins,
        }
    })
}

fn played(position: &PentagoSwap, action: Action) -> PentagoSwap {
    let mut after = *position;
    after.play(action);
    after
}
