//! Rows to CSV files and back, whole or as far as a damaged file goes.

use std::fs;
use std::io;
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

/// What could be read of a file that may be damaged.
#[derive(Clone, PartialEq, Debug)]
pub struct Salvaged<R> {
    /// The rows before the damage; all of them where there is none.
    pub rows: Vec<R>,
    /// What is wrong, with the file and the line; `None` where nothing is.
    pub warning: Option<String>,
}

/// Reads as much of a file written by [`write_csv`] as is whole: the rows up to the first that cannot be read.
///
/// A last line without its end was torn while it was written and is left out even where it could be read, since its
/// last number may lack digits. A file that is missing, or whose columns are not those of `R`, has no rows.
pub fn read_csv_lenient<R: TableRow + DeserializeOwned>(path: &Path) -> Salvaged<R> {
    let warned = |rows: Vec<R>, reason: String| {
        let warning = Some(format!("{}: {reason}", path.display()));
        Salvaged { rows, warning }
    };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return warned(Vec::new(), "is missing".into()),
        Err(error) => return warned(Vec::new(), format!("cannot be read: {error}")),
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut reader = csv::Reader::from_reader(&bytes[..whole]);
    let mut rows: Vec<R> = Vec::new();
    let kept = |rows: &Vec<R>| format!("{} whole rows before it are used", rows.len());
    if whole == 0 {
        return warned(rows, "has no whole line; nothing of it is used".into());
    }
    for record in reader.deserialize() {
        let row: R = match record {
            Ok(row) => row,
            Err(error) => {
                let reason = format!("damaged: {error}; {}", kept(&rows));
                return warned(rows, reason);
            }
        };
        if let Some((column, value)) = row.not_finite() {
            let line = rows.len() + 2;
            let reason = format!("line {line}, column `{column}`: {value} is not a finite number; {}", kept(&rows));
            return warned(rows, reason);
        }
        rows.push(row);
    }
    if whole < bytes.len() {
        let line = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let reason = format!("line {line} is torn off; {}", kept(&rows));
        return warned(rows, reason);
    }
    Salvaged { rows, warning: None }
}
