//! A network in memory as what players are made of.

use std::sync::{Mutex, PoisonError};

use selfplay_env::Rules;
use selfplay_mcts::Network;
use selfplay_network::checkpoint::Bundle;
use selfplay_network::{FusedEvaluator, NetworkError, Precision};
use selfplay_players::{EvalError, NetworkSource};

/// The network of an exported agent. It is opened on the CPU for any checkpoint that a specification names.
#[derive(Debug)]
pub struct BundledNetwork {
    bundle: Bundle,
    precision: Precision,
    threads: usize,
    opened: Mutex<Option<(Precision, FusedEvaluator)>>,
}

impl BundledNetwork {
    /// The network of `bundle`, in `precision` unless a specification says otherwise, whose batches so many threads share out.
    pub fn new(bundle: Bundle, precision: Precision, threads: usize) -> Self {
        BundledNetwork { bundle, precision, threads, opened: Mutex::new(None) }
    }

    fn evaluator(&self, rules: &dyn Rules, precision: Option<&str>) -> Result<FusedEvaluator, NetworkError> {
        let precision = precision.map_or(Ok(self.precision), str::parse)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, evaluator)) = opened.as_ref().filter(|(known, _)| *known == precision) {
            return Ok(evaluator.clone());
        }
        let weights = self.bundle.weights(rules.shape())?;
        let evaluator = FusedEvaluator::from_weights(rules, &weights, precision);
        *opened = Some((precision, evaluator.clone()));
        Ok(evaluator)
    }
}

impl NetworkSource for BundledNetwork {
    fn open(
        &self,
        rules: &dyn Rules,
        checkpoint: &str,
        precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError> {
        match self.evaluator(rules, precision) {
            Ok(evaluator) => Ok((0..self.threads).map(|_| evaluator.clone_box()).collect()),
            Err(error) => Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: Box::new(error) }),
        }
    }
}
