//! One lane of self-play: several games at once, one leaf of each in every batch, in an order that never depends on
//! threads or time.

use selfplay_env::Game;
use selfplay_mcts::stages::{Stage, in_stage};
use selfplay_mcts::{Batch, CacheStats, EvaluationCache, Evaluator};

use crate::record::GameRecord;
use crate::seat::{Seat, SeatState, Table};
use crate::selfplay_config::SelfPlayConfig;

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

/// Plays all games of one lane and returns their records, ordered by game number, and how its cache did.
///
/// A function of its arguments and of the evaluator's answers: the cache is the lane's own. `earlier` are the games of
/// the generation before, in a fixed order. `on_game` is called as games finish, with the number of decisions made.
pub fn play_lane<G: Game, E: Evaluator<G> + ?Sized>(
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
