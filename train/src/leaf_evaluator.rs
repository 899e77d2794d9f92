//! How the leaves of an actor's games are evaluated: together in one batch, and each position only once.

use selfplay_env::Advice;
use selfplay_mcts::stages::{Stage, in_stage};
use selfplay_mcts::{Batch, CacheStats, EvaluationCache, Evaluator, Leaf, Search};

/// An evaluator with the batch and the cache of one range of games.
pub(crate) struct LeafEvaluator<'a, G, E> {
    evaluator: &'a mut E,
    cache: EvaluationCache,
    batch: Batch<G>,
}

impl<'a, G: Advice, E: Evaluator<G>> LeafEvaluator<'a, G, E> {
    /// An empty batch and an empty cache of `cache_mib` MiB.
    pub(crate) fn new(evaluator: &'a mut E, cache_mib: u32) -> Self {
        LeafEvaluator { evaluator, cache: EvaluationCache::new(cache_mib), batch: Batch::new() }
    }

    /// Starts the next batch.
    pub(crate) fn start_batch(&mut self) {
        self.batch.clear();
    }

    /// Runs one simulation of `search`. Returns whether its leaf is unknown and now the last of the batch.
    pub(crate) fn gather(&mut self, search: &mut Search<G>) -> bool {
        search.gather_unknown(&mut self.cache, &mut self.batch)
    }

    /// Evaluates the batch and returns its leaves in the order in which they were gathered.
    pub(crate) fn evaluate(&mut self) -> &[Leaf<G>] {
        in_stage(Stage::Network, || self.evaluator.evaluate(self.batch.leaves_mut()));
        for leaf in self.batch.leaves() {
            self.cache.insert(leaf.position.evaluation_key(), leaf);
        }
        self.batch.leaves()
    }

    /// How often the cache was asked, and how often it knew the answer.
    pub(crate) fn cache_stats(&self) -> CacheStats {
        self.cache.stats()
    }
}
