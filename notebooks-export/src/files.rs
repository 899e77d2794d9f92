//! Files that appear whole or not at all.

use std::path::Path;

use crate::ExportError;

/// Replaces the file at `path` by `bytes`, so that a crash leaves the old file or the new one.
///
/// # Errors
/// [`ExportError::Write`] with the system's reason; the file at `path` is then unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    selfplay_storage::write_file(path, bytes).map_err(|source| ExportError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(&folder.path().join("none/rows.csv"), b"").unwrap_err();
        assert!(error.to_string().contains("none/rows.csv"), "{error}");
    }
}
