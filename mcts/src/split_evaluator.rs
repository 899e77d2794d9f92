//! One batch on several threads: for a single game, whose batches are all there is to share out.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use selfplay_env::Game;

use crate::evaluator::{Evaluator, Leaf};

/// Several equal evaluators that share out each batch and answer as one of them alone would.
///
/// The shares are evaluated at the same time in the current rayon pool, whose threads wait for work: handing over a
/// share costs microseconds. An evaluator that uses rayon itself finds the same pool.
#[derive(Clone, Debug)]
pub struct SplitEvaluator<E> {
    evaluators: Vec<E>,
}

impl<E> SplitEvaluator<E> {
    /// Shares out batches among `evaluators`, which give the same answers; as many as the pool has threads are enough.
    ///
    /// # Panics
    /// If there is no evaluator.
    pub fn new(evaluators: Vec<E>) -> Self {
        assert!(!evaluators.is_empty(), "somebody must evaluate");
        SplitEvaluator { evaluators }
    }
}

impl<G: Game, E: Evaluator<G> + Send> Evaluator<G> for SplitEvaluator<E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        let share = leaves.len().div_ceil(self.evaluators.len()).max(1);
        if leaves.len() <= share {
            return self.evaluators[0].evaluate(leaves);
        }
        let shares = leaves.par_chunks_mut(share).zip(self.evaluators.par_iter_mut());
        shares.with_max_len(1).for_each(|(leaves, evaluator)| evaluator.evaluate(leaves));
    }
}
