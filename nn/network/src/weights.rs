//! All numbers of a network: the tensors of its plan by name, as checkpoints hold them. What computes is made from this, on
//! whatever device.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};
use selfplay_env::rng::rng_for;
use selfplay_env::{FinalState, GameShape};

use crate::config::NetworkConfig;
use crate::error::NetworkError;
use crate::plan::Plan;
use crate::tensor_file::NamedTensor;
use crate::tensor_plan::{Beginning, PlannedTensor};

/// Stream of the run's seed that initial weights come from: "weights" in ASCII.
const WEIGHT_STREAM: u64 = 0x0077_6569_6768_7473;

/// The numbers of a network of one make for one game.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkWeights {
    shape: GameShape,
    config: NetworkConfig,
    plan: Arc<Plan>,
    /// In the plan's order.
    tensors: Vec<NamedTensor>,
    /// Where each is in `tensors`.
    places: BTreeMap<String, usize>,
}

impl NetworkWeights {
    /// Fresh weights, a function of `seed`, the same on every machine.
    ///
    /// Convolutions start with He's normal weights, output layers with a tenth of that (a hair from uniform priors
    /// and values), biases with zero, norms with the identity.
    ///
    /// # Errors
    /// [`NetworkError::InvalidKey`]; [`NetworkError::NoFinalState`] if the config asks for a head that the game has
    /// no target for.
    pub fn fresh(shape: GameShape, config: NetworkConfig, seed: u64) -> Result<Self, NetworkError> {
        let plan = planned(&shape, &config)?;
        let mut rng = rng_for(&[seed, WEIGHT_STREAM]);
        let tensors = plan.tensors().into_iter().map(|PlannedTensor { name, shape, beginning }| {
            let count = shape.iter().product();
            let values = match beginning {
                Beginning::Constant(number) => vec![number; count],
                Beginning::Normal { deviation } => {
                    let mut draw = || -> f32 { StandardNormal.sample(&mut rng) };
                    (0..count).map(|_| deviation * draw()).collect()
                }
            };
            NamedTensor { name, shape, values }
        });
        let tensors = tensors.collect();
        Ok(NetworkWeights::placed(shape, config, plan, tensors))
    }

    /// The numbers of `tensors`, which come in any order.
    ///
    /// # Errors
    /// Those of [`fresh`](Self::fresh); [`NetworkError::UnfitWeights`] with the tensor that is missing, too much or of
    /// another shape.
    pub fn from_tensors(
        shape: GameShape,
        config: NetworkConfig,
        tensors: Vec<NamedTensor>,
    ) -> Result<Self, NetworkError> {
        let plan = planned(&shape, &config)?;
        let unfit = |reason: String| NetworkError::UnfitWeights { reason };
        let mut given: BTreeMap<String, NamedTensor> =
            tensors.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
        let mut fitting = Vec::new();
        for PlannedTensor { name, shape, .. } in plan.tensors() {
            let tensor = given.remove(&name).ok_or_else(|| unfit(format!("`{name}` is missing")))?;
            if tensor.shape != shape {
                return Err(unfit(format!("`{name}` has shape {:?}, not {shape:?}", tensor.shape)));
            }
            fitting.push(tensor);
        }
        match given.into_keys().next() {
            Some(name) => Err(unfit(format!("it has no tensor `{name}`"))),
            None => Ok(NetworkWeights::placed(shape, config, plan, fitting)),
        }
    }

    fn placed(shape: GameShape, config: NetworkConfig, plan: Plan, tensors: Vec<NamedTensor>) -> Self {
        let places = tensors.iter().enumerate().map(|(place, tensor)| (tensor.name.clone(), place)).collect();
        NetworkWeights { shape, config, plan: Arc::new(plan), tensors, places }
    }

    /// The game's tensor sizes.
    pub fn shape(&self) -> &GameShape {
        &self.shape
    }

    /// Size and make.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// The network's layers.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// All trained weights and running statistics, in the plan's order.
    pub fn tensors(&self) -> &[NamedTensor] {
        &self.tensors
    }

    /// All numbers in the plan's order, `[weight_count]`.
    pub fn to_vector(&self) -> Vec<f32> {
        self.tensors.iter().flat_map(|tensor| &tensor.values).copied().collect()
    }

    /// A network of the same make with other numbers, in the order of [`to_vector`](Self::to_vector).
    ///
    /// # Panics
    /// If there are not as many.
    pub fn with_vector(&self, numbers: &[f32]) -> Self {
        let mut network = self.clone();
        let mut rest = numbers;
        for tensor in &mut network.tensors {
            let (values, others) = rest.split_at(tensor.values.len());
            tensor.values.copy_from_slice(values);
            rest = others;
        }
        assert!(rest.is_empty(), "the vector belongs to another network");
        network
    }

    /// The numbers of the tensor called `name`, row-major.
    ///
    /// # Panics
    /// If the plan has no such tensor.
    pub fn numbers(&self, name: &str) -> &[f32] {
        let &place = self.places.get(name).unwrap_or_else(|| panic!("the network has no tensor `{name}`"));
        &self.tensors[place].values
    }
}

/// The layers, if there can be such a network.
fn planned(shape: &GameShape, config: &NetworkConfig) -> Result<Plan, NetworkError> {
    config.validate()?;
    if config.auxiliary.final_state && shape.final_state == FinalState::None {
        return Err(NetworkError::NoFinalState { game: shape.game });
    }
    Ok(Plan::new(shape, config))
}
