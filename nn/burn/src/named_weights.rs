//! A network's numbers by name: out of the modules and into them.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::GameShape;
use selfplay_network::{NamedTensor, NetworkConfig, NetworkError, NetworkWeights};

use crate::model::PolicyValueNetwork;

impl PolicyValueNetwork {
    /// A network with fresh weights ([`NetworkWeights::fresh`]), on `device` without autodiff.
    ///
    /// # Errors
    /// Those of [`NetworkWeights::fresh`].
    pub fn new(shape: GameShape, config: NetworkConfig, seed: u64, device: &Device) -> Result<Self, NetworkError> {
        Ok(Self::from_weights(&NetworkWeights::fresh(shape, config, seed)?, device))
    }

    /// A network with these weights, on `device` without autodiff.
    pub fn from_weights(weights: &NetworkWeights, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        let network = Self::planned(weights, &device);
        network.map(&mut Applier { device, path: Vec::new(), weights })
    }

    /// All trained weights and running statistics.
    pub fn weights(&self) -> NetworkWeights {
        let mut collector = Collector::default();
        // `valid` also settles running statistics that the last forward pass in training mode left pending.
        self.valid().visit(&mut collector);
        NetworkWeights::from_tensors(*self.shape(), self.config().clone(), collector.tensors)
            .expect("the modules have the tensors of their plan")
    }
}

#[derive(Default)]
struct Collector {
    path: Vec<String>,
    tensors: Vec<NamedTensor>,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = param.val();
        self.tensors.push(NamedTensor {
            name: self.path.join("."),
            shape: values.dims().to_vec(),
            values: values.into_data().try_into_vec().expect("networks are made of f32"),
        });
    }
}

struct Applier<'a> {
    device: Device,
    path: Vec<String>,
    weights: &'a NetworkWeights,
}

impl ModuleMapper for Applier<'_> {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let numbers = self.weights.numbers(&self.path.join(".")).to_vec();
        let shape = param.dims();
        param.map(|_| Tensor::from_data(TensorData::new(numbers, shape), &self.device))
    }
}
