//! Metrics of a training run, each declared once: name, unit, meaning and curve.
//!
//! A declaration holds the metrics that a part of a run reports, with the table they stand in. It makes the report, which the
//! part fills in, and the row, from which tables, curves and `docs/tables.md` follow. [`table_row!`] declares a row alone.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod column;

mod table_row;

mod declaration;

mod learning;
mod self_play;

pub use column::{Cell, Column, TableRow};
pub use learning::{LossRow, StepReport};
pub use self_play::{SelfPlayRow, SelfPlaySummary};
