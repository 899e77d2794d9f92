//! All numbers of a network as one vector, so that an optimizer or an average is a formula over vectors.
//!
//! The vector holds trained weights and batch norm's running statistics, in the order in which the network's modules
//! are declared. Running statistics have gradient zero and do not decay.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

use crate::model::PolicyValueNetwork;

impl PolicyValueNetwork {
    /// All numbers, `[weight_count]`, without autodiff.
    pub fn to_vector(&self) -> Tensor<1> {
        let mut visitor = Concatenation { parts: Vec::new(), part: PartOf::Weights };
        // `valid` also settles running statistics that the last forward pass in training mode left pending.
        self.valid().visit(&mut visitor);
        Tensor::cat(visitor.parts, 0)
    }

    /// An independent network of the same make with other numbers, without autodiff.
    ///
    /// # Panics
    /// If `vector` has another length than [`to_vector`](Self::to_vector) gives.
    pub fn with_vector(&self, vector: Tensor<1>) -> Self {
        let len = vector.dims()[0];
        let mut mapper = Distribution { vector: vector.without_autodiff(), offset: 0 };
        // `valid` copies the running statistics, which `clone` would share with `self`.
        let network = self.valid().map(&mut mapper);
        assert_eq!(mapper.offset, len, "the vector belongs to another network");
        network
    }

    /// The gradient of every number, in the order of [`to_vector`](Self::to_vector); `self` is the network of the
    /// forward pass, in training mode.
    pub fn gradient_vector(&self, gradients: &Gradients) -> Tensor<1> {
        let mut visitor = Concatenation { parts: Vec::new(), part: PartOf::Gradients(gradients) };
        self.visit(&mut visitor);
        Tensor::cat(visitor.parts, 0)
    }

    /// 1 where weight decay applies and 0 elsewhere, in the order of [`to_vector`](Self::to_vector): kernels and
    /// matrices decay, biases and norms do not.
    pub fn decay_mask(&self) -> Tensor<1> {
        let mut visitor = Concatenation { parts: Vec::new(), part: PartOf::DecayMask };
        self.valid().visit(&mut visitor);
        Tensor::cat(visitor.parts, 0)
    }
}

/// What to collect from each tensor.
enum PartOf<'a> {
    Weights,
    Gradients(&'a Gradients),
    DecayMask,
}

struct Concatenation<'a> {
    parts: Vec<Tensor<1>>,
    part: PartOf<'a>,
}

impl ModuleVisitor for Concatenation<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let weights = param.val();
        let count = weights.shape().num_elements();
        let device: Device = weights.device().without_autodiff();
        let part = match self.part {
            PartOf::Weights => weights.reshape([count]),
            PartOf::Gradients(gradients) => match weights.grad(gradients) {
                Some(gradient) => gradient.reshape([count]),
                None => Tensor::zeros([count], &device),
            },
            PartOf::DecayMask if D >= 2 => Tensor::ones([count], &device),
            PartOf::DecayMask => Tensor::zeros([count], &device),
        };
        self.parts.push(part);
    }
}

struct Distribution {
    vector: Tensor<1>,
    offset: usize,
}

impl ModuleMapper for Distribution {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|old| {
            let shape = old.shape();
            let end = self.offset + shape.num_elements();
            let part = self.vector.clone().slice(self.offset..end);
            self.offset = end;
            part.reshape(shape)
        })
    }
}
