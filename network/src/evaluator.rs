//! The network as the search's evaluator, through Burn's forward pass, on any device.
//!
//! This is the reference path and the one for GPUs; [`fused`](crate::fused) is the fast one for the CPU, and agrees with
//! this one to 1e-4.
//!
//! On the CPU devices Burn splits the work of one forward pass among the threads of the rayon pool it is called in,
//! the global one by default. Workers that should stay on one core each call it inside their own pool of one thread.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::TensorEncoding;
use selfplay_mcts::stages::{Stage, in_stage};
use selfplay_mcts::{Evaluator, Leaf};

use crate::model::PolicyValueNetwork;
use crate::softmax::{masked_softmax, wdl_softmax};

/// Most positions in one forward pass; larger batches are cut, to bound memory.
pub const MAX_FORWARD_BATCH: usize = 1024;

/// Evaluates leaves with a network. Clones share the weights, which never change.
#[derive(Clone, Debug)]
pub struct BurnEvaluator {
    network: PolicyValueNetwork,
    device: Device,
}

impl BurnEvaluator {
    /// An evaluator with a copy of `network` on `device`; nothing is recorded for autodiff.
    pub fn new(network: &PolicyValueNetwork, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        BurnEvaluator { network: network.valid().to_device(&device), device }
    }

    /// The network that evaluates.
    pub fn network(&self) -> &PolicyValueNetwork {
        &self.network
    }

    fn evaluate_at_once<G: TensorEncoding>(&self, leaves: &mut [Leaf<G>]) {
        let mut planes = vec![0.0; leaves.len() * G::ENCODED_LEN];
        for (leaf, planes) in leaves.iter().zip(planes.chunks_exact_mut(G::ENCODED_LEN)) {
            in_stage(Stage::Encoding, || leaf.position.encode(planes));
        }
        let planes = TensorData::new(planes, [leaves.len(), G::PLANES, G::HEIGHT, G::WIDTH]);
        let output = self.network.forward(Tensor::from_data(planes, &self.device));
        let policy = to_host(output.policy_logits);
        let wdl = to_host(output.wdl_logits);
        let (wdl, _) = wdl.as_chunks::<3>();
        for ((leaf, policy), &wdl) in leaves.iter_mut().zip(policy.chunks_exact(G::ACTION_COUNT)).zip(wdl) {
            masked_softmax(policy, &leaf.actions, &mut leaf.priors);
            leaf.wdl = wdl_softmax(wdl);
        }
    }
}

fn to_host(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks compute in f32")
}

impl<G: TensorEncoding> Evaluator<G> for BurnEvaluator {
    /// # Panics
    /// If the network was made for another game.
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        assert_eq!(self.network.shape().game, G::ID, "the network plays another game");
        for leaves in leaves.chunks_mut(MAX_FORWARD_BATCH) {
            self.evaluate_at_once(leaves);
        }
    }
}
