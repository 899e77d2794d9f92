//! The cache of evaluations: exact answers, bounded memory, the oldest forgotten first.

use selfplay_env::Game;
use selfplay_env::fixtures::{ConnectFour, InARow, Put};
use selfplay_env::rng::{RngExt, rng_for};

use super::evaluators::HashEvaluator;
use crate::{Batch, CacheStats, Deadline, EvaluationCache, Evaluator, Leaf, Limits, Search, SearchConfig, run_until};

/// Up to 64 actions.
type Wide = InARow<Put, 8, 8, 5>;

/// `count` different running positions of random games, evaluated.
fn evaluated<G: Game>(count: usize) -> Batch<G> {
    let mut rng = rng_for(&[5]);
    let mut seen = std::collections::HashSet::new();
    let (mut batch, mut actions, mut position) = (Batch::new(), Vec::new(), G::initial());
    while batch.len() < count {
        if position.outcome().is_some() {
            position = G::initial();
        }
        if seen.insert(position.evaluation_key()) {
            batch.push(&position);
        }
        position.distinct_actions(&mut actions);
        position.play(actions[rng.random_range(0..actions.len())]);
    }
    HashEvaluator.evaluate(batch.leaves_mut());
    batch
}

fn remember<G: Game>(cache: &mut EvaluationCache, batch: &Batch<G>) {
    for leaf in batch.leaves() {
        cache.insert(leaf.position.evaluation_key(), leaf);
    }
}

/// For each leaf of `batch` whether it is known; known answers are checked bit for bit.
fn known<G: Game>(cache: &mut EvaluationCache, batch: &Batch<G>) -> Vec<bool> {
    let mut asked = Batch::new();
    let check = |expected: &Leaf<G>| {
        asked.clear();
        let leaf = asked.push(&expected.position);
        let is_known = cache.lookup(leaf.position.evaluation_key(), leaf);
        if is_known {
            assert_eq!((leaf.wdl, &leaf.priors), (expected.wdl, &expected.priors));
        }
        is_known
    };
    batch.leaves().iter().map(check).collect()
}

#[test]
fn what_is_remembered_comes_back_bit_for_bit() {
    let batch = evaluated::<Wide>(500);
    let mut cache = EvaluationCache::new(1);
    assert!(known(&mut cache, &batch).iter().all(|known| !known));
    remember(&mut cache, &batch);
    assert!(known(&mut cache, &batch).iter().all(|&known| known));
    assert_eq!(cache.stats(), CacheStats { lookups: 1000, hits: 500 });
    assert_eq!(cache.stats().hit_rate(), 0.5);
    cache.clear();
    assert!(known(&mut cache, &batch).iter().all(|known| !known));
}

#[test]
fn memory_is_bounded_and_the_newest_answers_stay() {
    fn newest_stay<G: Game>(count: usize, most: usize) {
        let batch = evaluated::<G>(count);
        let mut cache = EvaluationCache::new(1);
        let bytes = cache.bytes();
        assert!(bytes <= 1 << 20 && bytes > (1 << 20) - 64, "{bytes} bytes");
        remember(&mut cache, &batch);
        assert_eq!(cache.bytes(), bytes);
        let known = known(&mut cache, &batch);
        let known_count = known.iter().filter(|&&known| known).count();
        assert!((most / 2..=most).contains(&known_count), "{known_count} of {count}");
        let newest = &known[count - most / 4..];
        let lost = newest.iter().filter(|&&known| !known).count();
        assert!(lost * 50 <= newest.len(), "{lost} of the newest {} are lost", newest.len());
    }
    // No more answers than fit into a mebibyte: 24 bytes and 4 for each of 7 or of some 45 priors.
    newest_stay::<ConnectFour>(60_000, (1 << 20) / 52);
    newest_stay::<Wide>(10_000, (1 << 20) / 204);
}

#[test]
fn an_answer_for_other_moves_is_none() {
    let batch = evaluated::<ConnectFour>(2);
    let mut cache = EvaluationCache::new(1);
    cache.insert(7, &batch.leaves()[0]);
    let mut asked = Batch::<Wide>::new();
    assert!(!cache.lookup(7, asked.push(&Wide::initial())));
}

#[test]
fn a_cache_of_no_size_remembers_nothing() {
    let batch = evaluated::<ConnectFour>(10);
    let mut cache = EvaluationCache::new(0);
    remember(&mut cache, &batch);
    assert!(known(&mut cache, &batch).iter().all(|known| !known));
    assert_eq!((cache.bytes(), cache.stats()), (0, CacheStats::default()));
}

/// Counts the positions that it is asked about, and answers with hashes.
#[derive(Default)]
struct Counting(usize);

impl<G: Game> Evaluator<G> for Counting {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.0 += leaves.len();
        HashEvaluator.evaluate(leaves);
    }
}

#[test]
fn only_what_is_not_known_is_evaluated_and_every_leaf_gets_its_own_answer() {
    let expected = evaluated::<ConnectFour>(100);
    let mut cache = EvaluationCache::new(1);
    for leaf in expected.leaves().iter().filter(|leaf| leaf.position.position_hash() % 3 == 0) {
        cache.insert(leaf.position.evaluation_key(), leaf);
    }
    let known = known(&mut cache, &expected).into_iter().filter(|&known| known).count();
    assert!((10..90).contains(&known));

    let mut asked = Batch::new();
    for leaf in expected.leaves() {
        asked.push(&leaf.position);
    }
    let mut evaluator = Counting::default();
    for evaluations in [100 - known, 0] {
        asked.leaves_mut().iter_mut().for_each(|leaf| leaf.priors.clear());
        assert_eq!(cache.evaluate(&mut evaluator, asked.leaves_mut()), evaluations);
        assert_eq!(evaluator.0, 100 - known);
        for (leaf, expected) in asked.leaves().iter().zip(expected.leaves()) {
            assert_eq!((&leaf.position, leaf.wdl, &leaf.priors), (&expected.position, expected.wdl, &expected.priors));
        }
    }
}

#[test]
fn a_search_is_the_same_with_a_cache_and_asks_less() {
    let searched = |cache: &mut EvaluationCache| {
        let mut evaluator = Counting::default();
        let mut search = Search::<ConnectFour>::new(SearchConfig::default());
        let mut deadline = Deadline::new(&Limits::simulations(2000));
        let report = run_until(&mut search, &mut evaluator, cache, &mut deadline, 8);
        (report, evaluator.0)
    };
    let (alone, all) = searched(&mut EvaluationCache::new(0));
    let mut cache = EvaluationCache::new(4);
    let (cached, fewer) = searched(&mut cache);
    assert_eq!(cached, alone);
    assert!(fewer < all, "{fewer} of {all}");
    assert_eq!(searched(&mut cache), (alone, 0));
}
