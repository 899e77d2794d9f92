//! The network on Burn: its definition, its use as an evaluator on any device, its loss and gradients by autodiff.
//!
//! This is the one crate that knows Burn. Training on GPUs goes through it; the CPU does without it (`selfplay-learner`), and is
//! tested against it.
//!
//! The modules stand in dependency order: a file imports only from files above it.
//!
//! The crate is empty unless one of the features `flex`, `cuda` and `wgpu` is on.

#![cfg(feature = "flex")]
#![forbid(unsafe_code)]

pub mod device;

pub mod layers;

pub mod auxiliary;

pub mod model;

pub mod named_weights;
pub mod weight_vector;

pub mod evaluator;

mod loss;

pub mod gradients;

pub mod backend;

pub use auxiliary::{AuxiliaryOutput, FinalStateOutput};
pub use backend::BurnBackend;
pub use evaluator::BurnEvaluator;
pub use gradients::BurnGradients;
pub use model::{HeadFeatures, NetworkOutput, PolicyValueNetwork};
