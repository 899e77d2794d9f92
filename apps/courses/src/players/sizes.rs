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
    let [id_19, id_13, id_9] = [Pente::<19>::spec().id, Pente::<13>::spec().id, Pente::<9>::spec().id];
    match rules.id() {
        id if id == id_19 => Ok(on_19),
        id if id == id_13 => Ok(on_13),
        id if id == id_9 => Ok(on_9),
        _ => Err(wrong_game(rules, player, &[id_19, id_13, id_9])),
    }
}
