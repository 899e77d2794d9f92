//! Players and the solver, each alone, through the public interface.

mod alphabeta;
mod cancel;
mod players;
mod solver;
mod spec;

use selfplay_env::{Action, Game};

use players::{in_every_game, player};

/// What the position becomes.
fn child<G: Game>(position: &G, action: Action) -> G {
    let mut child = position.clone();
    child.play(action);
    child
}

fn distinct<G: Game>(position: &G) -> Vec<Action> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions
}
