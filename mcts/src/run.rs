//! One game searched until a limit: the loop behind a move in play and in matches.

use selfplay_env::{Symmetric, Tactics};

use crate::cached_evaluator::CachedEvaluator;
use crate::deadline::Deadline;
use crate::evaluator::{Batch, Evaluator, Leaf};
use crate::limits::Limits;
use crate::report::SearchReport;
use crate::search::Search;

/// Searches the current position until a limit is reached or [`Search::is_decided`], and reports.
///
/// The caller has begun the move ([`Search::start_move`], [`Search::set_position`] or [`Search::advance`]). At most
/// `leaves_per_gather` leaves (at least one) are evaluated at once. The simulation limit is never exceeded. Under a
/// limit of time the first batch is a single leaf and always evaluated, so that the move chosen rests on an evaluation;
/// later batches shrink to what the time left allows, by what those before them took.
pub fn run<G: Tactics, E: Evaluator<G> + ?Sized>(
    search: &mut Search<G>,
    evaluator: &mut E,
    limits: &Limits,
    leaves_per_gather: usize,
) -> SearchReport {
    let evaluate = |leaves: &mut [Leaf<G>]| {
        evaluator.evaluate(leaves);
        leaves.len()
    };
    search_until(search, evaluate, &mut Deadline::new(limits), leaves_per_gather)
}

/// Like [`run`], until `deadline`, which may have run for a while already. To resume after a pause, call it again.
///
/// Cached evaluations are not computed again. That saves time and changes nothing else: a search without a time limit
/// is bit-identical, whatever the cache holds.
pub fn run_until<G: Tactics + Symmetric, E: Evaluator<G>>(
    search: &mut Search<G>,
    evaluator: &mut CachedEvaluator<G, E>,
    deadline: &mut Deadline,
    leaves_per_gather: usize,
) -> SearchReport {
    search_until(search, |leaves| evaluator.evaluate_unknown(leaves), deadline, leaves_per_gather)
}

/// `evaluate` answers leaves and returns for how many of them it took time.
fn search_until<G: Tactics>(
    search: &mut Search<G>,
    mut evaluate: impl FnMut(&mut [Leaf<G>]) -> usize,
    deadline: &mut Deadline,
    leaves_per_gather: usize,
) -> SearchReport {
    deadline.resume();
    let mut batch = Batch::new();
    while !search.is_decided() {
        let most_leaves = leaves_per_gather.max(1).min(deadline.room(search));
        if most_leaves == 0 {
            break;
        }
        batch.clear();
        let before = search.simulations();
        search.gather(most_leaves, &mut batch);
        let evaluated = evaluate(batch.leaves_mut());
        search.apply(batch.leaves());
        deadline.lap(evaluated, search.simulations() - before);
    }
    search.report()
}
