//! A run folder: where everything of one training run lives, and how much of the run is done.
//!
//! ```text
//! checkpoints/<run>/
//!   config.toml                 the resolved config; the run is a function of it
//!   champion.toml               which generation is the champion, for whoever has no phases; written from them
//!   games/gen-00003.shard       self-play records
//!   games/cleaned.json          how many positions the games that were removed had
//!   networks/gen-00003/         checkpoint folder (generation 0: untrained)
//!   phases/gen-00003.<phase>.json   written when a phase is complete: its presence is the run's state
//!   *.csv *.svg *.png metrics.jsonl tensorboard/   rebuilt from the phase files
//!   calls.jsonl                 the machines and programs it was computed with
//!   live.json                   what it does now, for whoever looks at it
//! ```
//!
//! Nothing but the phases records progress, so a run killed at any moment goes on from the last complete phase. Each phase file
//! ends with its own checksum.

use std::borrow::Cow;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use selfplay_kit::Games;
use selfplay_notebooks_export::files::write_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::{RunConfig, did_you_mean_file};
use crate::error::RunError;
use crate::phase::{GateReport, Phase};

/// An existing run folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
}

/// Holds a run for one process; let go when dropped or when the process ends in any way.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
    /// The folder itself, where the system lets one be locked: a file can be removed, and a new one locked by another.
    _folder: Option<File>,
}

const CONFIG: &str = "config.toml";
const LOCK: &str = "lock";
const CHAMPION: &str = "champion.toml";
/// Extension of the folder of a network that is being removed.
const GONE: &str = "gone";
/// The folders of what is made under a config.
const PRODUCTS: [&str; 3] = ["games", "networks", "phases"];

impl RunFolder {
    /// Creates the folder of a new run, or opens that of an old one with the same config; what `config` leaves open is
    /// [settled](RunConfig::settle). A run that has made nothing yet takes any config.
    ///
    /// # Errors
    /// If the folder holds something else, was started with another config, or cannot be written.
    pub fn create_or_resume(path: &Path, config: &mut RunConfig, games: &Games) -> Result<(Self, RunLock), RunError> {
        let run = RunFolder { path: path.into() };
        let is_foreign = fs::read_dir(path).is_ok_and(|mut entries| entries.any(|e| e.is_ok_and(not_ours)));
        if is_foreign && !run.path.join(CONFIG).exists() {
            return Err(RunError::NotARun { path: path.into() });
        }
        fs::create_dir_all(path).map_err(RunError::io(path))?;
        let lock = run.lock()?;
        run.remove_leftovers()?;
        if !run.path.join(CONFIG).exists() || !run.has_begun() {
            for folder in PRODUCTS {
                let folder = run.path.join(folder);
                fs::create_dir_all(&folder).map_err(RunError::io(&folder))?;
            }
            config.settle(None);
            run.write(CONFIG, config.to_toml().as_bytes())?;
        } else {
            let mut stored = run.config(games)?;
            stored.settle_old();
            config.settle(Some(&stored));
            if let Some(difference) = stored.difference(config) {
                return Err(RunError::OtherConfig { path: path.into(), difference });
            }
            if run.phase_path(config.generations + 1, Phase::SelfPlay).exists() {
                return Err(RunError::FewerGenerations { path: path.into(), generations: config.generations });
            }
            // Only the length of the run may differ.
            run.write(CONFIG, config.to_toml().as_bytes())?;
        }
        Ok((run, lock))
    }

