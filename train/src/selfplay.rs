//! A generation of self-play in this process: its missing games are played and stored as they end.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use selfplay_env::Rules;

use crate::actor::PlayStats;
use crate::error::TrainError;
use crate::game_queue::{GameCost, GameQueue};
use crate::game_slot::GameContext;
use crate::ledger::GameLedger;
use crate::record::GameRecord;

/// How often a generation is written to the disk: what a killed run plays again is a part of this size, and the games in flight.
const WRITES: u32 = 16;

/// A generation that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// All its games, by their numbers.
    pub records: Vec<GameRecord>,
    /// Simulations of the games that were played now, rather than found in the shard.
    pub new_simulations: u64,
    /// What playing them took.
    pub stats: PlayStats,
    /// CPU seconds of other processes that played.
    pub cpu_seconds_elsewhere: f64,
}

/// Plays the games of a generation by `rules` that the shard does not hold. `play` plays those of a queue. `on_game` is called
/// for each game with its number of plies, also for those found in the shard.
///
/// # Errors
/// If the shard cannot be read or written or belongs to something else.
pub fn play_generation(
    rules: &dyn Rules,
    shard: &Path,
    context: GameContext<'_>,
    play: impl FnOnce(&dyn GameQueue) -> PlayStats,
    on_game: &(dyn Fn(usize) + Sync),
) -> Result<Played, TrainError> {
    let ledger = GameLedger::open(shard, rules, context.run_seed, context.generation, context.config)?;
    ledger.found().for_each(|record| on_game(record.plies.len()));
    let missing: Vec<u32> = ledger.missing().collect();
    let write_at = context.config.games_per_generation.div_ceil(WRITES) as usize;
    let store = Mutex::new(Store { ledger, ended: Vec::new(), new_simulations: 0, error: None });
    let games = MissingGames { missing, begun: AtomicUsize::new(0), store, write_at, on_game };
    let stats = if games.missing.is_empty() { PlayStats::default() } else { play(&games) };
    let mut store = games.store.into_inner().unwrap_or_else(PoisonError::into_inner);
    store.write();
    match store.error {
        Some(error) => Err(error),
        None => {
            let records = store.ledger.finish()?;
            Ok(Played { records, new_simulations: store.new_simulations, stats, cpu_seconds_elsewhere: 0.0 })
        }
    }
}

/// The games that a shard lacks.
struct MissingGames<'a> {
    missing: Vec<u32>,
    /// How many of them have begun.
    begun: AtomicUsize,
    store: Mutex<Store>,
    /// How many games are written at once.
    write_at: usize,
    on_game: &'a (dyn Fn(usize) + Sync),
}

/// Stores games as they end.
struct Store {
    ledger: GameLedger,
    /// Games that are not on the disk.
    ended: Vec<GameRecord>,
    new_simulations: u64,
    error: Option<TrainError>,
}

impl MissingGames<'_> {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GameQueue for MissingGames<'_> {
    fn next(&self) -> Option<u32> {
        self.missing.get(self.begun.fetch_add(1, Ordering::Relaxed)).copied()
    }

    fn finish(&self, game: GameRecord, _: GameCost) {
        (self.on_game)(game.plies.len());
        let mut store = self.store();
        store.new_simulations += game.simulations;
        store.ended.push(game);
        if store.ended.len() >= self.write_at {
            store.write();
        }
        if store.error.is_some() {
            // Nothing more begins.
            self.begun.store(self.missing.len(), Ordering::Relaxed);
        }
    }
}

impl Store {
    fn write(&mut self) {
        let games = std::mem::take(&mut self.ended);
        if self.error.is_none() {
            self.error = self.ledger.store(games).err();
        }
    }
}
