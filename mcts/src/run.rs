//! One game searched until a limit: the loop behind a move in play and in matches.

use selfplay_env::Game;

use crate::evaluator::{Batch, Evaluator};
use crate::limits::{Limits, Stopwatch};
use crate::report::SearchReport;
use crate::search::Search;

/// Searches the current position until a limit is reached or [`Search::is_decided`], and reports.
///
/// The caller has begun the move ([`Search::start_move`], [`Search::set_position`] or [`Search::advance`]). At most
/// `leaves_per_gather` leaves (at least one) are evaluated at once. The simulation limit is never exceeded. Under a
/// limit of time the first batch is a single leaf and always evaluated, so that the move chosen rests on an evaluation;
/// later batches shrink to what the time left allows, by what those before them took.
pub fn run<G: Game, E: Evaluator<G> + ?Sized>(
    search: &mut Search<G>,
    evaluator: &mut E,
    limits: &Limits,
    leaves_per_gather: usize,
) -> SearchReport {
    let mut stopwatch = Stopwatch::start(limits);
    let mut batch = Batch::new();
    while !search.is_decided() {
        let room = limits.simulations.map_or(usize::MAX, |limit| limit.saturating_sub(search.simulations()) as usize);
        let most_leaves = leaves_per_gather.max(1).min(room).min(stopwatch.room());
        if most_leaves == 0 {
            break;
        }
        batch.clear();
        let leaves = search.gather(most_leaves, &mut batch);
        if leaves > 0 {
            evaluator.evaluate(batch.leaves_mut());
            search.apply(batch.leaves());
        }
        stopwatch.lap(leaves);
    }
    search.report()
}
