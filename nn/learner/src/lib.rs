//! The network on Burn, for autodiff and for GPUs: its definition, its use as an evaluator on any device, and how it learns:
//! loss, optimizer, and a CPU's own passes through the tower.
//!
//! This is the one crate that knows Burn. What only plays on a CPU does without it (`selfplay-network`).
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod device;

pub mod layers;

pub mod auxiliary;

pub mod model;

pub mod named_weights;
pub mod weight_vector;

pub mod learner_error;

pub mod evaluator;

pub mod inference;

pub mod loss;
mod optimizer;

mod tower;

mod step_report;

pub mod learner;

pub use auxiliary::{AuxiliaryOutput, FinalStateOutput};
pub use device::{DeviceError, DeviceKind};
pub use evaluator::BurnEvaluator;
pub use inference::NetworkEvaluator;
pub use learner::{BatchLosses, Learner};
pub use learner_error::LearnerError;
pub use model::{HeadFeatures, NetworkOutput, PolicyValueNetwork};
pub use step_report::StepReport;
