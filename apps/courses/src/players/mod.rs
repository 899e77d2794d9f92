//! The agents that courses and their students describe, as baselines.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod sizes;

pub mod pente_points;
pub mod pente_runs;

pub mod pente_random;

pub mod pente_minimax;

pub mod pentago_spread;

pub mod pentago_report;

pub use pentago_report::{PentagoReportConfig, ReportSearch, pentago_report};
pub use pentago_spread::SpreadEvaluation;
pub use pente_minimax::{PenteMinimaxConfig, pente_minimax};
pub use pente_random::{PenteRandomConfig, pente_random};
