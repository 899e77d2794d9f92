//! One lane of self-play: several games at once, one leaf of each in every batch, in an order that never depends on
//! threads or time.

use selfplay_env::rng::derive_seed;
use selfplay_env::{Advice, Symmetric};
use selfplay_mcts::stages::{Stage, in_stage};
use selfplay_mcts::{Batch, CacheStats, EvaluationCache, Evaluator, Leaf, SymmetryEvaluator, SymmetryUse};

use crate::record::GameRecord;
use crate::seat::{Seat, SeatState, Table};
use crate::selfplay_config::{EvaluationSymmetry, SelfPlayConfig};

/// Keeps the draws of symmetries apart from the run's other random choices.
const SYMMETRY_STREAM: u64 = 0x51AA;

/// Which games a lane plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneSeed {
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation being played, from 1.
    pub generation: u32,
    /// The lane, below [`SelfPlayConfig::lanes`].
    pub lane: u32,
}

/// Whoever plays whole lanes of self-play: a worker with an evaluator of its own.
pub trait LanePlayer {
    /// Plays all games of one lane and returns their records, ordered by game number, and how its cache did.
    ///
    /// A function of its arguments and of the evaluator's answers: the cache is the lane's own. `earlier` are the games of
    /// the generation before, in a fixed order. `on_game` is called as games finish, with the number of decisions made.
    fn play_lane(
        &mut self,
        config: &SelfPlayConfig,
        seed: LaneSeed,
        earlier: &[&GameRecord],
        on_game: &(dyn Fn(usize) + Sync),
    ) -> (Vec<GameRecord>, CacheStats);
}

/// A [`LanePlayer`] of the game `G`.
pub enum Lanes<G, E> {
    /// Positions are evaluated as they are.
    Plain(E),
    /// Positions are evaluated under a symmetry drawn for each.
    Symmetric(Box<SymmetryEvaluator<G, E>>),
}

impl<G: Advice + Symmetric, E: Evaluator<G>> Lanes<G, E> {
    /// Plays with `evaluator` in one generation of a run, under the symmetries that `config` asks for.
    pub fn new(evaluator: E, config: &SelfPlayConfig, run_seed: u64, generation: u32) -> Self {
        match config.evaluation_symmetry {
            EvaluationSymmetry::Identity => Lanes::Plain(evaluator),
            EvaluationSymmetry::Random => {
                let seed = derive_seed(&[run_seed, SYMMETRY_STREAM, u64::from(generation)]);
                Lanes::Symmetric(Box::new(SymmetryEvaluator::new(evaluator, SymmetryUse::Drawn { seed })))
            }
        }
    }
}

impl<G: Advice + Symmetric, E: Evaluator<G>> Evaluator<G> for Lanes<G, E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        match self {
            Lanes::Plain(evaluator) => evaluator.evaluate(leaves),
            Lanes::Symmetric(evaluator) => evaluator.evaluate(leaves),
        }
    }
}

impl<G: Advice + Symmetric, E: Evaluator<G>> LanePlayer for Lanes<G, E> {
    fn play_lane(
        &mut self,
        config: &SelfPlayConfig,
        seed: LaneSeed,
        earlier: &[&GameRecord],
        on_game: &(dyn Fn(usize) + Sync),
    ) -> (Vec<GameRecord>, CacheStats) {
        play_lane(self, config, seed, earlier, on_game)
    }
}

fn play_lane<G: Advice, E: Evaluator<G> + ?Sized>(
    evaluator: &mut E,
    config: &SelfPlayConfig,
    seed: LaneSeed,
    earlier: &[&GameRecord],
    on_game: &(dyn Fn(usize) + Sync),
) -> (Vec<GameRecord>, CacheStats) {
    let table = Table { config, run_seed: seed.run_seed, generation: seed.generation, earlier };
    let mut cache = EvaluationCache::new(config.cache_mib);
    let mut waiting_games = config.games_of_lane(seed.lane);
    let first_games = waiting_games.by_ref().take(config.games_per_lane_in_flight as usize);
    let mut seats: Vec<Option<Seat<G>>> = first_games.map(|number| Some(Seat::new(number, table))).collect();
    let mut batch = Batch::new();
    let mut finished = Vec::new();
    while !seats.is_empty() {
        batch.clear();
        for place in &mut seats {
            while let Some(seat) = place {
                match seat.advance(table, &mut cache, &mut batch) {
                    SeatState::WaitsForLeaf => break,
                    SeatState::GameOver => {
                        on_game(seat.decisions());
                        match waiting_games.next() {
                            Some(next) => finished.push(seat.start_game(next, table)),
                            None => finished.extend(place.take().map(Seat::into_record)),
                        }
                    }
                }
            }
        }
        seats.retain(Option::is_some);
        in_stage(Stage::Network, || evaluator.evaluate(batch.leaves_mut()));
        // Each seat that is left put exactly one leaf into the batch, in seat order.
        for (seat, leaf) in seats.iter_mut().flatten().zip(batch.leaves()) {
            cache.insert(leaf.position.evaluation_key(), leaf);
            seat.search_mut().apply(std::slice::from_ref(leaf));
        }
    }
    finished.sort_by_key(|record| record.game_number);
    (finished, cache.stats())
}
