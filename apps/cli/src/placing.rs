//! Where a file will lie: asked before the work whose result goes there.

use std::fs;
use std::path::Path;

use crate::error::CliError;

/// The folder that the file at `path` would lie in; `None` if that is the current one.
pub fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}

/// Makes the folder that the file at `path` will lie in, unless it is there.
///
/// # Errors
/// What the system says.
pub fn make_folder(path: &Path) -> Result<(), CliError> {
    folder_of(path).map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(CliError::io(folder)))
}

/// Checks that the folder is there that the file at `path` will lie in.
///
/// # Errors
/// [`CliError::NoFolder`].
pub fn check_folder(path: &Path) -> Result<(), CliError> {
    match folder_of(path).filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(CliError::NoFolder { path: folder.to_owned() }),
        None => Ok(()),
    }
}
