//! The one list of games. Everything that starts from a game's id goes through [`with_game`].

use crate::games::*;
use crate::{AuxiliaryTargets, Drawable, Exchangeable, Game, Heuristic, Symmetric};

/// All that the rest of the project asks of a game.
pub trait PlayableGame: AuxiliaryTargets + Symmetric + Exchangeable + Heuristic + Drawable {}
impl<G: AuxiliaryTargets + Symmetric + Exchangeable + Heuristic + Drawable> PlayableGame for G {}

/// A job that is generic over the game; [`with_game`] calls it with the type that an id stands for.
pub trait GameVisitor {
    /// What the job returns.
    type Output;
    /// Does the job for the game `G`.
    fn visit<G: PlayableGame>(self) -> Self::Output;
}

/// An id that no game has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no game `{id}`; the games are {}", GAME_IDS.join(", "))]
pub struct UnknownGame {
    /// The id that was asked for.
    pub id: String,
}

macro_rules! registry {
    ($($game:ty),+ $(,)?) => {
        /// The ids of all games, in the order of tables.
        pub const GAME_IDS: &[&str] = &[$(<$game as Game>::ID),+];

        /// Runs `visitor` with the type of the game called `id`.
        ///
        /// # Errors
        /// [`UnknownGame`], which lists the games there are.
        pub fn with_game<V: GameVisitor>(id: &str, visitor: V) -> Result<V::Output, UnknownGame> {
            $(if id == <$game as Game>::ID {
                return Ok(visitor.visit::<$game>());
            })+
            Err(UnknownGame { id: id.to_owned() })
        }
    };
}

registry! {
    pentago_swap::PentagoSwap,
    pylos::Pylos,
    pente::Pente<19>,
    pente::Pente<13>,
    pente::Pente<9>,
    sum15::Sum15<4>,
    sum15::Sum15<6>,
    tictactoe::TicTacToe,
    connect4::Connect4,
}
