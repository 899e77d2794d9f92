//! All tables of a run together, and their files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::rows::Column;
use crate::tables::{check_finite, read_csv_lenient, write_csv};
use crate::{
    AblationRow, CalibrationRow, CrossTableRow, EloRow, ExportError, GenerationRow, LadderRow, LossRow, MatchRow,
    MistakeRow, OpeningPolicyRow, SelfPlayRow, TableRow, ThroughputRow, ValueErrorRow,
};

/// The tables that every run has from its first generation on; the others depend on its settings.
pub const ALWAYS_WRITTEN: [&str; 4] = [EloRow::TABLE, LossRow::TABLE, SelfPlayRow::TABLE, MatchRow::TABLE];

/// A table as the page describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableDescription {
    /// Its name; the file is `<name>.csv`.
    pub name: &'static str,
    /// What one line is.
    pub meaning: &'static str,
    /// Its columns in order.
    pub columns: &'static [Column],
}

/// Declares the lists once and derives what is done to each of them.
macro_rules! report_rows {
    ($($(#[doc = $meaning:literal])+ $table:ident: $row:ident,)+) => {
        /// All tables in the order of the page that describes them.
        pub const TABLES: &[TableDescription] = &[$(TableDescription {
            name: <$row>::TABLE,
            meaning: <$row>::MEANING,
            columns: <$row>::DESCRIBED,
        },)+];

        /// Everything a report shows of a run; each list may be empty.
        #[derive(Clone, PartialEq, Default, Debug)]
        pub struct ReportRows {
            $($(#[doc = $meaning])+ pub $table: Vec<$row>,)+
        }

        impl ReportRows {
            /// Checks that every number is finite.
            ///
            /// # Errors
            /// [`ExportError::NotFinite`] with the first table, row and column where one is not.
            pub fn check_finite(&self) -> Result<(), ExportError> {
                $(check_finite(&self.$table)?;)+
                Ok(())
            }

            /// Names of the tables that have rows.
            pub fn filled(&self) -> Vec<&'static str> {
                let tables = [$((<$row>::TABLE, self.$table.is_empty())),+];
                tables.into_iter().filter(|(_, is_empty)| !is_empty).map(|(name, _)| name).collect()
            }

            /// The same rows, with numbers that are not whole rounded to six significant digits.
            pub fn rounded(&self) -> ReportRows {
                ReportRows { $($table: self.$table.iter().map(TableRow::rounded).collect(),)+ }
            }

            /// Writes the tables that are `wanted`, by their names and whether they have rows, into `folder`, which is
            /// made where it is missing, those without rows as a header alone; returns the paths.
            ///
            /// # Errors
            /// Those of [`write_csv`].
            pub fn write_tables(
                &self,
                folder: &Path,
                wanted: impl Fn(&str, bool) -> bool,
            ) -> Result<Vec<PathBuf>, ExportError> {
                make_folder(folder)?;
                let mut paths = Vec::new();
                $(if wanted(<$row>::TABLE, !self.$table.is_empty()) {
                    paths.push(table_path::<$row>(folder));
                    write_csv(&table_path::<$row>(folder), &self.$table)?;
                })+
                Ok(paths)
            }

            /// Reads the tables that lie in `folder` as far as they are whole; the warnings name what is damaged, with
            /// the line, and which of the tables that every run has are missing.
            pub fn read_lenient(folder: &Path) -> (ReportRows, Vec<String>) {
                let (mut rows, mut warnings) = (ReportRows::default(), Vec::new());
                $(if ALWAYS_WRITTEN.contains(&<$row>::TABLE) || table_path::<$row>(folder).exists() {
                    let salvaged = read_csv_lenient(&table_path::<$row>(folder));
                    rows.$table = salvaged.rows;
                    warnings.extend(salvaged.warning);
                })+
                (rows, warnings)
            }
        }
    };
}

report_rows! {
    /// Whole generations: costs, losses, verdicts.
    generations: GenerationRow,
    /// Self-play by generation.
    selfplay: SelfPlayRow,
    /// Losses by training step.
    losses: LossRow,
    /// The cores' time by generation.
    throughput: ThroughputRow,
    /// Matches in the order they were played.
    matches: MatchRow,
    /// Generations against the baselines of the ladder.
    ladder: LadderRow,
    /// Ratings, baselines and generations.
    elo: EloRow,
    /// The scores of a tournament.
    cross_table: CrossTableRow,
    /// Variants of an ablation.
    ablation: AblationRow,
    /// Expected against real scores by generation.
    calibration: CalibrationRow,
    /// Errors of values by generation and ply.
    value_error: ValueErrorRow,
    /// The policy at the initial position by generation and cell.
    opening_policy: OpeningPolicyRow,
    /// Moves against perfect play by generation and simulations.
    mistakes: MistakeRow,
}

/// Where the table of these rows lies in `folder`.
pub fn table_path<R: TableRow>(folder: &Path) -> PathBuf {
    folder.join(format!("{}.csv", R::TABLE))
}

/// Makes a folder and those above it.
///
/// # Errors
/// [`ExportError::Write`].
pub fn make_folder(folder: &Path) -> Result<(), ExportError> {
    fs::create_dir_all(folder).map_err(|source| ExportError::Write { path: folder.to_owned(), source })
}
