//! A training run's numbers as files for a report: rows in; CSV tables, figures, pages and a notebook out.
//!
//! The crate has no dependency on games, networks or run folders. The caller fills the rows, then calls
//! [`write_report`] while a run is in progress, and [`write_run_report`] to report one run or to compare several. Every
//! file appears whole or not at all, and a number that is not finite is an error that names its row and column.
//!
//! | task | items |
//! |---|---|
//! | rows and CSV tables | [`EloRow`], [`LossRow`] and the other rows, [`write_csv`], [`read_csv`], [`ReportRows`] |
//! | figures as SVG, PNG or PGF | [`plots`], [`write_plot`] |
//! | reports | [`Report`], [`write_run_report`] |
//! | events while a run is in progress | [`Event`], [`MetricsFile`], [`TensorBoardFile`], [`RunView`] |
//!
//! # Example
//!
//! Rows in, a figure out:
//!
//! ```
//! use selfplay_notebooks_export::plots::{EloAxis, elo_plot};
//! use selfplay_notebooks_export::{EloRow, PlayerRole, write_csv, write_plot};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let generation = |generation: u32, elo: f64| EloRow {
//!     player: format!("generation-{generation}"),
//!     generation: Some(generation),
//!     elo,
//!     elo_low: elo - 25.0,
//!     elo_high: elo + 25.0,
//!     games: 400,
//!     cumulative_cpu_hours: Some(0.5 * f64::from(generation)),
//!     role: PlayerRole::Candidate,
//!     ..EloRow::default()
//! };
//! let rows = [generation(0, 0.0), generation(1, 310.0), generation(2, 480.0)];
//!
//! let figure = elo_plot(&rows, EloAxis::CpuHours);
//! let svg = figure.to_svg()?;
//! assert!(svg.starts_with("<svg") && svg.contains("95 % interval"));
//!
//! let folder = tempfile::tempdir()?;
//! write_csv(&folder.path().join("elo.csv"), &rows)?;
//! write_plot(&folder.path().join("elo.png"), &figure)?;
//! # Ok(())
//! # }
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

// The sample runs of the integration tests serve the unit tests, too.
#[cfg(test)]
extern crate self as selfplay_notebooks_export;
#[cfg(test)]
#[path = "../tests/sample/mod.rs"]
mod sample;

mod error;
pub mod files;
mod rows;
mod tables;

mod events;
mod journal;
mod live;
mod metrics;
mod tensorboard;

pub mod plots;

mod report_rows;

mod documentation;

mod report;

mod champion;
mod run_report;

pub use champion::champion_reason;
pub use documentation::tables_page;
pub use error::ExportError;
pub use events::{DiagnosticRow, Event, Opponent, RunRows, Seen};
pub use live::{GateMatch, PhaseView, RunState, RunStatus, RunView, SelfPlayNumbers, SelfPlayTotals, WorkerView};
pub use metrics::MetricsFile;
pub use report::{write_ablation, write_plot, write_rating_plot, write_report};
pub use report_rows::{ReportRows, table_path};
pub use rows::{
    AblationRow, CalibrationRow, Column, CrossTableRow, EloRow, GenerationRow, LadderRow, LossRow, MatchRow,
    MistakeRow, OpeningPolicyRow, PlayerRole, SelfPlayRow, TableRow, ThroughputRow, ValueErrorRow,
};
pub use run_report::{PictureFiles, Report, RunMeta, RunReport, SamplePosition, write_run_report};
pub use tables::{Salvaged, read_csv, read_csv_lenient, write_csv};
pub use tensorboard::{Scalar, TensorBoardFile, scalars_of};
