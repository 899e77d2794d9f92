//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::ExportError;

/// Replaces the file at `path` by `bytes`: written to `<path>.tmp`, synced to the disk, then renamed, so that a crash
/// leaves the old file or the new one.
///
/// # Errors
/// [`ExportError::Write`] with the system's reason; the file at `path` is then unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    replace(path, bytes).map_err(|source| ExportError::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary, path)?;
    // The new name is safe once the folder is on the disk too; only Unix can open a folder to sync it.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        write_file(&path, b"old, and longer").unwrap();
        write_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(&folder.path().join("none/rows.csv"), b"").unwrap_err();
        assert!(error.to_string().contains("none/rows.csv"), "{error}");
    }
}
