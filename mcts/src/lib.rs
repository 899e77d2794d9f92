//! PUCT search over any batched evaluator: it knows the rules' traits and nothing of networks or files.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod evaluator;

pub use evaluator::{Batch, Evaluator, Leaf, UniformEvaluator};
