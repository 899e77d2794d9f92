//! Tests of what holds for the shipped games, in one program: players, solver, tablebases and self-play.

mod alphabeta;
mod every_game;
mod selfplay;
mod solver;
mod tablebase;
mod turn_word;

use selfplay_env::{Action, Game};

use every_game::in_every_game;

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
