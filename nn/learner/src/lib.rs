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

pub mod evaluator;

pub mod loss;
mod optimizer;

mod tower;

pub mod learner;

pub mod backend;

pub use auxiliary::{AuxiliaryOutput, FinalStateOutput};
pub use backend::BurnBackend;
pub use evaluator::BurnEvaluator;
pub use learner::BurnLearner;
pub use model::{HeadFeatures, NetworkOutput, PolicyValueNetwork};
