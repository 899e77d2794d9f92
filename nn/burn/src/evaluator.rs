//! The network as the search's evaluator, through Burn's forward pass, on any device.
//!
//! This is the reference path and the one for GPUs; [`fused`](selfplay_network::fused) is the fast one for the CPU, and agrees with
//! this one to 1e-4.
//!
//! On the CPU devices Burn splits the work of one forward pass among the threads of the rayon pool it is called in,
//! the global one by default. Workers that should stay on one core each call it inside their own pool of one thread.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::rng::derive_seed;
use selfplay_mcts::{LeafBatch, Network};
use selfplay_network::softmax::{masked_softmax, wdl_softmax};

use crate::model::PolicyValueNetwork;

/// Most positions in one forward pass; larger batches are cut, to bound memory.
pub const MAX_FORWARD_BATCH: usize = 1024;

/// Keeps the numbers of these evaluators apart from those of other networks.
const EVALUATOR_STREAM: u64 = 0xB042;

/// Evaluates leaves with a network. Clones share the weights, which never change.
#[derive(Clone, Debug)]
pub struct BurnEvaluator {
    network: PolicyValueNetwork,
    device: Device,
    id: u64,
}

/// How many evaluators there were.
static EVALUATORS: AtomicU64 = AtomicU64::new(0);

impl BurnEvaluator {
    /// An evaluator with a copy of `network` on `device`; nothing is recorded for autodiff.
    pub fn new(network: &PolicyValueNetwork, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        // What it answers depends on the device as well, so that no other has its number.
        let id = derive_seed(&[EVALUATOR_STREAM, EVALUATORS.fetch_add(1, Ordering::Relaxed)]);
        BurnEvaluator { network: network.valid().to_device(&device), device, id }
    }

    /// The network that evaluates.
    pub fn network(&self) -> &PolicyValueNetwork {
        &self.network
    }

    fn evaluate_at_once(&self, batch: &mut dyn LeafBatch, numbers: Range<usize>) {
        let shape = self.network.shape();
        let mut planes = vec![0.0; numbers.len() * shape.encoded_len()];
        for (leaf, planes) in numbers.clone().zip(planes.chunks_exact_mut(shape.encoded_len())) {
            batch.encode(leaf, planes);
        }
        let planes = TensorData::new(planes, [numbers.len(), shape.planes, shape.height, shape.width]);
        let output = self.network.forward(Tensor::from_data(planes, &self.device));
        let policy = to_host(output.policy_logits);
        let wdl = to_host(output.wdl_logits);
        let (wdl, _) = wdl.as_chunks::<3>();
        for ((leaf, policy), &logits) in numbers.zip(policy.chunks_exact(shape.action_count)).zip(wdl) {
            let (actions, priors, wdl) = batch.evaluation(leaf);
            masked_softmax(policy, actions, priors);
            *wdl = wdl_softmax(logits);
        }
    }
}

fn to_host(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks compute in f32")
}

impl Network for BurnEvaluator {
    fn game(&self) -> &str {
        self.network.shape().game
    }

    fn id(&self) -> u64 {
        self.id
    }

    fn evaluate_batch(&mut self, batch: &mut dyn LeafBatch) {
        let count = batch.len();
        for start in (0..count).step_by(MAX_FORWARD_BATCH) {
            self.evaluate_at_once(batch, start..count.min(start + MAX_FORWARD_BATCH));
        }
    }

    fn clone_box(&self) -> Box<dyn Network> {
        Box::new(self.clone())
    }
}
