//! Rejected results. They are stored in the run's folder with their senders and the reasons, within a size limit, for
//! manual inspection. Nothing else reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use selfplay_storage::{AppendFile, Care, write_file};
use serde::Serialize;

use crate::wire::TaskKey;

/// Bytes and files that are kept, at most, so that a sender of invalid results cannot fill the disk.
const MAX_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 200;
/// So many are reported one by one, then only how many there are.
const TOLD: u64 = 20;

/// The folder `quarantine/` of a run.
#[derive(Debug)]
pub struct Quarantine {
    folder: PathBuf,
    kept: Mutex<QuarantineUsage>,
    /// Results that were rejected, kept or not.
    count: AtomicU64,
}

#[derive(Debug, Default)]
struct QuarantineUsage {
    files: usize,
    bytes: u64,
}

/// A line of `quarantine/reasons.jsonl`.
#[derive(Serialize)]
struct Entry<'a> {
    /// Who sent it, by its own word.
    sender: &'a str,
    /// What it says that it is.
    task: String,
    reason: &'a str,
    /// Name of the file beside this one; none if there was no room.
    file: Option<String>,
}

impl Quarantine {
    /// Of the run in `run`.
    pub fn new(run: &Path) -> Self {
        let folder = run.join("quarantine");
        let mut kept = QuarantineUsage::default();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            kept.files += 1;
            kept.bytes += entry.metadata().map_or(0, |file| file.len());
        }
        Quarantine { folder, kept: Mutex::new(kept), count: AtomicU64::new(0) }
    }

    /// Stores the payload of a rejected result with the reason. If the disk cannot be written, the error is only
    /// logged.
    pub fn keep(&self, sender: &str, task: Option<&TaskKey>, reason: &str, bytes: &[u8]) {
        let task = task.map_or_else(|| "nothing readable".into(), ToString::to_string);
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        if count <= TOLD {
            tracing::warn!("{task} from worker {sender:?} is refused: {reason}");
        }
        if count.is_multiple_of(TOLD) {
            tracing::warn!("{count} results were refused so far; {} says why", self.folder.display());
        }
        if let Err(error) = self.write(sender, task, reason, bytes) {
            tracing::warn!("{}: {error}", self.folder.display());
        }
    }

    fn write(&self, sender: &str, task: String, reason: &str, bytes: &[u8]) -> std::io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if kept.files >= MAX_FILES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let has_room = kept.bytes + bytes.len() as u64 <= MAX_BYTES;
        // The name is made here: what came chooses no path.
        let file = has_room.then(|| format!("{:04}.bin", kept.files));
        if let Some(name) = &file {
            write_file(&self.folder.join(name), bytes)?;
            kept.bytes += bytes.len() as u64;
        }
        kept.files += 1;
        let line = serde_json::to_string(&Entry { sender, task, reason, file }).expect("plain data") + "\n";
        let (mut reasons, lines) = AppendFile::resume_lines(&self.folder.join("reasons.jsonl"), "", Care::None)?;
        reasons.keep(lines.len())?;
        reasons.append(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_kept_until_there_is_no_room() {
        let run = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::new(run.path());
        let key = TaskKey::GameRange { generation: 2, first: 8, count: 8 };
        quarantine.keep("../../mallory", Some(&key), "an illegal move", b"bytes");
        quarantine.keep("mallory", None, "nonsense", &vec![0; MAX_BYTES as usize]);
        for _ in 0..2 * MAX_FILES {
            Quarantine::new(run.path()).keep("mallory", None, "nonsense", b"");
        }
        let folder = run.path().join("quarantine");
        let reasons = fs::read_to_string(folder.join("reasons.jsonl")).unwrap();
        assert!(reasons.starts_with(
            "{\"sender\":\"../../mallory\",\"task\":\"games 8 to 15 of generation 2\",\"reason\":\"an illegal move\",\
             \"file\":\"0000.bin\"}\n"
        ));
        assert_eq!(fs::read(folder.join("0000.bin")).unwrap(), b"bytes");
        assert!(fs::read_dir(&folder).unwrap().count() <= MAX_FILES + 1);
        assert!(fs::read_dir(run.path()).unwrap().count() == 1, "nothing is written elsewhere");
    }
}
