//! Wins by chains of threats: decisions after which, whatever is swapped, the side wins with its next one unless the answer
//! stands on the one cell that completes five, until three decisions decide.

use super::PentagoSwap;
use super::foresight::{answers, attacks};
use selfplay_kit::advice::decided_by_next;
use selfplay_kit::{Action, Advice, Game, Outcome};

/// Threats of a chain before three decisions decide, at most.
const MOST_THREATS: u32 = 2;
/// Positions that one question looks at before it gives up.
const MOST_POSITIONS: u32 = 128;

/// The result of a running position in which nothing is foreseen, if one side wins by a chain of threats. Each follows from
/// those of the successors, which get the same number of positions.
pub(super) fn forced_outcome(position: &PentagoSwap) -> Option<Outcome> {
    let side = position.side_to_move();
    (1..=MOST_THREATS).find_map(|threats| {
        if answers_fail(position, threats - 1, &mut { MOST_POSITIONS }) {
            return Some(Outcome::Win(side.opponent()));
        }
        wins(position, threats, &mut { MOST_POSITIONS }).then_some(Outcome::Win(side))
    })
}

/// Whether the side to move wins by a chain of so many threats. `positions` is what may still be looked at.
fn wins(position: &PentagoSwap, threats: u32, positions: &mut u32) -> bool {
    attacks(position).into_iter().any(|attack| {
        let after = played(position, attack);
        decided_by_next(&after).is_none() && answers_fail(&after, threats - 1, positions)
    })
}

/// Whether the side to move, which cannot win at once, must answer a threat, and loses after each answer as is foreseen or by a
/// chain of at most so many further threats.
fn answers_fail(position: &PentagoSwap, threats: u32, positions: &mut u32) -> bool {
    let opponent_wins = Some(Outcome::Win(position.side_to_move().opponent()));
    let Some(answers) = answers(position) else { return false };
    answers.into_iter().all(|answer| {
        let Some(rest) = positions.checked_sub(1) else { return false };
        *positions = rest;
        let after = played(position, answer);
        match after.foreseen_outcome() {
            None => threats > 0 && wins(&after, threats, positions),
            foreseen => foreseen == opponent_wins,
        }
    })
}

fn played(position: &PentagoSwap, action: Action) -> PentagoSwap {
    let mut after = *position;
    after.play(action);
    after
}
