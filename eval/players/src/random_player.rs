//! The player without any knowledge: the floor under every rating.

use selfplay_env::rng::RngExt;

use crate::error::EvalError;
use crate::player::{Choice, Player, Seat, TableSeeds, check_running};

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

    fn choose(&mut self, seat: &Seat) -> Result<Choice, EvalError> {
        check_running(seat, "random")?;
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        let action = legal[self.seeds.rng(seat).random_range(0..legal.len())];
        Ok(Choice::of(action))
    }
}