    /// Opens a run folder for reading.
    ///
    /// # Errors
    /// If there is none at `path`.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        if path.join(CONFIG).is_file() {
            Ok(RunFolder { path: path.into() })
        } else {
            Err(RunError::NoRun { path: path.into(), meant: did_you_mean_file(path) })
        }
    }

    /// Whether anything was made under the folder's config.
    fn has_begun(&self) -> bool {
        let holds_something =
            |folder| fs::read_dir(self.path.join(folder)).is_ok_and(|mut files| files.next().is_some());
        PRODUCTS.into_iter().any(holds_something)
    }

    /// Removes what a kill left half written: among the products all of it, beside them what no running process writes, since a
    /// report may be writing tables and pictures now, without the lock.
    fn remove_leftovers(&self) -> Result<(), RunError> {
        let products = PRODUCTS.map(|folder| self.path.join(folder));
        let networks = fs::read_dir(self.path.join("networks")).into_iter().flatten().flatten();
        let networks: Vec<PathBuf> = networks.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        let (gone, networks): (Vec<_>, Vec<_>) =
            networks.into_iter().partition(|path| path.extension().is_some_and(|extension| extension == GONE));
        gone.iter().try_for_each(|path| fs::remove_dir_all(path).map_err(RunError::io(path)))?;
        for folder in products.into_iter().chain(networks) {
            selfplay_files::remove_leftovers(&folder).map_err(RunError::io(&folder))?;
        }
        selfplay_files::remove_leftovers_of_the_dead(&self.path, "").map_err(RunError::io(&self.path))
    }

    /// Takes the run for this process.
    ///
    /// # Errors
    /// [`RunError::RunInUse`] if another has it.
    pub fn lock(&self) -> Result<RunLock, RunError> {
        let path = self.path.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(RunError::io(&path))?;
        let in_use = || RunError::RunInUse { path: self.path.clone() };
        match patiently_locked(file) {
            Ok(Some(file)) => match self.folder_file().map(patiently_locked) {
                Some(Ok(None)) => Err(in_use()),
                Some(Ok(folder)) => Ok(RunLock { _file: file, _folder: folder }),
                // Some file systems lock files alone.
                Some(Err(_)) | None => Ok(RunLock { _file: file, _folder: None }),
            },
            Ok(None) => Err(in_use()),
            Err(source) => Err(RunError::Io { path, source }),
        }
    }

    /// The folder as a file, where the system has folders that are.
    fn folder_file(&self) -> Option<File> {
        File::open(&self.path).ok()
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The config the run was started with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn config(&self, games: &Games) -> Result<RunConfig, RunError> {
        Ok(RunConfig::load(&self.path.join(CONFIG), &[], games)?)
    }

    /// The shard of the games of `generation`.
    pub fn shard(&self, generation: u32) -> PathBuf {
        self.path.join("games").join(format!("gen-{generation:05}.shard"))
    }

    /// The checkpoint folder of `generation`.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.path.join("networks").join(format!("gen-{generation:05}"))
    }

    /// Removes the checkpoint folder of `generation`, if there is one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn discard_network(&self, generation: u32) -> Result<(), RunError> {
        let folder = self.network(generation);
        let gone = folder.with_extension(GONE);
        // At once, as far as anybody can see: a folder that lost a part of its files would be a damaged checkpoint.
        let removed = fs::rename(&folder, &gone).and_then(|()| fs::remove_dir_all(&gone));
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(RunError::Io { path: folder, source: error })
            }
            _ => Ok(()),
        }
    }

    fn phase_file(generation: u32, phase: Phase) -> String {
        format!("phases/gen-{generation:05}.{}.json", phase.name())
    }

    /// Where a phase's report lies once it is complete.
    pub fn phase_path(&self, generation: u32, phase: Phase) -> PathBuf {
        self.path.join(Self::phase_file(generation, phase))
    }

    /// The phase files that are missing although the run went on from them: a generation that there is anything of has
    /// all phases behind it, those of the generations before it above all. A run that no generation was judged in, as in
    /// ablations, misses no judgement.
    pub fn missing_phases(&self) -> Vec<PathBuf> {
        let has = |generation: u32, phase: Phase| self.phase_path(generation, phase).exists();
        let phases = [Phase::SelfPlay, Phase::Learn, Phase::Gate];
        let known =
            |&generation: &u32| self.network(generation).exists() || phases.iter().any(|&phase| has(generation, phase));
        let count = (0..).take_while(known).count() as u32;
        let is_judged = has(0, Phase::Baselines) || (0..count).any(|generation| has(generation, Phase::Gate));
        let mut expected = Vec::new();
        for generation in 0..count {
            // The newest generation may still wait for its reports.
            let is_newest = generation + 1 == count;
            if generation == 0 {
                expected.extend(is_judged.then_some((0, Phase::Baselines)));
            } else if !is_newest {
                expected.extend([(generation, Phase::SelfPlay), (generation, Phase::Learn)]);
            }
            expected.extend((is_judged && !is_newest).then_some((generation, Phase::Gate)));
        }
        let missing = expected.into_iter().filter(|&(generation, phase)| !has(generation, phase));
        missing.map(|(generation, phase)| self.phase_path(generation, phase)).collect()
    }

    /// Whether a process works on the run now.
    pub fn is_in_use(&self) -> bool {
        let files = [File::open(self.path.join(LOCK)).ok(), self.folder_file()];
        let is_locked = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        files.iter().flatten().any(is_locked)
    }

    /// What a phase left when it was complete, or `None` if it is not.
    ///
    /// # Errors
    /// If the file is there but unreadable.
    pub fn completed<T: DeserializeOwned>(&self, generation: u32, phase: Phase) -> Result<Option<T>, RunError> {
        self.stored(&Self::phase_file(generation, phase))
    }

    /// Marks a phase as complete and keeps what it found.
    ///
    /// # Errors
    /// If the file cannot be written; the phase then counts as not done.
    pub fn complete<T: Serialize>(&self, generation: u32, phase: Phase, report: &T) -> Result<(), RunError> {
        self.store(&Self::phase_file(generation, phase), report)
    }

    /// What was [stored](Self::store) as `name`, if anything was.
    ///
    /// # Errors
    /// If the file is there but unreadable, or not as it was written.
    pub fn stored<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, RunError> {
        let path = self.path.join(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RunError::Io { path, source }),
        };
        let Some(report) = checked(&text) else { return Err(RunError::DamagedChecksum { path }) };
        serde_json::from_str(&report).map(Some).map_err(|source| RunError::DamagedJson { path, source })
    }

    /// Stores a value with entries as the file `name` of the run, in JSON with a checksum.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn store<T: Serialize>(&self, name: &str, value: &T) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(value).expect("what is stored is plain data");
        self.write(name, with_checksum(&text).as_bytes())
    }

    /// Writes a file of the run, whole or not at all.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        Ok(write_file(&self.path.join(name), bytes)?)
    }

    /// The champion's generation, or `None` before the first gate: what the gate reports say, or the champion's own file where
    /// there are none, as in a copy without phases.
    ///
    /// # Errors
    /// If a file is there but unreadable.
    pub fn champion(&self) -> Result<Option<u32>, RunError> {
        let (mut champion, mut generation) = (None, 0);
        while let Some(report) = self.completed::<GateReport>(generation, Phase::Gate)? {
            if report.is_promoted() {
                champion = Some(generation);
            }
            generation += 1;
        }
        if generation > 0 { Ok(champion) } else { self.named_champion() }
    }

    /// The generation that the champion's file names.
    fn named_champion(&self) -> Result<Option<u32>, RunError> {
        let path = self.path.join(CHAMPION);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RunError::Io { path, source }),
        };
        toml::from_str::<Champion>(&text)
            .map(|champion| Some(champion.generation))
            .map_err(|source| RunError::DamagedToml { path, reason: source.message().into() })
    }

    /// Has the champion's file name this generation, whatever it named before.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn name_champion(&self, generation: u32) -> Result<(), RunError> {
        // One that cannot be read is replaced as well.
        if self.named_champion().is_ok_and(|named| named == Some(generation)) {
            return Ok(());
        }
        let text = toml::to_string(&Champion { generation }).expect("plain data");
        self.write(CHAMPION, text.as_bytes())
    }
}

