//! PUCT and Gumbel search over any batched evaluator. The crate depends on the traits of the rules, not on networks or
//! files.
//!
//! A [`Search`] collects leaves ([`gather`](Search::gather)) and receives their evaluations ([`apply`](Search::apply)).
//! The caller does the batching: [`run()`] searches one game with several leaves at once, and self-play collects one
//! leaf from each of many games. A search uses no clock and no randomness of its own. Its result is a function of the
//! configuration, the position, the evaluations and the random generator passed for root exploration.
//!
//! ```
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_mcts::{Limits, Search, SearchConfig, UniformEvaluator, run};
//!
//! let mut search = Search::<TicTacToe>::new(SearchConfig::default());
//! let report = run(&mut search, &mut UniformEvaluator, &Limits::simulations(100), 1);
//! assert_eq!(report.simulations, 100);
//! search.advance(report.best());
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod cancel;
pub mod cpu_time;
pub mod stages;

mod flights;
mod tree;

mod canonical;
mod config;
mod evaluator;

mod cache;
mod split_evaluator;
mod symmetry_use;

mod cached_evaluator;

mod pace;

mod limits;
mod noise;
mod report;
mod temperature;

mod select;
mod solver;

mod forced;
mod improved_policy;

mod gumbel;

mod search;

mod deadline;

mod run;

pub use cache::{CacheStats, EvaluationCache};
pub use cached_evaluator::CachedEvaluator;
pub use cancel::CancelToken;
pub use config::{BelowRoot, Fpu, GumbelConfig, RootSearch, SearchConfig, TacticsDepth};
pub use deadline::{Allotment, Deadline, ReadClock, TimePlan, WhenCertain};
pub use evaluator::{Batch, Evaluator, Leaf, LeafBatch, Network, UniformEvaluator, UniformNetwork};
pub use limits::Limits;
pub use report::{MoveReport, SearchReport};
pub use run::{run, run_until};
pub use search::{Exploration, RootSummary, Search};
pub use split_evaluator::SplitEvaluator;
pub use stages::{Stage, StageShares};
pub use symmetry_use::SymmetryUse;
pub use temperature::TemperatureSchedule;

#[cfg(test)]
mod tests;
