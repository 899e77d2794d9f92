//! Actors: games side by side, with one leaf of each in every batch.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};
use selfplay_env::rng::derive_seed;
use selfplay_env::{Symmetric, Tactics};
use selfplay_mcts::cpu_time::ThreadTime;
use selfplay_mcts::stages::{Stage, in_stage, watch};
use selfplay_mcts::{Batch, CacheStats, CachedEvaluator, EvaluationCache, Evaluator, StageShares, SymmetryUse};

use crate::game_queue::{GameCost, GameQueue};
use crate::game_slot::{GameContext, GameSlot};
use crate::games_in_flight::{GamesInFlight, Share};
use crate::selfplay_config::EvaluationSymmetry;

/// Keeps the draws of symmetries apart from the run's other random choices.
const SYMMETRY_STREAM: u64 = 0x51AA;

/// Who plays, and how evaluations are batched. No game depends on it where an evaluation depends on the position alone.
#[derive(Clone, Copy, Debug)]
pub struct Actors<'a> {
    /// Threads.
    pub threads: usize,
    /// How leaves become batches.
    pub batching: Batching,
    /// Where evaluations are remembered.
    pub cache: &'a EvaluationCache,
}

/// How leaves become batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batching {
    /// Each thread evaluates batches of its own.
    PerThread,
    /// All threads search in the same games and share one batch. What is in it depends on the games alone, so that games
    /// repeat even where an evaluation depends on the rest of its batch.
    Shared,
}

/// What playing took.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PlayStats {
    /// How often the cache was asked, and how often it knew the evaluation.
    pub cache: CacheStats,
    /// CPU time of the threads; with [`Batching::Shared`] of the first alone.
    pub cpu_time: Duration,
    /// Batches by their sizes: at index `n` those of `n` positions.
    pub batches: Vec<u64>,
    /// Where the time of the threads went; `None` where others played.
    pub stages: Option<StageShares>,
}

/// Plays the games of `queue` until there are none. Each actor has an evaluator of its own from `evaluator`.
///
/// The cache knows the evaluations by `network`: evaluators with the same number must give the same answers.
pub fn play_games<G: Tactics + Symmetric, E: Evaluator<G> + Send + Sync>(
    evaluator: &(dyn Fn() -> E + Sync),
    network: u64,
    context: GameContext<'_>,
    actors: Actors<'_>,
    queue: &dyn GameQueue,
) -> PlayStats {
    let GameContext { config, run_seed, generation, .. } = context;
    let symmetry_use = match config.evaluation_symmetry {
        EvaluationSymmetry::Canonical => SymmetryUse::Canonical,
        EvaluationSymmetry::Random => {
            SymmetryUse::Drawn { seed: derive_seed(&[run_seed, SYMMETRY_STREAM, u64::from(generation)]) }
        }
    };
    let (count, threads_each) = match actors.batching {
        Batching::PerThread => (actors.threads, 1),
        Batching::Shared => (1, actors.threads),
    };
    let in_flight = GamesInFlight::<GameSlot<G>>::new(queue, count, config.concurrent_games as usize);
    let total = Mutex::new(PlayStats::default());
    let stages = watch(count, |watched| {
        let evaluator = CachedEvaluator::new(evaluator(), symmetry_use, actors.cache.clone(), network);
        let stats = with_threads(threads_each, || {
            watched.work(|| {
                let cpu = ThreadTime::now();
                let stats = PlayStats::default();
                let mut actor = Actor { context, evaluator, queue, batch: Batch::new(), counted: cpu, stats };
                actor.play(&in_flight);
                PlayStats { cpu_time: cpu.elapsed(), ..actor.stats }
            })
        });
        total.lock().unwrap_or_else(PoisonError::into_inner).add(stats);
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    PlayStats { stages: Some(stages), ..total }
}

impl PlayStats {
    fn add(&mut self, other: PlayStats) {
        self.cache += other.cache;
        self.cpu_time += other.cpu_time;
        self.batches.resize(self.batches.len().max(other.batches.len()), 0);
        self.batches.iter_mut().zip(other.batches).for_each(|(sum, count)| *sum += count);
    }
}

/// Runs `work` where the tensor library finds one thread only: workers already occupy the cores, and threads inside
/// an evaluation would only fight over them.
pub fn single_threaded<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    with_threads(1, work)
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        // Without the pool evaluations share the global one: slower, with the same results.
        Err(_) => work(),
    }
}

/// Some games side by side, and who evaluates their leaves.
struct Actor<'a, G, E> {
    context: GameContext<'a>,
    evaluator: CachedEvaluator<G, E>,
    queue: &'a dyn GameQueue,
    batch: Batch<G>,
    /// Up to when the CPU time is in the costs of games.
    counted: ThreadTime,
    stats: PlayStats,
}

impl<G: Tactics + Symmetric, E: Evaluator<G> + Send + Sync> Actor<'_, G, E> {
    fn play(&mut self, in_flight: &GamesInFlight<'_, GameSlot<G>>) {
        while let Some(mut share) = in_flight.take() {
            self.begin(&mut share);
            self.advance(&mut share.games);
        }
    }

    fn begin(&self, share: &mut Share<'_, '_, GameSlot<G>>) {
        let new = std::mem::take(&mut share.new);
        share.games.extend(new.into_iter().map(|number| GameSlot::new(number, self.context)));
    }

    /// Brings each of `games` to its next evaluation, with others in the place of those that end, and evaluates.
    fn advance(&mut self, games: &mut Vec<GameSlot<G>>) {
        let mut is_any_new = true;
        while is_any_new {
            games.par_iter_mut().for_each(|game| game.advance(self.context, &self.evaluator));
            is_any_new = false;
            games.retain_mut(|game| {
                let Some(finished) = game.take_finished() else { return true };
                let cost = GameCost { cpu_time: self.counted.elapsed(), cache: game.take_cache_stats() };
                self.counted = ThreadTime::now();
                self.stats.cache += cost.cache;
                self.queue.finish(finished, cost);
                let next = self.queue.next();
                next.into_iter().for_each(|number| game.start_game(number, self.context));
                is_any_new |= next.is_some();
                next.is_some()
            });
        }
        if games.is_empty() {
            return;
        }
        self.batch.clear();
        games.iter_mut().for_each(|game| self.batch.push_swapped(game.leaf_mut()));
        in_stage(Stage::Network, || self.evaluator.evaluate(self.batch.leaves_mut()));
        self.stats.batches.resize(self.stats.batches.len().max(games.len() + 1), 0);
        self.stats.batches[games.len()] += 1;
        games.par_iter_mut().zip(self.batch.leaves().par_iter()).for_each(|(game, leaf)| game.apply(leaf));
    }
}
