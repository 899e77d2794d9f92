//! Deadlines on a clock that the evaluator moves: time is kept, saved where nothing can change, and spent where it helps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use selfplay_env::fixtures::{ConnectFour, Stones};
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{CompleteGame, Game};

use super::evaluators::HashEvaluator;
use crate::{
    CachedEvaluator, Deadline, EvaluationCache, Evaluator, Leaf, Limits, ReadClock, Search, SearchConfig, SearchReport,
    SymmetryUse, TimePlan, WhenCertain, run, run_until,
};

/// Moves the clock by so many microseconds for each batch and for each leaf, and answers with hashes.
struct Costly {
    now_us: Arc<AtomicU64>,
    batch_us: u64,
    leaf_us: u64,
}

impl<G: Game> Evaluator<G> for Costly {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.now_us.fetch_add(self.batch_us + self.leaf_us * leaves.len() as u64, Relaxed);
        HashEvaluator.evaluate(leaves);
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Searches `position` as `plan` says with batches of at most `leaves`, after `earlier_us` were spent otherwise: the
/// report and the time used.
fn searched<G: CompleteGame>(
    position: &G,
    plan: TimePlan,
    when_certain: WhenCertain,
    leaves: usize,
    [batch_us, leaf_us, earlier_us]: [u64; 3],
) -> (SearchReport, Duration) {
    let now_us = Arc::new(AtomicU64::new(5_000_000));
    let hand = now_us.clone();
    let clock: ReadClock = Arc::new(move || Duration::from_micros(hand.load(Relaxed)));
    let mut deadline = Deadline::planned(None, Some(plan), Some(plan), when_certain).on_clock(&clock);
    now_us.fetch_add(earlier_us, Relaxed);
    let mut search = Search::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    search.set_position(position);
    let evaluator = Costly { now_us, batch_us, leaf_us };
    let report = run_until(&mut search, &mut without_memory(evaluator), &mut deadline, leaves);
    (report, deadline.time_used().unwrap())
}

fn without_memory<G: CompleteGame, E: Evaluator<G>>(evaluator: E) -> CachedEvaluator<G, E> {
    CachedEvaluator::new(evaluator, SymmetryUse::Canonical, EvaluationCache::new(0), 0)
}

/// The same for searches without a deadline.
struct WithoutMemory<G, E>(CachedEvaluator<G, E>);

impl<G: CompleteGame, E: Evaluator<G>> Evaluator<G> for WithoutMemory<G, E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.0.evaluate(leaves);
    }
}

fn positions() -> Vec<ConnectFour> {
    let after = |seed| {
        let mut position = ConnectFour::initial();
        play_random(&mut position, 2 + seed as usize % 12, &mut rng_for(&[seed]));
        position
    };
    (0..60).map(after).filter(|position| position.outcome().is_none()).collect()
}

#[test]
fn the_time_is_kept_whatever_evaluations_cost() {
    let position = Stones::pile(1_000_000);
    for leaves in [1, 8, 64] {
        for costs in [[0, 3000, 0], [900, 50, 0], [5000, 1, 40_000], [0, 10, 99_000]] {
            for when_certain in [WhenCertain::Stop, WhenCertain::GoOn] {
                // A batch costs more than the pace expects by no more than what a batch costs beside its leaves.
                let late = Duration::from_micros(costs[0]);
                let plan = TimePlan { planned: ms(100), most: ms(160) };
                let (report, used) = searched(&position, plan, when_certain, leaves, costs);
                assert!(used <= ms(160) + late && report.simulations >= 1, "{costs:?}: {used:?}");
                let exactly = TimePlan::exactly(ms(100));
                let (_, used) = searched(&position, exactly, when_certain, leaves, costs);
                assert!(used <= ms(100) + late, "{costs:?}: {used:?}");
                let is_used_up = when_certain == WhenCertain::GoOn;
                assert!(!is_used_up || used >= ms(90), "{costs:?}: {used:?}");
            }
        }
    }
}

#[test]
fn ending_early_saves_time_and_changes_no_move() {
    let plan = TimePlan::exactly(ms(300));
    let mut ended_early = 0;
    for position in positions() {
        let (full, _) = searched(&position, plan, WhenCertain::GoOn, 1, [0, 500, 0]);
        let (early, used) = searched(&position, plan, WhenCertain::Stop, 1, [0, 500, 0]);
        assert_eq!(early.best(), full.best(), "{}", position.board());
        ended_early += usize::from(used < ms(270));
    }
    assert!(ended_early >= 10, "only {ended_early} searches ended early");
}

#[test]
fn a_wavering_search_takes_longer_and_a_clear_one_does_not() {
    let plan = TimePlan { planned: ms(100), most: ms(160) };
    let used: Vec<Duration> =
        positions().iter().map(|position| searched(position, plan, WhenCertain::Stop, 1, [0, 500, 0]).1).collect();
    let longer = used.iter().filter(|&&used| used > ms(101)).count();
    let shorter = used.iter().filter(|&&used| used < ms(99)).count();
    assert!(longer >= 5 && shorter >= 5, "{longer} longer and {shorter} shorter of {}", used.len());
    assert!(used.iter().all(|&used| used <= ms(160)));
}

#[test]
fn a_limit_of_simulations_alone_is_what_it_was() {
    for position in positions().iter().take(8) {
        let search = |deadline: &mut Deadline| {
            let mut search = Search::new(SearchConfig::default());
            search.set_position(position);
            run_until(&mut search, &mut without_memory(HashEvaluator), deadline, 4)
        };
        let mut expected = Search::new(SearchConfig::default());
        expected.set_position(position);
        let expected =
            run(&mut expected, &mut WithoutMemory(without_memory(HashEvaluator)), &Limits::simulations(150), 4);
        assert_eq!(search(&mut Deadline::planned(Some(150), None, None, WhenCertain::Stop)), expected);
    }
}

#[test]
fn a_pause_divides_a_search_and_changes_nothing() {
    let mut deadline = Deadline::new(&Limits::simulations(101));
    let mut search = Search::<ConnectFour>::new(SearchConfig::default());
    for (share, expected) in [(0.5, 51), (0.5, 51), (0.2, 51), (1.0, 101)] {
        deadline.pause_at(share);
        let report = run_until(&mut search, &mut without_memory(HashEvaluator), &mut deadline, 1);
        assert_eq!(report.simulations, expected);
    }
    let mut whole = Search::<ConnectFour>::new(SearchConfig::default());
    let mut evaluator = WithoutMemory(without_memory(HashEvaluator));
    assert_eq!(search.report(), run(&mut whole, &mut evaluator, &Limits::simulations(101), 1));
}
