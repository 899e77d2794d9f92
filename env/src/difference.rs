//! Tells two positions apart that should be the same in every respect, history included.

use crate::{Game, Outcome, Side};

/// The first respect in which a position is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The two are not equal.
    #[error("the board is another:\n{found}instead of\n{expected}")]
    Board {
        /// As it should be, drawn.
        expected: String,
        /// As it is, drawn.
        found: String,
    },
    /// Another side decides.
    #[error("{found:?} is to move instead of {expected:?}")]
    SideToMove {
        /// Who should decide.
        expected: Side,
        /// Who does.
        found: Side,
    },
    /// One is in the middle of a turn.
    #[error("only one of the two starts a turn")]
    TurnStart,
    /// Another result, or only one of the two is over.
    #[error("the outcome is {found:?} instead of {expected:?}")]
    Outcome {
        /// As it should be.
        expected: Option<Outcome>,
        /// As it is.
        found: Option<Outcome>,
    },
    /// Equal positions, and yet another hash.
    #[error("the position hash is another")]
    PositionHash,
    /// What the encoding shows of the history differs.
    #[error("the evaluation key is another")]
    EvaluationKey,
}

/// Compares everything that can be asked of a position without looking ahead.
///
/// # Errors
/// The first [`Difference`].
pub fn check_same<G: Game>(expected: &G, found: &G) -> Result<(), Difference> {
    let sides = [expected.side_to_move(), found.side_to_move()];
    let outcomes = [expected.outcome(), found.outcome()];
    if sides[0] != sides[1] {
        return Err(Difference::SideToMove { expected: sides[0], found: sides[1] });
    }
    if outcomes[0] != outcomes[1] {
        return Err(Difference::Outcome { expected: outcomes[0], found: outcomes[1] });
    }
    if expected.starts_turn() != found.starts_turn() {
        return Err(Difference::TurnStart);
    }
    if expected != found {
        return Err(Difference::Board { expected: expected.board(), found: found.board() });
    }
    if expected.position_hash() != found.position_hash() {
        return Err(Difference::PositionHash);
    }
    if expected.evaluation_key() != found.evaluation_key() {
        return Err(Difference::EvaluationKey);
    }
    Ok(())
}
