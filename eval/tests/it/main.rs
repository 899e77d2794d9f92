//! Everything about players, matches and ratings, through the public interface.

mod alphabeta;
mod arena;
mod baselines;
mod elo;
mod gate;
mod opening;
mod pente_program;
mod program;
mod script;
mod search_player;
mod spec;
mod uct;

use selfplay_env::{Action, Game, PlayableGame};
use selfplay_eval::{Choice, EvalError, EvaluatorSource, Player, PlayerSpec, Seat, build_player};
use selfplay_mcts::Evaluator;

/// A source without any checkpoint.
struct NoCheckpoints;

impl EvaluatorSource for NoCheckpoints {
    fn open<G: PlayableGame>(
        &self,
        checkpoint: &str,
        _precision: Option<&str>,
    ) -> Result<Box<dyn Evaluator<G> + Send>, EvalError> {
        Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: "no such file".into() })
    }
}

/// The player that `spec` describes, which needs no checkpoint.
fn player<G: PlayableGame>(spec: &str) -> Result<Box<dyn Player<G>>, EvalError> {
    build_player(&spec.parse::<PlayerSpec>()?, &NoCheckpoints)
}

/// Plays what a function of the position says.
struct Scripted(fn(&[Action]) -> Action);

impl<G: Game> Player<G> for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &Seat<G>) -> Result<Choice, EvalError> {
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        Ok(Choice { action: (self.0)(&legal), report: None, cpu_time_ms: None })
    }
}
