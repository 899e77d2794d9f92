//! The fused network as the search's evaluator, on the calling thread.

use std::sync::Arc;

use selfplay_env::TensorEncoding;
use selfplay_mcts::stages::{Stage, in_stage};
use selfplay_mcts::{Evaluator, Leaf};

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

impl<G: TensorEncoding> Evaluator<G> for FusedEvaluator {
    /// # Panics
    /// If the network was made for another game.
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        let FusedEvaluator { network, scratch } = self;
        assert_eq!(network.shape().game, G::ID, "the network plays another game");
        for leaves in leaves.chunks_mut(network.capacity()) {
            for (board, leaf) in leaves.iter().enumerate() {
                network.load(scratch, board, |planes| in_stage(Stage::Encoding, || leaf.position.encode(planes)));
            }
            network.forward(scratch, leaves.len());
            for (board, leaf) in leaves.iter_mut().enumerate() {
                network.policy_logits(scratch, board, &leaf.actions, &mut leaf.priors);
                softmax(&mut leaf.priors);
                leaf.wdl = wdl_softmax(network.wdl_logits(scratch, board));
            }
        }
    }
}
