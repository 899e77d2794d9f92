//! The cache of evaluations: exact answers, bounded memory, the oldest forgotten first.

use selfplay_env::Game;
use selfplay_env::fixtures::{ConnectFour, InARow, Put};
use selfplay_env::rng::{RngExt, rng_for};

use super::evaluators::{Counting, HashEvaluator};
use crate::{
    Batch, CachedEvaluator, Deadline, EvaluationCache, Evaluator, Leaf, Limits, Search, SearchConfig, SymmetryUse,
    run_until,
};

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

fn remember<G: Game>(cache: &EvaluationCache, batch: &Batch<G>) {
    for leaf in batch.leaves() {
        cache.insert(leaf.position.evaluation_key(), leaf);
    }
}

/// For each leaf of `batch` whether it is known; known answers are checked bit for bit.
fn known<G: Game>(cache: &EvaluationCache, batch: &Batch<G>) -> Vec<bool> {
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
    let cache = EvaluationCache::new(1);
    assert!(known(&cache, &batch).iter().all(|known| !known));
    remember(&cache, &batch);
    assert!(known(&cache, &batch).iter().all(|&known| known));
}

#[test]
fn memory_is_bounded_and_the_newest_answers_stay() {
    fn newest_stay<G: Game>(count: usize, most: usize) {
        let batch = evaluated::<G>(count);
        let cache = EvaluationCache::new(1);
        let bytes = cache.bytes();
        assert!(bytes <= 1 << 20 && bytes > (1 << 20) - 64, "{bytes} bytes");
        remember(&cache, &batch);
        assert_eq!(cache.bytes(), bytes);
        let known = known(&cache, &batch);
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
    let cache = EvaluationCache::new(1);
    cache.insert(7, &batch.leaves()[0]);
    let mut asked = Batch::<Wide>::new();
    assert!(!cache.lookup(7, asked.push(&Wide::initial())));
}

#[test]
fn a_cache_of_no_size_remembers_nothing() {
    let batch = evaluated::<ConnectFour>(10);
    let cache = EvaluationCache::new(0);
    remember(&cache, &batch);
    assert!(known(&cache, &batch).iter().all(|known| !known));
    assert_eq!((cache.bytes(), cache.is_on()), (0, false));
}

#[test]
fn only_what_is_not_known_is_evaluated_and_every_leaf_gets_its_own_answer() {
    let mut expected = evaluated::<ConnectFour>(100);
    CachedEvaluator::new(HashEvaluator, SymmetryUse::Canonical, EvaluationCache::new(0), 5)
        .evaluate(expected.leaves_mut());
    let mut counting = Counting::default();
    let mut evaluator = CachedEvaluator::new(&mut counting, SymmetryUse::Canonical, EvaluationCache::new(1), 5);
    let mut some = expected.leaves().to_vec();
    some.retain(|leaf| leaf.position.position_hash() % 3 == 0);
    let known = some.len();
    assert!((10..90).contains(&known));
    evaluator.evaluate(&mut some);

    let mut asked = Batch::new();
    for leaf in expected.leaves() {
        asked.push(&leaf.position);
    }
    for evaluations in [100 - known, 0] {
        asked.leaves_mut().iter_mut().for_each(|leaf| leaf.priors.clear());
        assert_eq!(evaluator.evaluate_unknown(asked.leaves_mut()), evaluations);
        for (leaf, expected) in asked.leaves().iter().zip(expected.leaves()) {
            assert_eq!((&leaf.position, leaf.wdl, &leaf.priors), (&expected.position, expected.wdl, &expected.priors));
        }
    }
    assert_eq!(counting.evaluations, 100);
}

#[test]
fn those_who_share_a_cache_keep_apart_by_their_numbers() {
    let cache = EvaluationCache::new(1);
    let of = |number| CachedEvaluator::new(HashEvaluator, SymmetryUse::Canonical, cache.clone(), number);
    let mut leaves = evaluated::<ConnectFour>(3).leaves().to_vec();
    of(1).evaluate(&mut leaves);
    assert!(leaves.iter_mut().all(|leaf| of(1).look_up(leaf) && !of(2).look_up(leaf)));
}

#[test]
fn a_search_is_the_same_with_a_cache_and_asks_less() {
    let searched = |cache: &EvaluationCache| {
        let mut counting = Counting::default();
        let mut evaluator = CachedEvaluator::new(&mut counting, SymmetryUse::Canonical, cache.clone(), 0);
        let mut search = Search::<ConnectFour>::new(SearchConfig::default());
        let mut deadline = Deadline::new(&Limits::simulations(2000));
        let report = run_until(&mut search, &mut evaluator, &mut deadline, 8);
        (report, counting.evaluations)
    };
    let (alone, all) = searched(&EvaluationCache::new(0));
    let cache = EvaluationCache::new(4);
    let (cached, fewer) = searched(&cache);
    assert_eq!(cached, alone);
    assert!(fewer < all, "{fewer} of {all}");
    assert_eq!(searched(&cache), (alone, 0));
}
