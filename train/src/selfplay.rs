//! A generation of self-play: its ranges of games are shared out over threads and stored whole, so that a killed run plays
//! only the missing ones.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use selfplay_env::Rules;
use selfplay_mcts::stages::watch;
use selfplay_mcts::{CacheStats, StageShares};

use crate::actor::{Actor, GameRange, PlayedRange};
use crate::error::TrainError;
use crate::ledger::GameLedger;
use crate::record::GameRecord;
use crate::selfplay_config::SelfPlayConfig;

/// What a generation of self-play is a function of, and where it goes.
#[derive(Clone, Copy, Debug)]
pub struct Generation<'a> {
    /// The shard to write.
    pub shard: &'a Path,
    /// Seed of the run.
    pub run_seed: u64,
    /// Number of the generation.
    pub generation: u32,
    /// The games of the generation before, in a fixed order: where games may restart.
    pub earlier: &'a [&'a GameRecord],
    /// Worker threads; any number gives the same games.
    pub threads: usize,
}

/// What [`play_generation`] returns.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// All games of the generation, range by range.
    pub records: Vec<GameRecord>,
    /// Simulations of the games that were played now, rather than found in the shard.
    pub new_simulations: u64,
    /// How often the ranges played now found an evaluation in their caches.
    pub cache: CacheStats,
    /// Where the time of the worker threads went; `None` where others played.
    pub stages: Option<StageShares>,
    /// CPU seconds of other processes that played.
    pub cpu_seconds_elsewhere: f64,
}

/// Plays the games of one generation by `rules`. Each thread makes an actor of its own with `actor`, which gets the number of
/// the thread, and begins with the missing range of that number.
///
/// Ranges that the shard already holds are not played again. `on_game` is called for each finished game with its
/// number of decisions, also for those found in the shard.
///
/// # Errors
/// If the shard cannot be read or written or belongs to something else.
pub fn play_generation<'p>(
    rules: &dyn Rules,
    generation: Generation<'_>,
    config: &SelfPlayConfig,
    actor: &(dyn Fn(usize) -> Box<dyn Actor + 'p> + Sync),
    on_game: &(dyn Fn(usize) + Sync),
) -> Result<Played, TrainError> {
    let Generation { shard, run_seed, generation, earlier, threads } = generation;
    let ledger = GameLedger::open(shard, rules, run_seed, generation, config)?;
    ledger.found().for_each(|record| on_game(record.decisions.len()));
    let missing: Vec<u32> = ledger.missing().collect();
    let is_taken: Vec<AtomicBool> = missing.iter().map(|_| AtomicBool::new(false)).collect();
    let sink = Mutex::new(RangeSink { ledger, new_simulations: 0, cache: CacheStats::default(), error: None });
    let work = |number: usize| {
        let mut actor = actor(number);
        // Its own first, then those that no thread has taken.
        for place in std::iter::once(number).chain(0..missing.len()) {
            let Some(&index) = missing.get(place).filter(|_| !is_taken[place].swap(true, Ordering::Relaxed)) else {
                continue;
            };
            if lock(&sink).error.is_some() {
                return;
            }
            let range = GameRange { run_seed, generation, index };
            let played = actor.play(config, range, earlier, on_game);
            lock(&sink).accept(index, played);
        }
    };
    let threads = threads.clamp(1, missing.len().max(1));
    let stages = watch(threads, |watched| single_threaded(|| watched.work(|| work(watched.number))));
    let RangeSink { ledger, new_simulations, cache, error } = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
    match error {
        Some(error) => Err(error),
        None => {
            let records = ledger.finish()?;
            Ok(Played { records, new_simulations, cache, stages: Some(stages), cpu_seconds_elsewhere: 0.0 })
        }
    }
}

/// Runs `work` where the tensor library finds one thread only: workers already occupy the cores, and threads inside
/// an evaluation would only fight over them.
pub fn single_threaded<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        // Without the pool evaluations share the global one: slower, with the same results.
        Err(_) => work(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stores ranges as they finish.
struct RangeSink {
    ledger: GameLedger,
    new_simulations: u64,
    cache: CacheStats,
    error: Option<TrainError>,
}

impl RangeSink {
    fn accept(&mut self, index: u32, PlayedRange { records, cache }: PlayedRange) {
        self.cache += cache;
        self.new_simulations += records.iter().map(|record| record.simulations).sum::<u64>();
        if self.error.is_none() {
            self.error = self.ledger.store(index, records).err();
        }
    }
}
