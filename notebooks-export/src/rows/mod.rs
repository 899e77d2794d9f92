//! The rows of a run's tables: what one line of each CSV file means.
//!
//! Columns are the fields, in order, under the same names, each with its unit. `Option` columns are empty where the
//! number is unknown. `docs/tables.md` is made of these declarations ([`crate::documentation`]). The rows of metrics are declared
//! with the metrics, in `env/metrics`.

mod judgement;
mod strength;
mod training;

use selfplay_metrics::{Cell, table_row};
pub use selfplay_metrics::{Column, LossRow, SelfPlayRow, TableRow};

pub use judgement::{CalibrationRow, MistakeRow, OpeningPolicyRow, ValueErrorRow};
pub use strength::{AblationRow, CrossTableRow, EloRow, LadderRow, MatchRow, PlayerRole};
pub use training::{GenerationRow, ThroughputRow};

impl Cell for PlayerRole {
    const KIND: &'static str = "baseline, candidate or champion";
}
