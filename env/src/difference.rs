//! Tells two positions apart that should be the same in every respect, history included.

use crate::{Game, Outcome, Side};

/// The first respect in which a position is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The two are not equal.
    #[error("the position is another:\n{found}instead of\n{expected}")]
    Position {
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

/// How a game stands: what playing one decision after the other has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    side_to_move: Side,
    starts_turn: bool,
    outcome: Option<Outcome>,
}

impl Standing {
    /// How the game stands in `position`.
    pub fn of<G: Game>(position: &G) -> Self {
        Standing {
            side_to_move: position.side_to_move(),
            starts_turn: position.starts_turn(),
            outcome: position.outcome(),
        }
    }

    /// The same with the two sides in each other's place.
    pub fn exchanged(self) -> Self {
        let Standing { side_to_move, starts_turn, outcome } = self;
        Standing { side_to_move: side_to_move.opponent(), starts_turn, outcome: outcome.map(Outcome::exchanged) }
    }

    /// Checks that the game stands so in `position`.
    ///
    /// # Errors
    /// The first [`Difference`].
    pub fn check<G: Game>(self, position: &G) -> Result<(), Difference> {
        let found = Standing::of(position);
        if found.side_to_move != self.side_to_move {
            return Err(Difference::SideToMove { expected: self.side_to_move, found: found.side_to_move });
        }
        if found.outcome != self.outcome {
            return Err(Difference::Outcome { expected: self.outcome, found: found.outcome });
        }
        if found.starts_turn != self.starts_turn {
            return Err(Difference::TurnStart);
        }
        Ok(())
    }
}

/// Compares everything that can be asked of a position without looking ahead.
///
/// # Errors
/// The first [`Difference`].
pub fn check_same<G: Game>(expected: &G, found: &G) -> Result<(), Difference> {
    Standing::of(expected).check(found)?;
    if expected != found {
        return Err(Difference::Position { expected: expected.board(), found: found.board() });
    }
    if expected.position_hash() != found.position_hash() {
        return Err(Difference::PositionHash);
    }
    if expected.evaluation_key() != found.evaluation_key() {
        return Err(Difference::EvaluationKey);
    }
    Ok(())
}
