//! Random games: for tests, for recorded random games, and for openings.

use crate::rng::{GameRng, RngExt};
use crate::{Action, Game};

/// Plays uniformly random legal actions from `position` until the game ends or `max_plies` are made, and returns
/// them; `position` is left where the play stopped.
pub fn play_random<G: Game>(position: &mut G, max_plies: usize, rng: &mut GameRng) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut legal = Vec::new();
    while actions.len() < max_plies {
        position.legal_actions(&mut legal);
        if legal.is_empty() {
            break;
        }
        let action = legal[rng.random_range(0..legal.len())];
        position.play(action);
        actions.push(action);
    }
    actions
}
