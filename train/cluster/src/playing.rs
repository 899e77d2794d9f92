//! Doing a task: from its name, the run's config and the networks to the bytes of its result.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ThreadTime;
use selfplay_arena::{games_to_text, play_chunk};
use selfplay_mcts::{EvaluationCache, Network};
use selfplay_pipeline::{Machine, RunConfig, RunMatch, RunPlayers};
use selfplay_registry::GameRef;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{Actors, Batching, GameContext, GameRange, GameRecord, PlayStats, ShardHeader, single_threaded};

use crate::error::TaskError;
use crate::wire::{Cost, TaskKey};

/// What a task is played with.
pub struct RunContext {
    /// The game.
    pub game: GameRef,
    /// The run's config.
    pub config: RunConfig,
    /// Evaluations of its networks.
    pub cache: EvaluationCache,
}

/// The networks of a task, by the generations that learned them.
pub type Networks = HashMap<u32, Arc<dyn Network>>;

/// Does a task on one thread. `earlier` are the games of the generation before, where games restart.
pub fn play(
    context: &RunContext,
    key: TaskKey,
    networks: &Networks,
    earlier: &[GameRecord],
) -> Result<(Vec<u8>, Cost), TaskError> {
    let started = Instant::now();
    let (bytes, PlayStats { cache, cpu_time, .. }) = match key {
        TaskKey::GameRange { generation, first, count } => {
            play_range(context, generation, first..first.saturating_add(count), networks, earlier)?
        }
        TaskKey::Pairs { of, first, count } => single_threaded(|| {
            let cpu = ThreadTime::now();
            let bytes = play_pairs(context, of, first, count, networks)?;
            Ok::<_, TaskError>((bytes, PlayStats { cpu_time: cpu.elapsed(), ..PlayStats::default() }))
        })?,
    };
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_time.as_secs_f64());
    Ok((bytes, Cost { seconds, cpu_seconds, lookups: cache.lookups, hits: cache.hits }))
}

fn play_range(
    context: &RunContext,
    generation: u32,
    numbers: Range<u32>,
    networks: &Networks,
    earlier: &[GameRecord],
) -> Result<(Vec<u8>, PlayStats), TaskError> {
    let RunContext { game, config, cache } = context;
    let selfplay = &config.selfplay;
    let is_known = (1..=config.generations).contains(&generation) && numbers.end <= selfplay.games_per_generation;
    if !is_known {
        return Err(TaskError::NoSuchGames { generation });
    }
    let learned = selfplay.network_of(generation);
    let network = networks.get(&learned).ok_or(TaskError::NoNetwork(learned))?;
    let earlier: Vec<&GameRecord> = earlier.iter().collect();
    let game_context = GameContext { config: selfplay, run_seed: config.seed, generation, earlier: &earlier };
    let actors = Actors { threads: 1, batching: Batching::PerThread, cache };
    let queue = GameRange::new(numbers);
    let stats = game.play_games(&**network, game_context, actors, &queue);
    Ok((shard_bytes(&ShardHeader::new(*game, config.seed, generation), &queue.into_records()), stats))
}

fn play_pairs(
    context: &RunContext,
    which: RunMatch,
    first: usize,
    count: usize,
    networks: &Networks,
) -> Result<Vec<u8>, TaskError> {
    let RunContext { game, config, cache } = context;
    let pairs = first..first.saturating_add(count);
    if !(which.exists(config) && which.is_portable(config)) || pairs.end > which.config(config).pairs {
        return Err(TaskError::NoSuchPairs);
    }
    let lacks = |generation: &u32| !networks.contains_key(generation);
    if let Some(generation) = which.networks().find(lacks) {
        return Err(TaskError::NoNetwork(generation));
    }
    let machine = Machine { threads: 1, ..Machine::default() };
    let players =
        RunPlayers::new(*game, config, machine, Some(cache), |generation| Ok(networks[&generation].another()));
    let [a, b] = players.of_match(which)?;
    let games = play_chunk(*game, a, b, &which.config(config), pairs)?;
    Ok(games_to_text(*game, &games).into_bytes())
}
