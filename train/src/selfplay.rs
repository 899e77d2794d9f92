//! A generation of self-play: lanes shared out over threads, their records appended to the generation's shard in
//! lane order, so that a killed run finds whole lanes and plays only the missing ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use selfplay_env::Rules;
use selfplay_mcts::stages::watch;
use selfplay_mcts::{CacheStats, StageShares};

use crate::error::TrainError;
use crate::lane::{LanePlayer, LaneSeed};
use crate::record::{ENGINE_VERSION, GameRecord, ShardHeader};
use crate::selfplay_config::SelfPlayConfig;
use crate::shard::ShardWriter;

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
    /// All games of the generation, lane by lane as in the shard.
    pub records: Vec<GameRecord>,
    /// How many of them, at the front, were found in the shard rather than played now.
    pub found: usize,
    /// How often the lanes played now found an evaluation in their caches.
    pub cache: CacheStats,
    /// Where the time of the worker threads went.
    pub stages: StageShares,
}

/// Plays the games of one generation by `rules`; each worker makes a `player` of its own.
///
/// Lanes that the shard already holds are not played again. `on_game` is called for each finished game with its
/// number of decisions, also for those found in the shard.
///
/// # Errors
/// If the shard cannot be read or written or belongs to something else.
pub fn play_generation<'p>(
    rules: &dyn Rules,
    generation: Generation<'_>,
    config: &SelfPlayConfig,
    player: &(dyn Fn() -> Box<dyn LanePlayer + 'p> + Sync),
    on_game: &(dyn Fn(usize) + Sync),
) -> Result<Played, TrainError> {
    let header = ShardHeader {
        game: rules.id().into(),
        encoding_version: rules.shape().encoding_version,
        engine_version: ENGINE_VERSION,
        run_seed: generation.run_seed,
        generation: generation.generation,
    };
    let (mut writer, mut records) = ShardWriter::open(generation.shard, &header)?;
    let whole_lanes = whole_lanes(&records, config);
    let kept: usize = (0..whole_lanes).map(|lane| config.games_of_lane(lane).count()).sum();
    if kept < records.len() {
        records.truncate(kept);
        writer.keep_only(&header, &records)?;
    }
    for record in &records {
        if !record.agrees_with(rules) {
            return Err(TrainError::ImpossibleRecord {
                path: generation.shard.into(),
                game_number: record.game_number,
                game: rules.id(),
            });
        }
        on_game(record.decisions.len());
    }
    let queue = AtomicU32::new(whole_lanes);
    let sink = Mutex::new(LaneSink {
        writer,
        records,
        cache: CacheStats::default(),
        next: whole_lanes,
        early: BTreeMap::new(),
        error: None,
    });
    let work = || {
        let mut player = player();
        loop {
            let lane = queue.fetch_add(1, Ordering::Relaxed);
            if lane >= config.lanes || lock(&sink).error.is_some() {
                return;
            }
            let seed = LaneSeed { run_seed: generation.run_seed, generation: generation.generation, lane };
            let (played, cache) = player.play_lane(config, seed, generation.earlier, on_game);
            lock(&sink).accept(lane, played, cache);
        }
    };
    let missing = config.lanes.saturating_sub(whole_lanes) as usize;
    let threads = generation.threads.clamp(1, missing.max(1));
    let stages = watch(threads, |watched| single_threaded(|| watched.work(work)));
    let sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
    match sink.error {
        Some(error) => Err(error),
        None => Ok(Played { records: sink.records, found: kept, cache: sink.cache, stages }),
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

/// Number of leading lanes that `records`, read from a shard, holds completely.
fn whole_lanes(records: &[GameRecord], config: &SelfPlayConfig) -> u32 {
    let mut rest = records.iter().map(|record| record.game_number);
    (0..config.lanes).take_while(|&lane| config.games_of_lane(lane).all(|number| rest.next() == Some(number))).count()
        as u32
}

/// Collects lanes as they finish and appends them in lane order.
struct LaneSink {
    writer: ShardWriter,
    records: Vec<GameRecord>,
    cache: CacheStats,
    /// The lane whose records come next in the shard.
    next: u32,
    /// Lanes that finished before an earlier one.
    early: BTreeMap<u32, Vec<GameRecord>>,
    error: Option<TrainError>,
}

impl LaneSink {
    fn accept(&mut self, lane: u32, played: Vec<GameRecord>, cache: CacheStats) {
        self.cache += cache;
        self.early.insert(lane, played);
        while let Some(played) = self.early.remove(&self.next) {
            if self.error.is_none() {
                self.error = self.writer.append(&played).err();
            }
            self.records.extend(played);
            self.next += 1;
        }
    }
}
