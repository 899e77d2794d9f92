//! The fused network as the search's evaluator, on the calling thread.

use std::sync::Arc;

use selfplay_mcts::{LeafBatch, Network};

use super::network::{FusedNetwork, Scratch};
use crate::softmax::{softmax, wdl_softmax};

/// Evaluates leaves with a [`FusedNetwork`]. Clones share the weights; each has its own memory, allocated once.
///
/// An answer depends on the position alone, bit for bit, not on the batch it was computed in.
#[derive(Clone, Debug)]
pub struct FusedEvaluator {
    network: Arc<FusedNetwork>,
    scratch: Box<Scratch>,
}

impl FusedEvaluator {
    /// An evaluator over `network`.
    pub fn new(network: Arc<FusedNetwork>) -> Self {
        FusedEvaluator { scratch: Box::new(network.scratch()), network }
    }
}

impl Network for FusedEvaluator {
    fn game(&self) -> &str {
        self.network.shape().game
    }

    fn id(&self) -> u64 {
        self.network.id()
    }

    fn evaluate_batch(&mut self, batch: &mut dyn LeafBatch) {
        let FusedEvaluator { network, scratch } = self;
        for start in (0..batch.len()).step_by(network.capacity()) {
            let boards = network.capacity().min(batch.len() - start);
            for board in 0..boards {
                network.load(scratch, board, |planes| batch.encode(start + board, planes));
            }
            network.forward(scratch, boards);
            for board in 0..boards {
                let (actions, priors, wdl) = batch.evaluation(start + board);
                network.policy_logits(scratch, board, actions, priors);
                softmax(priors);
                *wdl = wdl_softmax(network.wdl_logits(scratch, board));
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Network> {
        Box::new(self.clone())
    }
}
