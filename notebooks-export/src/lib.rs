//! A run's numbers as files for a report: plain rows in, CSV tables and SVG and PNG plots out.
//!
//! Knows nothing of games, networks or run folders: whoever has the numbers fills the rows of [`rows`] and calls
//! [`write_report`]. Every file appears whole or not at all, and a number that is not finite is an error that names
//! its row and column.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod error;
pub mod files;
pub mod rows;
pub mod tables;

pub mod events;
mod journal;
pub mod live;
pub mod metrics;
pub mod tensorboard;

pub mod plots;
pub mod report;

pub use error::ExportError;
pub use events::{Event, Opponent, RemarkRow, RunRows, Seen};
pub use live::{PhaseView, RunState, RunStatus, RunView};
pub use metrics::MetricsFile;
pub use report::{ReportRows, write_ablation, write_report};
pub use rows::{AblationRow, EloRow, LossRow, MatchRow, PlayerRole, SelfPlayRow, TableRow};
pub use tables::{read_csv, write_csv};
pub use tensorboard::TensorBoardFile;
