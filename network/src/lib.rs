//! The policy/value network: what it is made of, its definition on Burn, its use as an evaluator, its checkpoints on disk.
//!
//! Nothing here trains; the `selfplay-train` crate does, through [`weight_vector`] and [`checkpoint`].
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod error;

pub mod device;

pub mod config;

pub mod plan;

pub mod layers;

mod initial_weights;

pub mod auxiliary;

pub mod model;

pub mod tensor_file;
pub mod weight_vector;

pub mod manifest;

pub mod checkpoint;

pub mod growth;

pub mod softmax;

pub mod evaluator;
pub mod fused;

pub mod inference;

pub mod onnx;

pub use auxiliary::{AuxiliaryOutput, FinalStateOutput};
pub use config::{AuxiliaryConfig, NetworkConfig};
pub use device::DeviceKind;
pub use error::NetworkError;
pub use evaluator::BurnEvaluator;
pub use fused::{FusedEvaluator, FusedNetwork, Precision};
pub use inference::NetworkEvaluator;
pub use manifest::{Manifest, Provenance};
pub use model::{HeadFeatures, NetworkOutput, PolicyValueNetwork};
pub use plan::Plan;
pub use tensor_file::NamedTensor;
