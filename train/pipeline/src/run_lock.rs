//! Who has a run: one process at a time, by locks that its end lets go, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::error::RunError;

/// The file in a run's folder that is locked.
pub(crate) const LOCK: &str = "lock";

/// Holds a run for one process; let go when dropped or when the process ends in any way.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
    /// The folder itself, where the system lets one be locked: a file can be removed, and a new one locked by another.
    _folder: Option<File>,
}

impl RunLock {
    /// Takes the run in `folder`.
    ///
    /// # Errors
    /// [`RunError::RunInUse`] if another process has it; [`RunError::Io`] if the file cannot be opened or locked.
    pub(crate) fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(RunError::io(&path))?;
        let in_use = || RunError::RunInUse { path: folder.into() };
        match patiently_locked(file) {
            Ok(Some(file)) => match folder_file(folder).map(patiently_locked) {
                Some(Ok(None)) => Err(in_use()),
                Some(Ok(folder)) => Ok(RunLock { _file: file, _folder: folder }),
                // Some file systems lock files alone.
                Some(Err(_)) | None => Ok(RunLock { _file: file, _folder: None }),
            },
            Ok(None) => Err(in_use()),
            Err(source) => Err(RunError::Io { path, source }),
        }
    }

    /// Whether a process has the run in `folder` now.
    pub(crate) fn is_taken(folder: &Path) -> bool {
        let files = [File::open(folder.join(LOCK)).ok(), folder_file(folder)];
        let is_locked = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        files.iter().flatten().any(is_locked)
    }
}

/// The folder as a file, where the system has folders that are.
fn folder_file(folder: &Path) -> Option<File> {
    File::open(folder).ok()
}

/// The file once it is locked, or `None` if another process has it for longer than a look takes.
fn patiently_locked(file: File) -> std::io::Result<Option<File>> {
    for _ in 0..10 {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // A process that only checks whether the run is in use holds it for a moment.
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(source)) => return Err(source),
        }
    }
    Ok(None)
}
