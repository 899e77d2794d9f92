//! A run folder: where everything of one training run lives, and how much of the run is done.
//!
//! ```text
//! checkpoints/<run>/
//!   config.toml                 the resolved config; the run is a function of it
//!   champion.toml               which generation is the champion
//!   games/gen-00003.shard       self-play records
//!   networks/gen-00003/         checkpoint folder (generation 0: untrained)
//!   phases/gen-00003.<phase>.json   written when a phase is complete: its presence is the run's state
//!   *.csv *.svg *.png metrics.jsonl tensorboard/   rebuilt from the phase files
//!   calls.jsonl                 the machines and programs it was computed with
//!   live.json                   what it does now, for whoever looks at it
//! ```
//!
//! Nothing but the phases records progress, so a run killed at any moment goes on from the last complete phase.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use selfplay_kit::Games;
use selfplay_notebooks_export::files::write_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::{RunConfig, did_you_mean_file};
use crate::error::RunError;
use crate::phase::Phase;

/// An existing run folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
}

/// Holds a run for one process; let go when dropped or when the process ends in any way.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

const CONFIG: &str = "config.toml";
const LOCK: &str = "lock";
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

    /// Removes what a kill left half written among the products. Tables and pictures beside them are let be: a report may
    /// be writing them now, without the lock.
    fn remove_leftovers(&self) -> Result<(), RunError> {
        let products = PRODUCTS.map(|folder| self.path.join(folder));
        let networks = fs::read_dir(self.path.join("networks")).into_iter().flatten().flatten();
        let networks = networks.map(|entry| entry.path()).filter(|path| path.is_dir());
        for folder in products.into_iter().chain(networks) {
            selfplay_files::remove_leftovers(&folder).map_err(RunError::io(&folder))?;
        }
        Ok(())
    }

    fn lock(&self) -> Result<RunLock, RunError> {
        let path = self.path.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(RunError::io(&path))?;
        // Whoever only looks whether the run is in use has the file for a moment.
        for _ in 0..10 {
            match file.try_lock() {
                Ok(()) => return Ok(RunLock { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
                Err(TryLockError::Error(source)) => return Err(RunError::Io { path, source }),
            }
        }
        Err(RunError::RunInUse { path: self.path.clone() })
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
        match fs::remove_dir_all(&folder) {
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
        let Ok(file) = File::open(self.path.join(LOCK)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// What a phase left when it was complete, or `None` if it is not.
    ///
    /// # Errors
    /// If the file is there but unreadable.
    pub fn completed<T: DeserializeOwned>(&self, generation: u32, phase: Phase) -> Result<Option<T>, RunError> {
        let path = self.phase_path(generation, phase);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RunError::Io { path, source }),
        };
        serde_json::from_str(&text).map(Some).map_err(|source| RunError::DamagedJson { path, source })
    }

    /// Marks a phase as complete and keeps what it found.
    ///
    /// # Errors
    /// If the file cannot be written; the phase then counts as not done.
    pub fn complete<T: Serialize>(&self, generation: u32, phase: Phase, report: &T) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(report).expect("phase reports are plain data");
        self.write(&Self::phase_file(generation, phase), text.as_bytes())
    }

    /// Writes a file of the run, whole or not at all.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        Ok(write_file(&self.path.join(name), bytes)?)
    }

    /// The champion's generation, or `None` before the first gate.
    ///
    /// # Errors
    /// If the file is there but unreadable.
    pub fn champion(&self) -> Result<Option<u32>, RunError> {
        let path = self.path.join("champion.toml");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RunError::Io { path, source }),
        };
        toml::from_str::<Champion>(&text)
            .map(|champion| Some(champion.generation))
            .map_err(|source| RunError::DamagedToml { path, reason: source.message().into() })
    }

    /// Names the champion for programs that play the run's agent; a name of a later generation stays.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn set_champion(&self, generation: u32) -> Result<(), RunError> {
        if self.champion()?.is_some_and(|named| named >= generation) {
            return Ok(());
        }
        let text = toml::to_string(&Champion { generation }).expect("plain data");
        self.write("champion.toml", text.as_bytes())
    }
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
