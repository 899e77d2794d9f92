//! The classical player: alpha-beta over a game's heuristic, for any game.
//!
//! One engine in two manners ([`Selectivity`]): plain minimax to a depth, or the strongest search in a given time. The
//! files stand in dependency order; start reading at `search.rs`.

mod budget;
pub mod config;
pub mod table;

mod ordering;
mod repetition;

mod search;

mod deepening;

mod engine;

mod player;

pub use crate::alphabeta_report::{AlphaBetaReport, ScoredLine};
pub use crate::score::{PROVEN_WIN, is_proven};
pub use config::{AlphaBetaConfig, AlphaBetaLimits, MAX_DEPTH, Selectivity};
pub(crate) use engine::Assignment;
pub use engine::{AlphaBeta, alpha_beta};
pub use player::AlphaBetaPlayer;
pub(crate) use repetition::{repeated_at, repeated_in};
pub(crate) use table::Memory;
