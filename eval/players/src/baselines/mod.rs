//! The baselines that people name: greedy, and Monte-Carlo tree search.
//!
//! Each player is one file. They are baselines, written as a student or a teaching assistant would describe them, and
//! deliberately nothing more: what plays well is elsewhere in this crate.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod move_clock;

pub mod greedy;

pub mod uct_tree;

pub mod uct;

pub use greedy::GreedyPlayer;
pub use uct::{UctConfig, UctPlayer};
