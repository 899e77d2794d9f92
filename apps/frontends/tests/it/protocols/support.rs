//! Fast players whose choices need no thought.

use selfplay_players::{Decision, EvalError, MoveRequest, Player, RandomPlayer};

/// Always takes the first legal move, and checks that the history leads to the position.
#[derive(Default)]
pub struct FirstLegal;

impl Player for FirstLegal {
    fn name(&self) -> String {
        "first legal".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        let mut replayed = seat.position.rules().initial();
        for &action in seat.history {
            replayed.try_play(action).expect("the history is a legal game");
        }
        assert!(replayed.is_same(seat.position));
        let mut choice = RandomPlayer::new().choose(seat)?;
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        choice.action = legal[0];
        Ok(choice)
    }
}

/// Fails instead of choosing.
pub struct Failing;

impl Player for Failing {
    fn name(&self) -> String {
        "failing".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        Err(EvalError::PlayerFailed { player: "failing".into(), table: seat.table, reason: "out of order".into() })
    }
}
