//! The baselines that people name: greedy, Monte-Carlo tree search, and the reference agents of the courses.
//!
//! Each player is one file. They are yardsticks, written as a student or a teaching assistant would describe them, and
//! deliberately nothing more: what plays well is elsewhere in this crate.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod decision_clock;
pub mod typed;

pub mod greedy;

pub mod uct_tree;

pub mod uct;

pub mod pente_points;
pub mod pente_runs;

pub mod pente_random;

pub mod pente_minimax;

pub mod book;

pub mod book_builder;

pub mod pentago_spread;

pub mod pentago_report;

pub use book::Book;
pub use book_builder::{BookConfig, BookPlay, build_book};
pub use greedy::GreedyPlayer;
pub use pentago_report::{PentagoReportConfig, ReportSearch, pentago_report};
pub use pentago_spread::SpreadEvaluation;
pub use pente_minimax::{PenteMinimaxConfig, pente_minimax};
pub use pente_random::pente_random;
pub use uct::{UctConfig, UctPlayer};
