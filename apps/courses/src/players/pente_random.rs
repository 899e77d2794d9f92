//! The random agent of the Pente course: any point next to a stone.

use selfplay_env::Rules;
use selfplay_env::rng::RngExt;
use selfplay_pente::Pente;

use super::pente_points::points_near_stones;
use super::sizes::for_pente;
use selfplay_players::player_settings;
use selfplay_players::{Decision, EvalError, MoveRequest, NetworkSource, Playable, Player, PlayerBuilder, TableSeeds};

const NAME: &str = "pente-random";

/// A player that plays uniformly one of the legal points next to a stone, or of the nearest legal ones where there is
/// none.
///
/// # Errors
/// [`EvalError::WrongGame`] unless the game of `rules` is Pente of any size.
pub fn pente_random(rules: &dyn Rules) -> Result<Box<dyn Player>, EvalError> {
    let sizes: [Box<dyn Player>; 3] = [
        Box::new(PenteRandom::<19>::default()),
        Box::new(PenteRandom::<13>::default()),
        Box::new(PenteRandom::<9>::default()),
    ];
    for_pente(rules, NAME, sizes)
}

player_settings! {
    #[derive(Copy, Eq)]
    /// The random agent of the Pente course.
    pub struct PenteRandomConfig, kind "pente-random" {}
}

impl PlayerBuilder for PenteRandomConfig {
    fn is_complete(&self) -> bool {
        true
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        _name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        pente_random(game)
    }
}

#[derive(Clone, Default, Debug)]
struct PenteRandom<const N: usize> {
    seeds: TableSeeds,
}

impl<const N: usize> Player for PenteRandom<N> {
    fn name(&self) -> String {
        NAME.into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let request = &request.typed::<Pente<N>>(NAME)?;
        let mut points = Vec::new();
        points_near_stones(request.position, &mut points);
        let action = points[self.seeds.rng(request).random_range(0..points.len())];
        Ok(Decision::new(action))
    }
}
