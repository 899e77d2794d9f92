//! Random openings, so that deterministic players do not play the same game again and again.

use std::collections::HashSet;

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, Game};

use crate::error::EvalError;

/// Attempts in a row without a new opening after which the game is taken to have no more.
const FRUITLESS_ATTEMPTS: usize = 500;

/// `count` openings of `decisions` uniformly random distinct actions each, as lists of actions from the initial
/// position.
///
/// An opening never ends the game, nor in the middle of a turn: it goes on until [`Game::starts_turn`], so it can be a
/// little longer than `decisions`. No two of them reach the same position (by its hash) as long as the game has enough;
/// where it has not, the list begins again from its start. The first openings do not depend on `count`.
///
/// # Errors
/// [`EvalError::NoOpening`] if games end before `decisions` decisions.
pub fn openings<G: Game>(count: usize, decisions: usize, seed: u64) -> Result<Vec<Vec<Action>>, EvalError> {
    let mut openings: Vec<Vec<Action>> = Vec::with_capacity(count);
    let mut reached = HashSet::new();
    let (mut attempt, mut fruitless) = (0, 0);
    while openings.len() < count && fruitless < FRUITLESS_ATTEMPTS {
        let found = random_opening::<G>(decisions, &[seed, attempt]);
        attempt += 1;
        match found {
            Some((opening, hash)) if reached.insert(hash) => {
                openings.push(opening);
                fruitless = 0;
            }
            _ => fruitless += 1,
        }
    }
    let distinct = openings.len();
    if distinct == 0 && count > 0 {
        return Err(EvalError::NoOpening { game: G::ID, decisions });
    }
    for index in distinct..count {
        openings.push(openings[index - distinct].clone());
    }
    Ok(openings)
}

/// One opening and the hash of its position, or `None` if the game ends on the way.
fn random_opening<G: Game>(decisions: usize, seed_parts: &[u64]) -> Option<(Vec<Action>, u64)> {
    let mut rng = rng_for(seed_parts);
    let mut position = G::initial();
    let mut opening = Vec::with_capacity(decisions);
    let mut actions = Vec::new();
    while opening.len() < decisions || !position.starts_turn() {
        position.distinct_actions(&mut actions);
        if actions.is_empty() {
            return None;
        }
        let action = actions[rng.random_range(0..actions.len())];
        position.play(action);
        opening.push(action);
    }
    position.outcome().is_none().then(|| (opening, position.position_hash()))
}
