//! One lane of self-play: several games at once, one leaf of each in every batch, in an order that never depends on
//! threads or time.

use selfplay_env::rng::{GameRng, rng_for};
use selfplay_env::{Action, Game};
use selfplay_mcts::{
    Batch, CacheStats, EvaluationCache, Evaluator, Exploration, Search, SearchConfig, TemperatureSchedule,
};
use serde::{Deserialize, Serialize};

use crate::error::TrainError;
use crate::record::{DecisionRecord, GameEnd, GameRecord};

/// Keeps the streams of self-play apart from the run's other random choices.
const SELF_PLAY_STREAM: u64 = 0x5E1F;

/// The largest [`SelfPlayConfig::cache_mib`].
const MOST_CACHE_MIB: u32 = 65_536;

/// How games are generated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games played in each generation.
    pub games_per_generation: u32,
    /// Lanes the games are dealt out to. Threads share the lanes, so the number of threads changes nothing; use a
    /// multiple of the cores.
    pub lanes: u32,
    /// Games in flight in each lane: the size of the network's batches.
    pub games_per_lane_in_flight: u32,
    /// Simulations for each decision.
    pub simulations: u32,
    /// Decisions after which a game is stopped and counts as a draw.
    pub max_decisions: u32,
    /// Memory in MiB with which each lane remembers evaluations, so that a position its games reach again is not
    /// evaluated again; 0 for none. Changes no game where an evaluation depends on the position alone to the last bit.
    pub cache_mib: u32,
    /// How the decision is drawn from the visits.
    pub temperature: TemperatureSchedule,
    /// The search.
    pub search: SearchConfig,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        SelfPlayConfig {
            games_per_generation: 256,
            lanes: 16,
            games_per_lane_in_flight: 16,
            simulations: 100,
            max_decisions: 500,
            cache_mib: 64,
            temperature: TemperatureSchedule::default(),
            search: SearchConfig::default(),
        }
    }
}

impl SelfPlayConfig {
    /// Checks the ranges of the keys of this section itself.
    ///
    /// # Errors
    /// The first key out of range.
    pub fn validate(&self) -> Result<(), TrainError> {
        let ranges = [
            ("games_per_generation", self.games_per_generation, 1_000_000, "1 to 1,000,000"),
            ("lanes", self.lanes, self.games_per_generation, "1 to games_per_generation"),
            ("games_per_lane_in_flight", self.games_per_lane_in_flight, 10_000, "1 to 10,000"),
            ("simulations", self.simulations, 1_000_000, "1 to 1,000,000"),
            ("max_decisions", self.max_decisions, 100_000, "1 to 100,000"),
        ];
        for (key, value, most, expected) in ranges {
            if !(1..=most).contains(&value) {
                return Err(TrainError::Config { key, value: value.to_string(), expected });
            }
        }
        if self.cache_mib > MOST_CACHE_MIB {
            let value = self.cache_mib.to_string();
            return Err(TrainError::Config { key: "cache_mib", value, expected: "0 to 65,536" });
        }
        Ok(())
    }

    /// Numbers of the games that lane `lane` plays, in order.
    pub fn games_of_lane(&self, lane: u32) -> impl Iterator<Item = u32> + use<> {
        (lane..self.games_per_generation).step_by(self.lanes as usize)
    }
}

/// Which games a lane plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneSeed {
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation being played.
    pub generation: u32,
    /// The lane, below [`SelfPlayConfig::lanes`].
    pub lane: u32,
}

/// A game in flight.
struct Seat<G: Game> {
    search: Search<G>,
    rng: GameRng,
    record: GameRecord,
}

/// Plays all games of one lane and returns their records, ordered by game number, and how its cache did.
///
/// A function of its arguments and of the evaluator's answers: the cache is the lane's own. `on_game` is called as
/// games finish, with the number of decisions made.
pub fn play_lane<G: Game, E: Evaluator<G> + ?Sized>(
    evaluator: &mut E,
    config: &SelfPlayConfig,
    seed: LaneSeed,
    on_game: &(dyn Fn(usize) + Sync),
) -> (Vec<GameRecord>, CacheStats) {
    let mut cache = EvaluationCache::new(config.cache_mib);
    let mut waiting_games = config.games_of_lane(seed.lane);
    let mut seats: Vec<Seat<G>> = waiting_games
        .by_ref()
        .take(config.games_per_lane_in_flight as usize)
        .map(|game_number| {
            let mut seat = Seat {
                search: Search::new(config.search.clone()),
                rng: rng_for(&[]),
                record: empty_record(game_number),
            };
            seat.start_game(config, game_number, seed);
            seat
        })
        .collect();
    let mut batch = Batch::new();
    let mut finished = Vec::new();
    while !seats.is_empty() {
        batch.clear();
        seats.retain_mut(|seat| {
            loop {
                match seat.advance(config, &mut cache, &mut batch) {
                    SeatState::WaitsForLeaf => return true,
                    SeatState::GameOver => {
                        on_game(seat.record.decisions.len());
                        let Some(next) = waiting_games.next() else {
                            finished.push(std::mem::replace(&mut seat.record, empty_record(0)));
                            return false;
                        };
                        finished.push(std::mem::replace(&mut seat.record, empty_record(next)));
                        seat.start_game(config, next, seed);
                    }
                }
            }
        });
        evaluator.evaluate(batch.leaves_mut());
        // Each seat that stayed put exactly one leaf into the batch, in seat order.
        for (seat, leaf) in seats.iter_mut().zip(batch.leaves()) {
            cache.insert(leaf.position.evaluation_key(), leaf);
            seat.search.apply(std::slice::from_ref(leaf));
        }
    }
    finished.sort_by_key(|record| record.game_number);
    (finished, cache.stats())
}

enum SeatState {
    WaitsForLeaf,
    GameOver,
}

impl<G: Game> Seat<G> {
    fn start_game(&mut self, config: &SelfPlayConfig, game_number: u32, seed: LaneSeed) {
        self.rng = rng_for(&[seed.run_seed, SELF_PLAY_STREAM, u64::from(seed.generation), u64::from(game_number)]);
        self.search.set_position(&G::initial());
        self.search.start_move(Exploration::On { simulations: config.simulations, rng: &mut self.rng });
    }

    /// Goes on until the search needs an evaluation that `cache` does not know, or the game is over.
    fn advance(&mut self, config: &SelfPlayConfig, cache: &mut EvaluationCache, batch: &mut Batch<G>) -> SeatState {
        loop {
            if self.search.simulations() >= config.simulations || self.search.is_decided() {
                self.decide(config);
                let end = self.search.position().outcome();
                if end.is_some() || self.record.decisions.len() == config.max_decisions as usize {
                    self.record.end = GameEnd::from_outcome(end);
                    return SeatState::GameOver;
                }
                self.search.start_move(Exploration::On { simulations: config.simulations, rng: &mut self.rng });
            } else if self.search.gather_unknown(cache, batch) {
                return SeatState::WaitsForLeaf;
            }
        }
    }

    fn decide(&mut self, config: &SelfPlayConfig) {
        let report = self.search.report();
        let temperature = config.temperature.at(self.record.decisions.len());
        let action: Action = report.sample(temperature, &mut self.rng);
        self.record.simulations += u64::from(self.search.simulations());
        self.record.decisions.push(DecisionRecord::new(action, &report));
        self.search.advance(action);
    }
}

fn empty_record(game_number: u32) -> GameRecord {
    GameRecord { game_number, decisions: Vec::new(), end: GameEnd::Truncated, simulations: 0 }
}
