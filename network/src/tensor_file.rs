//! Named `f32` tensors as safetensors bytes, and a network as a list of them.
//!
//! The same tensors always give the same bytes (no metadata, tensors sorted by name), so files can be compared and
//! hashed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData};
use safetensors::{Dtype, SafeTensors, View};

use crate::model::PolicyValueNetwork;

/// A tensor of `f32` on the host.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedTensor {
    /// Path in its module, such as `blocks.0.first.conv.weight`, or any other name unique in its file.
    pub name: String,
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Row-major; the last axis runs fastest.
    pub values: Vec<f32>,
}

impl View for &NamedTensor {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Owned(self.values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn data_len(&self) -> usize {
        size_of_val(self.values.as_slice())
    }
}

/// The bytes of a safetensors file, or what is wrong with the tensors.
pub(crate) fn encode(tensors: &[NamedTensor]) -> Result<Vec<u8>, String> {
    serialize(tensors, None)
}

/// The same with metadata in the header, which programs outside read.
pub(crate) fn encode_with_metadata(
    tensors: &[NamedTensor],
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, String> {
    serialize(tensors, Some(metadata))
}

fn serialize(tensors: &[NamedTensor], metadata: Option<HashMap<String, String>>) -> Result<Vec<u8>, String> {
    let views = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    safetensors::serialize(views, metadata).map_err(|error| error.to_string())
}

/// The tensors of a safetensors file by name, or what is wrong with the bytes. Numbers that are not finite are wrong.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<NamedTensor>, String> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let mut tensors = Vec::with_capacity(file.len());
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(format!("`{name}` holds {:?}, not F32", view.dtype()));
        }
        let (chunks, _) = view.data().as_chunks::<4>();
        let values: Vec<f32> = chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect();
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(format!("`{name}` holds {value}"));
        }
        tensors.push(NamedTensor { name: name.to_owned(), shape: view.shape().to_vec(), values });
    }
    Ok(tensors)
}

impl PolicyValueNetwork {
    /// All trained weights and running statistics, in the order in which the network's modules are declared.
    pub fn named_tensors(&self) -> Vec<NamedTensor> {
        let mut collector = Collector::default();
        // `valid` also settles running statistics that the last forward pass in training mode left pending.
        self.valid().visit(&mut collector);
        collector.tensors
    }

    /// The network with the numbers of `tensors`, or which tensor is missing, too much or of another shape.
    pub(crate) fn with_named_tensors(self, tensors: Vec<NamedTensor>) -> Result<Self, String> {
        let mut applier = Applier {
            device: self.device(),
            path: Vec::new(),
            tensors: tensors.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect(),
            problem: None,
        };
        let network = self.map(&mut applier);
        let surplus = applier.tensors.into_keys().next().map(|name| format!("it has no tensor `{name}`"));
        match applier.problem.or(surplus) {
            Some(problem) => Err(problem),
            None => Ok(network),
        }
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

struct Applier {
    device: Device,
    path: Vec<String>,
    tensors: BTreeMap<String, NamedTensor>,
    /// The first mismatch; later ones usually follow from it.
    problem: Option<String>,
}

impl ModuleMapper for Applier {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        let shape = param.dims();
        match self.tensors.remove(&name) {
            Some(tensor) if tensor.shape == shape => {
                param.map(|_| Tensor::from_data(TensorData::new(tensor.values, shape), &self.device))
            }
            Some(tensor) => {
                let problem = format!("`{name}` has shape {:?}, not {shape:?}", tensor.shape);
                self.problem.get_or_insert(problem);
                param
            }
            None => {
                self.problem.get_or_insert(format!("`{name}` is missing"));
                param
            }
        }
    }
}