/// The file once it is locked, or `None` if another process has it for longer than a look takes.
fn patiently_locked(file: File) -> std::io::Result<Option<File>> {
    for _ in 0..10 {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // Whoever only looks whether the run is in use has it for a moment.
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(source)) => return Err(source),
        }
    }
    Ok(None)
}

/// Before the checksum of a report, which is its last entry.
const CHECKSUM: &str = ",\n  \"checksum\": \"";

/// `report`, an object in JSON, with the BLAKE3 hash of its text as its last entry.
fn with_checksum(report: &str) -> String {
    let entries = report.strip_suffix("\n}").expect("an object that is written prettily");
    format!("{entries}{CHECKSUM}{}\"\n}}", blake3::hash(report.as_bytes()).to_hex())
}

/// A report without its checksum, or `None` if that is another. Reports of older programs have none.
fn checked(text: &str) -> Option<Cow<'_, str>> {
    let Some((entries, checksum)) = text.rsplit_once(CHECKSUM) else { return Some(text.into()) };
    let report = format!("{entries}\n}}");
    (checksum.strip_suffix("\"\n}") == Some(blake3::hash(report.as_bytes()).to_hex().as_str())).then_some(report.into())
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Champion {
    generation: u32,
}

/// The name of `folder` itself, also where it is given as `.` or a link.
pub fn folder_name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.into());
    whole.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What a creation that was cut short may leave before the config is there is ours.
fn not_ours(entry: fs::DirEntry) -> bool {
    let name = entry.file_name();
    let ours = [LOCK, "games", "networks", "phases"];
    !ours.iter().any(|known| name == *known) && !name.to_string_lossy().ends_with(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_character_of_a_report_is_noticed_or_changes_nothing() {
        let report = "{\n  \"games\": 12,\n  \"time\": {\n    \"seconds\": 0.5\n  }\n}";
        let text = with_checksum(report);
        assert_eq!(checked(&text).unwrap(), report);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["games"], 12, "it is JSON for everybody");
        for (at, _) in text.char_indices() {
            for bit in 0..7 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let read = checked(&changed).and_then(|report| serde_json::from_str::<serde_json::Value>(&report).ok());
                let is_harmless = read.is_none_or(|mut read| {
                    // Where the checksum's own name is spoilt it is an entry that nobody reads.
                    let object = read.as_object_mut().unwrap();
                    object.retain(|key, _| ["games", "time"].contains(&key.as_str()));
                    serde_json::Value::from(object.clone())
                        == serde_json::from_str::<serde_json::Value>(report).unwrap()
                });
                assert!(is_harmless, "{changed}");
            }
        }
        assert_eq!(checked(report).unwrap(), report, "older reports have none");
    }

    #[test]
    fn a_removed_lock_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder { path: folder.path().into() };
        let held = run.lock().unwrap();
        assert!(run.is_in_use());
        fs::remove_file(folder.path().join(LOCK)).unwrap();
        assert!(run.is_in_use() && matches!(run.lock(), Err(RunError::RunInUse { .. })));
        drop(held);
        assert!(!run.is_in_use() && run.lock().is_ok());
    }

    #[test]
    fn the_champion_s_file_is_written_again_whatever_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder { path: folder.path().into() };
        for spoilt in ["generation = 8\n", "generation = x", ""] {
            fs::write(folder.path().join(CHAMPION), spoilt).unwrap();
            run.name_champion(3).unwrap();
            assert_eq!(run.champion().unwrap(), Some(3));
        }
    }
}
