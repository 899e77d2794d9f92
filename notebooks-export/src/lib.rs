//! A run's numbers as files for a report: plain rows in, CSV tables, SVG and PNG plots, pages and a notebook out.
//!
//! Knows nothing of games, networks or run folders: whoever has the numbers fills the rows of [`rows`] and calls
//! [`write_report`] while a run goes on, and [`write_run_report`] to look at one or to compare several. Every file
//! appears whole or not at all, and a number that is not finite is an error that names its row and column.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

// The made-up runs of the tests beside the crate serve those within, too.
#[cfg(test)]
extern crate self as selfplay_notebooks_export;
#[cfg(test)]
#[path = "../tests/sample/mod.rs"]
mod sample;

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

pub mod report_rows;

pub mod documentation;

pub mod report;

pub mod champion;
pub mod run_report;

pub use champion::champion_reason;
pub use error::ExportError;
pub use events::{Event, Opponent, RemarkRow, RunRows, Seen};
pub use live::{PhaseView, RunState, RunStatus, RunView, WorkerView};
pub use metrics::MetricsFile;
pub use report::{write_ablation, write_plot, write_rating_plot, write_report};
pub use report_rows::ReportRows;
pub use rows::{
    AblationRow, CalibrationRow, CrossTableRow, EloRow, GenerationRow, LadderRow, LossRow, MatchRow, MistakeRow,
    OpeningPolicyRow, PlayerRole, SelfPlayRow, TableRow, ThroughputRow, ValueErrorRow,
};
pub use run_report::{PictureFiles, Report, RunMeta, RunReport, SamplePosition, write_run_report};
pub use tables::{Salvaged, read_csv, read_csv_lenient, write_csv};
pub use tensorboard::TensorBoardFile;
