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

pub mod documentation;

pub mod plots;
pub mod report;

pub use error::ExportError;
pub use report::{ReportRows, write_ablation, write_report};
pub use rows::{
    AblationRow, CalibrationRow, CrossTableRow, EloRow, GenerationRow, LadderRow, LossRow, MatchRow, OpeningPolicyRow,
    PlayerRole, SelfPlayRow, TableRow, ThroughputRow, ValueErrorRow,
};
pub use tables::{Salvaged, read_csv, read_csv_lenient, write_csv};
