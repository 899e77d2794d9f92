//! Which path evaluates on which device.

use std::sync::Arc;

use burn::tensor::Device;
use selfplay_env::TensorEncoding;
use selfplay_mcts::{Evaluator, Leaf};

use crate::device::DeviceKind;
use crate::evaluator::BurnEvaluator;
use crate::fused::{FusedEvaluator, FusedNetwork, Precision};
use crate::model::PolicyValueNetwork;

/// A network as the search's evaluator: fused on the CPU (`flex`), through Burn on any other device. Clones share the
/// weights.
///
/// On a GPU Burn wants batches as large as memory allows: many games in flight for each worker.
#[derive(Clone, Debug)]
pub enum NetworkEvaluator {
    /// On the calling thread.
    Fused(FusedEvaluator),
    /// Wherever the device computes.
    Burn(Box<BurnEvaluator>),
}

impl NetworkEvaluator {
    /// An evaluator with a copy of `network` on the opened `device`, which is a `kind`; only the fused path has a
    /// choice of precision.
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn new<G: TensorEncoding>(
        network: &PolicyValueNetwork,
        kind: DeviceKind,
        device: &Device,
        precision: Precision,
    ) -> Self {
        assert_eq!(network.shape().game, G::ID, "the network plays another game");
        match kind {
            DeviceKind::Flex => {
                let fused = FusedNetwork::with_precision::<G>(network, precision);
                NetworkEvaluator::Fused(FusedEvaluator::new(Arc::new(fused)))
            }
            _ => NetworkEvaluator::Burn(Box::new(BurnEvaluator::new(network, device))),
        }
    }
}

impl<G: TensorEncoding> Evaluator<G> for NetworkEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        match self {
            NetworkEvaluator::Fused(evaluator) => evaluator.evaluate(leaves),
            NetworkEvaluator::Burn(evaluator) => evaluator.evaluate(leaves),
        }
    }
}
