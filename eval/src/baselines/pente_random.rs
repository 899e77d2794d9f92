//! The random agent of the Pente course: any point next to a stone.

use selfplay_env::Game;
use selfplay_env::games::pente::Pente;
use selfplay_env::rng::RngExt;

use super::pente_points::points_near_stones;
use super::typed::for_pente;
use crate::error::EvalError;
use crate::player::{Choice, Player, Seat, TableSeeds, check_running};

const NAME: &str = "pente-random";

/// A player that plays uniformly one of the legal points next to a stone, or of the nearest legal ones where there is
/// none.
///
/// # Errors
/// [`EvalError::WrongGame`] unless `G` is Pente of any size.
pub fn pente_random<G: Game>() -> Result<Box<dyn Player<G>>, EvalError> {
    let player = PenteRandom::default;
    for_pente(NAME, Box::new(player()), Box::new(player()), Box::new(player()))
}

#[derive(Clone, Default, Debug)]
struct PenteRandom {
    seeds: TableSeeds,
}

impl<const N: usize> Player<Pente<N>> for PenteRandom {
    fn name(&self) -> String {
        NAME.into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, seat: &Seat<Pente<N>>) -> Result<Choice, EvalError> {
        check_running(seat, || NAME.into())?;
        let mut points = Vec::new();
        points_near_stones(seat.position, &mut points);
        let action = points[self.seeds.rng(seat).random_range(0..points.len())];
        Ok(Choice::of(action))
    }
}
