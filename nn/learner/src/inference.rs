//! Which path evaluates on which device.

use selfplay_env::{Rules, TensorEncoding};
use selfplay_mcts::{Evaluator, Leaf, Network, Questions};
use selfplay_network::{FusedEvaluator, NetworkWeights, Precision};

use crate::device::DeviceKind;
use crate::evaluator::BurnEvaluator;
use crate::learner_error::LearnerError;
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
    /// An evaluator with `weights`, made for the game of `rules`, on a device; only the fused path has a choice of
    /// precision.
    ///
    /// # Errors
    /// Those of [`DeviceKind::open`] and [`FusedEvaluator::checked`].
    ///
    /// # Panics
    /// If the network was made for another game.
    pub fn new(
        rules: &dyn Rules,
        weights: &NetworkWeights,
        device: DeviceKind,
        precision: Precision,
    ) -> Result<Self, LearnerError> {
        assert_eq!(weights.shape().game, rules.id(), "the network plays another game");
        if device == DeviceKind::Flex {
            return Ok(NetworkEvaluator::Fused(FusedEvaluator::checked(rules, weights, precision)?));
        }
        let device = device.open()?;
        let network = PolicyValueNetwork::of_weights(weights, &device);
        Ok(NetworkEvaluator::Burn(Box::new(BurnEvaluator::new(&network, &device))))
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
