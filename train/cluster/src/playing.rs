//! Doing a task: from its key, the run's config and the networks to the bytes of its result.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use selfplay_arena::{games_to_text, play_chunk};
use selfplay_mcts::{EvaluationCache, Network};
use selfplay_pipeline::{Machine, RunConfig, RunMatch, RunPlayers};
use selfplay_registry::GameRef;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{Actors, Batching, GameContext, GameQueue, GameRecord, ShardHeader, single_threaded};

use crate::error::TaskError;

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

/// How games of a task are played.
pub struct TaskGames {
    context: Arc<RunContext>,
    generation: u32,
    network: Arc<dyn Network>,
    /// The games of the generation before, where games restart.
    earlier: Arc<Vec<GameRecord>>,
}

impl TaskGames {
    /// Of the games of `generation` with these numbers.
    ///
    /// # Errors
    /// If the run has no such games, or their network is missing.
    pub fn new(
        context: Arc<RunContext>,
        generation: u32,
        numbers: &Range<u32>,
        networks: &Networks,
        earlier: Arc<Vec<GameRecord>>,
    ) -> Result<Self, TaskError> {
        let RunContext { config, .. } = &*context;
        let has_games = !numbers.is_empty() && numbers.end <= config.selfplay.games_per_generation;
        if !(has_games && (1..=config.generations).contains(&generation)) {
            return Err(TaskError::NoSuchGames { generation });
        }
        let learned = config.selfplay.network_of(generation);
        let network = networks.get(&learned).ok_or(TaskError::NoNetwork(learned))?.clone();
        Ok(TaskGames { context, generation, network, earlier })
    }

    /// Whether games of both can be played side by side.
    pub fn is_like(&self, other: &TaskGames) -> bool {
        Arc::ptr_eq(&self.context, &other.context)
            && self.generation == other.generation
            && self.network.id() == other.network.id()
            && (Arc::ptr_eq(&self.earlier, &other.earlier) || self.earlier.is_empty() && other.earlier.is_empty())
    }

    /// Plays games of `queue` on this thread until there are none.
    pub fn play(&self, queue: &dyn GameQueue) {
        let RunContext { game, config, cache } = &*self.context;
        let earlier: Vec<&GameRecord> = self.earlier.iter().collect();
        let (generation, run_seed) = (self.generation, config.seed);
        let context = GameContext { config: &config.selfplay, run_seed, generation, earlier: &earlier };
        game.play_games(&*self.network, context, Actors { threads: 1, batching: Batching::PerThread, cache }, queue);
    }
}

/// The result of a task that asks for these games of `generation`.
pub fn games_result(context: &RunContext, generation: u32, games: &[GameRecord]) -> Vec<u8> {
    shard_bytes(&ShardHeader::new(context.game, context.config.seed, generation), games)
}

/// Plays pairs of a match on this thread. Returns the result of the task that asks for them, and the CPU time.
///
/// # Errors
/// If the run has no such pairs, a network is missing, or they cannot be played.
pub fn play_pairs(
    context: &RunContext,
    which: RunMatch,
    pairs: Range<usize>,
    networks: &Networks,
) -> Result<(Vec<u8>, Duration), TaskError> {
    let RunContext { game, config, cache } = context;
    if !(which.exists(config) && which.is_portable(config)) || pairs.end > which.config(config).pairs {
        return Err(TaskError::NoSuchPairs);
    }
    let lacks = |generation: &u32| !networks.contains_key(generation);
    if let Some(generation) = which.networks().find(lacks) {
        return Err(TaskError::NoNetwork(generation));
    }
    single_threaded(|| {
        let cpu = ThreadTime::now();
        let machine = Machine { threads: 1, ..Machine::default() };
        let players =
            RunPlayers::new(*game, config, machine, Some(cache), |generation| Ok(networks[&generation].clone_box()));
        let [a, b] = players.for_match(which)?;
        let games = play_chunk(*game, a, b, &which.config(config), pairs)?;
        Ok((games_to_text(*game, &games).into_bytes(), cpu.elapsed()))
    })
}
