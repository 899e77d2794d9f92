//! Exported agents: their metadata, the network they carry, and the programs that carry them.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod head;

pub mod source;

pub mod carrier;

pub use carrier::{Body, CarriedAgent, CarrierError, agent_in, carried_agent, write_program};
pub use head::{AgentHead, AgentKind, CarriedRules, WholeAgent};
pub use source::BundledNetwork;
