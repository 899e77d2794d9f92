//! Rows to CSV files and back.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::files::write_file;
use crate::{ExportError, TableRow};

/// Checks that every number of `rows` is finite.
///
/// # Errors
/// [`ExportError::NotFinite`] with the first row and column where one is not.
pub fn check_finite<R: TableRow>(rows: &[R]) -> Result<(), ExportError> {
    for (index, row) in rows.iter().enumerate() {
        if let Some((column, value)) = row.not_finite() {
            return Err(ExportError::NotFinite { table: R::TABLE, row: index + 1, column, value });
        }
    }
    Ok(())
}

/// Writes `rows` under a header, in the order given; without rows the file holds the header alone.
///
/// # Errors
/// [`ExportError::NotFinite`] before anything is written, [`ExportError::Format`], [`ExportError::Write`].
pub fn write_csv<R: TableRow>(path: &Path, rows: &[R]) -> Result<(), ExportError> {
    check_finite(rows)?;
    let bytes = to_csv(rows).map_err(|source| ExportError::Format { table: R::TABLE, source })?;
    write_file(path, &bytes)
}

fn to_csv<R: TableRow>(rows: &[R]) -> Result<Vec<u8>, csv::Error> {
    // The writer's own header would appear only with the first row.
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(R::COLUMNS)?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// Reads a file written by [`write_csv`].
///
/// # Errors
/// [`ExportError::Read`] if the file or a column is missing or a value cannot be read, [`ExportError::NotFinite`].
pub fn read_csv<R: TableRow + DeserializeOwned>(path: &Path) -> Result<Vec<R>, ExportError> {
    let rows: Vec<R> = csv::Reader::from_path(path)
        .and_then(|mut reader| reader.deserialize().collect())
        .map_err(|source| ExportError::Read { path: path.to_owned(), table: R::TABLE, source })?;
    check_finite(&rows)?;
    Ok(rows)
}
