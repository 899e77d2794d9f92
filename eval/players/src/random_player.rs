//! The player without any knowledge: the floor under every rating.

use selfplay_env::rng::RngExt;

use crate::error::EvalError;
use crate::player::{Decision, MoveRequest, Player, TableSeeds, check_running};

/// Plays uniformly random legal actions.
#[derive(Clone, Default, Debug)]
pub struct RandomPlayer {
    seeds: TableSeeds,
}

impl RandomPlayer {
    /// A player without games.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> String {
        "random".into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        check_running(request, "random")?;
        let mut legal = Vec::new();
        request.position.legal_actions(&mut legal);
        let action = legal[self.seeds.rng(request).random_range(0..legal.len())];
        Ok(Decision::new(action))
    }
}
