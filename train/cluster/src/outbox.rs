//! Results that no learner has confirmed yet, in files: they outlive the worker's process.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use selfplay_storage::{remove_leftovers, write_file};
use serde::{Deserialize, Serialize};

use crate::error::ClusterError;
use crate::names::plain_worker;
use crate::wire::Part;

/// How the names of files here end.
const ENDING: &str = ".parcel";

/// A result that waits for its receipt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Payload {
    /// The run's name in subjects.
    pub run: String,
    /// All that a part says, but for its own bytes and numbers.
    pub part: Part,
    /// The packed result.
    pub packed: Vec<u8>,
}

/// A folder of payloads that one process has.
#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    name: String,
    _lock: File,
    next: AtomicU64,
}

impl Outbox {
    /// The folder in `parent` that is called `name`, or `name-2` and so on where other processes have those before. Comes with
    /// the payloads that a process that died left in it; what cannot be read of them is removed.
    ///
    /// # Errors
    /// If the folder cannot be read or written.
    pub fn open(parent: &Path, name: &str) -> Result<(Self, Vec<(PathBuf, Payload)>), ClusterError> {
        let wished = plain_worker(name);
        for number in 1.. {
            let name = if number == 1 { wished.clone() } else { format!("{wished}-{number}") };
            let folder = parent.join(&name);
            fs::create_dir_all(&folder).map_err(ClusterError::io(&folder))?;
            let path = folder.join("lock");
            let lock = File::options().create(true).truncate(false).write(true).open(&path);
            let lock = lock.map_err(ClusterError::io(&path))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(source)) => return Err(ClusterError::Io { path, source }),
            }
            remove_leftovers(&folder).map_err(ClusterError::io(&folder))?;
            let found = found(&folder)?;
            return Ok((Outbox { folder, name, _lock: lock, next: AtomicU64::new(0) }, found));
        }
        unreachable!("there is always a next number")
    }

    /// The name of the worker that owns this outbox.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keeps a payload; where its file is.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn keep(&self, payload: &Payload) -> Result<PathBuf, ClusterError> {
        let bytes = postcard::to_stdvec(payload).expect("plain data");
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let path = self.folder.join(format!("{number:06}{ENDING}"));
            if !path.exists() {
                return write_file(&path, &bytes).map(|()| path.clone()).map_err(ClusterError::io(&path));
            }
        }
    }
}

/// The payloads in `folder`.
fn found(folder: &Path) -> Result<Vec<(PathBuf, Payload)>, ClusterError> {
    let mut payloads = Vec::new();
    for entry in fs::read_dir(folder).map_err(ClusterError::io(folder))?.flatten() {
        let path = entry.path();
        if !path.to_string_lossy().ends_with(ENDING) {
            continue;
        }
        let payload = fs::read(&path).ok().and_then(|bytes| postcard::from_bytes(&bytes).ok());
        match payload {
            Some(payload) => payloads.push((path, payload)),
            None => {
                tracing::warn!("{} is damaged and removed: what it held is played again", path.display());
                let _ = fs::remove_file(&path);
            }
        }
    }
    payloads.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(payloads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_outlive_their_process_and_nobody_shares_a_folder() {
        let parent = tempfile::tempdir().unwrap();
        let part = Part::example();
        let payload = |run: &str| Payload { run: run.into(), part: part.clone(), packed: vec![1, 2, 3] };
        let (first, found) = Outbox::open(parent.path(), "host/../x").unwrap();
        assert_eq!((first.name(), found.len()), ("host----x", 0));
        first.keep(&payload("one")).unwrap();
        let path = first.keep(&payload("two")).unwrap();
        let (second, found) = Outbox::open(parent.path(), "host/../x").unwrap();
        assert_eq!((second.name(), found.len()), ("host----x-2", 0));
        drop(first);
        fs::write(&path, "torn").unwrap();
        let (again, found) = Outbox::open(parent.path(), "host/../x").unwrap();
        assert_eq!(again.name(), "host----x");
        assert_eq!(found.into_iter().map(|(_, payload)| payload).collect::<Vec<_>>(), [payload("one")]);
        assert!(!path.exists());
        assert_ne!(
            again.keep(&payload("three")).unwrap(),
            again.folder.join("000000.parcel"),
            "nothing is overwritten"
        );
    }
}
