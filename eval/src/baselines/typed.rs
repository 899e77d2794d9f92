//! From a player of one game to a player of the game at hand, where they are the same.

use std::any::{Any, TypeId};

use selfplay_env::Game;
use selfplay_env::games::pente::Pente;

use crate::error::EvalError;
use crate::player::Player;

/// The player of `H` as a player of `G`; `None` unless these are the same game.
pub fn for_game<G: Game, H: Game>(player: Box<dyn Player<H>>) -> Option<Box<dyn Player<G>>> {
    let player: Box<dyn Any> = Box::new(player);
    player.downcast().ok().map(|player| *player)
}

/// Whether `G` and `H` are the same game.
pub(super) fn is_same_game<G: Game, H: Game>() -> bool {
    TypeId::of::<G>() == TypeId::of::<H>()
}

/// The error of a player that does not know the game `G` but only those with the ids `games`.
pub(super) fn wrong_game<G: Game>(player: &'static str, games: &[&str]) -> EvalError {
    EvalError::WrongGame { player, game: G::ID, games: games.join(", ") }
}

/// The one of three players of Pente, called `player` in errors, that plays the size `G`.
///
/// # Errors
/// [`EvalError::WrongGame`] unless `G` is Pente of any size.
pub(crate) fn for_pente<G: Game>(
    player: &'static str,
    on_19: Box<dyn Player<Pente<19>>>,
    on_13: Box<dyn Player<Pente<13>>>,
    on_9: Box<dyn Player<Pente<9>>>,
) -> Result<Box<dyn Player<G>>, EvalError> {
    for_game(on_19)
        .or_else(|| for_game(on_13))
        .or_else(|| for_game(on_9))
        .ok_or_else(|| wrong_game::<G>(player, &[Pente::<19>::ID, Pente::<13>::ID, Pente::<9>::ID]))
}
