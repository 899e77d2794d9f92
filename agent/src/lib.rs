//! Agents that are handed on: what they say of themselves, and the network they carry.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod head;

pub mod source;

pub use head::{AgentHead, Mind, WholeAgent};
pub use source::BundledNetwork;
