//! A search in steady state allocates nothing: every allocation of this program is counted.

// A global allocator cannot be written otherwise; this one only counts and passes on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use selfplay_connect4::Connect4;
use selfplay_env::CompleteGame;
use selfplay_env::rng::rng_for;
use selfplay_mcts::{
    Batch, BelowRoot, CachedEvaluator, EvaluationCache, Exploration, GumbelConfig, RootSearch, Search, SearchConfig,
    SymmetryUse, UniformEvaluator,
};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pylos::Pylos;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is the system allocator's, with the caller's arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SIMULATIONS: u32 = 1000;

/// Simulates until the move has `simulations`, `leaves` at once, with a cache.
fn simulate<G: CompleteGame>(
    search: &mut Search<G>,
    evaluator: &mut CachedEvaluator<G, UniformEvaluator>,
    batch: &mut Batch<G>,
    simulations: u32,
    leaves: usize,
) {
    while search.simulations() < simulations {
        batch.clear();
        search.gather(leaves, batch);
        evaluator.evaluate_unknown(batch.leaves_mut());
        search.apply(batch.leaves());
    }
}

/// Allocations of two equal searches from the initial position, cold and warm.
fn allocations_cold_and_warm<G: CompleteGame>(config: SearchConfig, leaves: usize) -> [usize; 2] {
    let mut search = Search::<G>::new(config);
    let mut evaluator = CachedEvaluator::new(UniformEvaluator, SymmetryUse::Canonical, EvaluationCache::new(1), 0);
    let mut batch = Batch::new();
    [(); 2].map(|()| {
        search.set_position(&G::initial());
        search.start_move(Exploration::On { simulations: SIMULATIONS, rng: &mut rng_for(&[1]) });
        // The root's noise, mixed in with its first evaluation, belongs to the move and not to a simulation.
        simulate(&mut search, &mut evaluator, &mut batch, 1, leaves);
        let before = ALLOCATIONS.get();
        simulate(&mut search, &mut evaluator, &mut batch, SIMULATIONS, leaves);
        ALLOCATIONS.get() - before
    })
}

#[test]
fn a_thousand_warm_simulations_allocate_nothing() {
    fn check<G: CompleteGame>(leaves: usize) {
        let gumbel = GumbelConfig { below_root: BelowRoot::ImprovedPolicy, ..GumbelConfig::default() };
        let configs = [
            SearchConfig::default(),
            SearchConfig { forced_playouts_k: 2.0, ..SearchConfig::default() },
            SearchConfig { root: RootSearch::Gumbel(gumbel), ..SearchConfig::default() },
        ];
        for config in configs {
            let [cold, warm] = allocations_cold_and_warm::<G>(config.clone(), leaves);
            assert!(cold > 0, "{}: the arenas grow at first, and that is counted", G::spec().id);
            assert_eq!(warm, 0, "{}, {leaves} leaves at once, {config:?}", G::spec().id);
        }
    }
    for leaves in [1, 8] {
        check::<Connect4>(leaves);
        check::<PentagoSwap>(leaves);
        check::<Pylos>(leaves);
    }
}
