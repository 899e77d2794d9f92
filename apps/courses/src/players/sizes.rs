//! Players that know some games only.

use selfplay_env::{Game, Rules};
use selfplay_pente::Pente;

use selfplay_players::EvalError;
use selfplay_players::Player;

/// The error of a player that does not know the game of `rules` but only those with the ids `games`.
pub(crate) fn wrong_game(rules: &dyn Rules, player: &str, games: &[&str]) -> EvalError {
    EvalError::WrongGame { player: player.to_owned(), game: rules.id(), games: games.join(", ") }
}

/// The one of three players of Pente, called `player` in errors, that plays the size of `rules`.
///
/// # Errors
/// [`EvalError::WrongGame`] unless the game is Pente of any size.
pub(crate) fn for_pente(
    rules: &dyn Rules,
    player: &str,
    [on_19, on_13, on_9]: [Box<dyn Player>; 3],
) -> Result<Box<dyn Player>, EvalError> {
    match rules.id() {
        Pente::<19>::ID => Ok(on_19),
        Pente::<13>::ID => Ok(on_13),
        Pente::<9>::ID => Ok(on_9),
        _ => Err(wrong_game(rules, player, &[Pente::<19>::ID, Pente::<13>::ID, Pente::<9>::ID])),
    }
}
