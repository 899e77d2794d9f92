//! The policy/value network: what it is made of, its numbers, its use as an evaluator on the CPU, its checkpoints on disk.
//!
//! Nothing here computes training or needs a tensor library; the `selfplay-learner` crate has the same network on Burn, for
//! autodiff and for GPUs.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod error;

pub mod device;

pub mod config;

pub mod plan;

pub mod tensor_plan;

pub mod tensor_file;

pub mod weights;

pub mod manifest;

pub mod checkpoint;

pub mod growth;

pub mod softmax;

pub mod training;

pub mod fused;

pub mod onnx;

pub mod backend;

pub use backend::{Backend, BatchLosses, CpuBackend, Learner};
pub use config::{AuxiliaryConfig, NetworkConfig};
pub use device::{DeviceError, DeviceKind};
pub use error::NetworkError;
pub use fused::{FusedEvaluator, FusedNetwork, Precision};
pub use manifest::{Manifest, Provenance};
pub use plan::Plan;
pub use tensor_file::NamedTensor;
pub use weights::NetworkWeights;
