//! Which path evaluates on which device.

use std::sync::Arc;

use burn::tensor::Device;
use selfplay_env::{Rules, TensorEncoding};
use selfplay_mcts::{Evaluator, Leaf, Network, Questions};

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
    /// An evaluator with a copy of `network`, made for the game of `rules`, on the opened `device`, which is a `kind`;
    /// only the fused path has a choice of precision.
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn new(
        rules: &dyn Rules,
        network: &PolicyValueNetwork,
        kind: DeviceKind,
        device: &Device,
        precision: Precision,
    ) -> Self {
        assert_eq!(network.shape().game, rules.id(), "the network plays another game");
        match kind {
            DeviceKind::Flex => {
                let fused = FusedNetwork::with_precision(rules, network, precision);
                NetworkEvaluator::Fused(FusedEvaluator::new(Arc::new(fused)))
            }
            _ => NetworkEvaluator::Burn(Box::new(BurnEvaluator::new(network, device))),
        }
    }
}

impl Network for NetworkEvaluator {
    fn game(&self) -> &str {
        match self {
            NetworkEvaluator::Fused(evaluator) => evaluator.game(),
            NetworkEvaluator::Burn(evaluator) => evaluator.game(),
        }
    }

    fn judge(&mut self, questions: &mut dyn Questions) {
        match self {
            NetworkEvaluator::Fused(evaluator) => evaluator.judge(questions),
            NetworkEvaluator::Burn(evaluator) => evaluator.judge(questions),
        }
    }

    fn another(&self) -> Box<dyn Network> {
        Box::new(self.clone())
    }
}

impl<G: TensorEncoding> Evaluator<G> for NetworkEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        (self as &mut dyn Network).evaluate(leaves);
    }
}
