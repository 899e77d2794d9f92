//! Players and the solver, each alone, through the public interface.

mod cancel;
mod spec;

use selfplay_env::{CompleteGame, Typed};
use selfplay_players::{EvalError, NoCheckpoints, Player, PlayerKinds, build_player};

/// The player that `spec` describes, which needs no checkpoint.
fn player<G: CompleteGame>(spec: &str) -> Result<Box<dyn Player>, EvalError> {
    build_player(&Typed::<G>::IT, &PlayerKinds::built_in().parse(spec)?, &NoCheckpoints)
}
