//! Batches shared out over threads, and batches that stay full.

use std::sync::Barrier;

use selfplay_env::Game;
use selfplay_env::fixtures::ConnectFour;

use super::consistency::check_tree;
use super::evaluators::HashEvaluator;
use crate::{
    Batch, Evaluator, Exploration, Leaf, Limits, Search, SearchConfig, SplitEvaluator, TacticsDepth, UniformEvaluator,
    run,
};

/// Answers like [`HashEvaluator`], once all others evaluate as well.
struct InStep<'a>(&'a Barrier);

impl<G: Game> Evaluator<G> for InStep<'_> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.0.wait();
        HashEvaluator.evaluate(leaves);
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn a_split_batch_is_evaluated_at_the_same_time() {
    let barrier = Barrier::new(3);
    let mut split = SplitEvaluator::new((0..3).map(|_| InStep(&barrier)).collect());
    let mut batch = Batch::new();
    for _ in 0..7 {
        batch.push(&ConnectFour::initial());
    }
    // Ends only if all three wait together.
    pool(3).install(|| split.evaluate(batch.leaves_mut()));
    assert!(batch.leaves().iter().all(|leaf| leaf.priors.len() == 7));
}

#[test]
fn a_split_search_is_the_search() {
    let report = |evaluator: &mut (dyn Evaluator<ConnectFour> + Send), leaves: usize| {
        let mut search = Search::<ConnectFour>::new(SearchConfig::default());
        pool(2).install(|| run(&mut search, evaluator, &Limits::simulations(500), leaves))
    };
    for leaves in [1, 2, 5, 32] {
        let alone = report(&mut HashEvaluator, leaves);
        for evaluators in [1, 2, 3] {
            let mut split = SplitEvaluator::new((0..evaluators).map(|_| HashEvaluator).collect());
            assert_eq!(report(&mut split, leaves), alone, "{leaves} leaves, {evaluators} evaluators");
        }
    }
}

#[test]
fn batches_stay_nearly_full_despite_collisions() {
    // No tactics: the known ends that it sees need no evaluation and leave gaps in batches.
    let mut search = Search::<ConnectFour>::new(SearchConfig { tactics: TacticsDepth::Off, ..SearchConfig::default() });
    let mut batch = Batch::new();
    // A sharp policy leads simulation after simulation to the same leaves.
    let (mut gathers, mut leaves) = (0, 0);
    run(&mut search, &mut Sharp, &Limits::simulations(100), 1);
    while search.simulations() < 2000 {
        batch.clear();
        leaves += search.gather(16, &mut batch);
        gathers += 1;
        Sharp.evaluate(batch.leaves_mut());
        search.apply(batch.leaves());
    }
    check_tree(&search);
    assert!(leaves > 12 * gathers, "{leaves} leaves in {gathers} gathers of at most 16");
    // Given up, nothing of leaves and collisions stays.
    batch.clear();
    search.gather(16, &mut batch);
    search.start_move(Exploration::Off);
    check_tree(&search);
}

/// Almost sure of the first move everywhere.
struct Sharp;

impl<G: Game> Evaluator<G> for Sharp {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        UniformEvaluator.evaluate(leaves);
        for leaf in leaves {
            leaf.priors.iter_mut().for_each(|prior| *prior *= 0.05);
            leaf.priors[0] += 0.95;
        }
    }
}
