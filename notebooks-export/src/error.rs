//! Why a table or a plot could not be made.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// What can go wrong between rows and files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A number is infinite or not a number.
    #[error("table `{table}`, row {row}, column `{column}`: {value} is not a finite number")]
    NotFinite {
        /// Name of the table.
        table: &'static str,
        /// The row, counted from 1 without the header.
        row: usize,
        /// Name of the column.
        column: &'static str,
        /// The offending value.
        value: f64,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A row cannot be put into CSV.
    #[error("cannot format table `{table}`: {source}")]
    Format {
        /// Name of the table.
        table: &'static str,
        /// The formatter's reason.
        source: csv::Error,
    },
    /// A CSV file cannot be read, or its columns are not those of the rows asked for.
    #[error("cannot read {} as table `{table}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Name of the table.
        table: &'static str,
        /// The reader's reason, with the line.
        source: csv::Error,
    },
    /// A figure cannot be drawn.
    #[error("cannot draw a figure: {source}")]
    Draw {
        /// The drawing library's reason.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl ExportError {
    pub(crate) fn draw(source: impl Error + Send + Sync + 'static) -> Self {
        ExportError::Draw { source: Box::new(source) }
    }
}
