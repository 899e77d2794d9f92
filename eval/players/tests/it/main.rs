//! Players and the solver, each alone, through the public interface.

mod alphabeta;
mod solver;
mod spec;

use selfplay_env::{Action, Game, Typed, WholeGame};
use selfplay_players::{EvalError, NoCheckpoints, Player, PlayerSpec, build_player};

/// What `$check::<G>(…)` gives for every game there is.
macro_rules! in_every_game {
    ($check:ident) => {
        [
            $check::<selfplay_tictactoe::TicTacToe>(),
            $check::<selfplay_connect4::Connect4>(),
            $check::<selfplay_sum15::Sum15<4>>(),
            $check::<selfplay_sum15::Sum15<6>>(),
            $check::<selfplay_pylos::Pylos>(),
            $check::<selfplay_pentago_swap::PentagoSwap>(),
            $check::<selfplay_pente::Pente<19>>(),
            $check::<selfplay_pente::Pente<13>>(),
            $check::<selfplay_pente::Pente<9>>(),
        ]
    };
}
use in_every_game;

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

/// The player that `spec` describes, which needs no checkpoint.
fn player<G: WholeGame>(spec: &str) -> Result<Box<dyn Player>, EvalError> {
    build_player(&Typed::<G>::IT, &spec.parse::<PlayerSpec>()?, &NoCheckpoints)
}
