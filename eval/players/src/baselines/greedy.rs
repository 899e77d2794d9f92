//! The player that looks one move ahead: a proven win, else the best heuristic value.

use selfplay_env::rng::RngExt;
use selfplay_env::{Action, Position};

use crate::alphabeta::PROVEN_WIN;
use crate::error::EvalError;
use crate::player::{Decision, MoveRequest, Player, TableSeeds, check_running};

/// Plays the move after which the game is won, or else looks best to the game's heuristic, from the mover's view;
/// equally good ones by the table's seed.
#[derive(Clone, Default, Debug)]
pub struct GreedyPlayer {
    seeds: TableSeeds,
}

impl GreedyPlayer {
    /// A player without games.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Player for GreedyPlayer {
    fn name(&self) -> String {
        "greedy".into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        check_running(request, "greedy")?;
        let best = best_actions(request.position);
        let action = best[self.seeds.rng(request).random_range(0..best.len())];
        Ok(Decision::new(action))
    }
}

/// All distinct actions with the best value after them.
fn best_actions(position: &dyn Position) -> Vec<Action> {
    let mover = position.side_to_move();
    let value = |action: Action| {
        let mut child = position.boxed();
        child.play(action);
        match child.outcome() {
            Some(outcome) => i32::from(outcome.value_for(mover)) * PROVEN_WIN,
            None if child.side_to_move() == mover => child.heuristic(),
            None => -child.heuristic(),
        }
    };
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let values: Vec<i32> = actions.iter().map(|&action| value(action)).collect();
    let best = values.iter().max();
    actions.iter().zip(&values).filter(|&(_, value)| Some(value) == best).map(|(&action, _)| action).collect()
}
