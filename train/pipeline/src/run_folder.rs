//! A run folder: the files of one training run, and how much of the run is done.
//!
//! ```text
//! checkpoints/<run>/
//!   config.toml                 the resolved config; the run is a function of it
//!   game.py                     the game's file, where the game is not one of the program's
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
//! Only the phase files record progress, so a run killed at any moment resumes from the last complete phase. Each phase
//! file ends with the identity of its report and its own checksum. Games and networks also carry their run and
//! generation, so that a file in the place of another is detected.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use selfplay_network::checkpoint::load_manifest;
use selfplay_notebooks_export::files::write_file;
use selfplay_registry::Games;
use selfplay_train::shard::read_shard;
use selfplay_train::{GameRecord, ShardHeader};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checksummed::{opened, sealed};
use crate::config::{ConfigError, RunConfig};
use crate::error::RunError;
use crate::nearby::did_you_mean_file;
use crate::phase::Phase;
use crate::run_lock::{LOCK, RunLock};

/// An existing run folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Which run it is, filled on first use; none if its config cannot be read.
    identity: OnceLock<Option<RunIdentity>>,
    /// The folder that was locked, even if the path leads elsewhere by now; none for readers.
    home: Option<FolderId>,
}

/// Which run something is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunIdentity {
    /// Id of the game.
    pub game: String,
    /// The run's seed.
    pub seed: u64,
}

impl fmt::Display for RunIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with seed {}", self.game, self.seed)
    }
}

/// What a folder stays when it is renamed: its device and number there.
type FolderId = (u64, u64);

fn folder_id(path: &Path) -> Option<FolderId> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|folder| (folder.dev(), folder.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

const CONFIG: &str = "config.toml";
const RULES: &str = "game.py";
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
        let mut run = RunFolder::at(path);
        let is_foreign = fs::read_dir(path).is_ok_and(|mut entries| entries.any(|e| e.is_ok_and(not_ours)));
        if is_foreign && !run.path.join(CONFIG).exists() {
            return Err(RunError::NotARun { path: path.into() });
        }
        fs::create_dir_all(path).map_err(RunError::io(path))?;
        let lock = run.lock()?;
        run.home = folder_id(path);
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
            if run.phase_path(config.generations.saturating_add(1), Phase::SelfPlay).exists() {
                return Err(RunError::FewerGenerations { path: path.into(), generations: config.generations });
            }
            // Only the length of the run may differ.
            run.write(CONFIG, config.to_toml().as_bytes())?;
        }
        run.identity = Some(RunIdentity { game: config.game.clone(), seed: config.seed }).into();
        Ok((run, lock))
    }

    /// Keeps the file of a game that is not one of the program's: the run is a function of it, too.
    ///
    /// # Errors
    /// If the run has begun with another file, or this one cannot be written.
    pub fn keep_rules(&self, source: &str) -> Result<(), RunError> {
        let path = self.path.join(RULES);
        match fs::read_to_string(&path) {
            Ok(kept) if kept == source => Ok(()),
            Ok(_) if self.has_begun() => Err(RunError::OtherRules { path }),
            _ => self.write(RULES, source.as_bytes()),
        }
    }

    pub(crate) fn at(path: &Path) -> Self {
        RunFolder { path: path.into(), identity: OnceLock::new(), home: None }
    }

    /// Which run it is, or `None` if its config cannot be read.
    pub fn identity(&self) -> Option<&RunIdentity> {
        let of_config = || {
            let text = fs::read_to_string(self.path.join(CONFIG)).ok()?;
            let RunConfig { game, seed, .. } = toml::from_str(&text).ok()?;
            Some(RunIdentity { game, seed })
        };
        self.identity.get_or_init(of_config).as_ref()
    }

    /// Opens a run folder for reading.
    ///
    /// # Errors
    /// If there is none at `path`.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        if path.join(CONFIG).is_file() {
            Ok(RunFolder::at(path))
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
        let (gone, networks): (Vec<_>, Vec<_>) = networks.into_iter().partition(|path| {
            path.extension().is_some_and(|extension| extension == GONE) && generation_of(path).is_some()
        });
        gone.iter().try_for_each(|path| fs::remove_dir_all(path).map_err(RunError::io(path)))?;
        for folder in products.into_iter().chain(networks) {
            selfplay_storage::remove_leftovers(&folder).map_err(RunError::io(&folder))?;
        }
        selfplay_storage::remove_leftovers_of_the_dead(&self.path, "").map_err(RunError::io(&self.path))
    }

    /// Takes the run for this process.
    ///
    /// # Errors
    /// [`RunError::RunInUse`] if another has it.
    pub fn lock(&self) -> Result<RunLock, RunError> {
        RunLock::take(&self.path)
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
        RunConfig::load(&self.path.join(CONFIG), &[], games).map_err(|source| match source {
            ConfigError::InFile { .. } => RunError::StoredConfig { source },
            source => source.into(),
        })
    }

    /// The shard of the games of `generation`.
    pub fn shard(&self, generation: u32) -> PathBuf {
        self.path.join("games").join(format!("gen-{generation:05}.shard"))
    }

    /// The checkpoint folder of `generation`.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.path.join("networks").join(format!("gen-{generation:05}"))
    }

    /// The checkpoint folder of `generation`, which is of this run and generation.
    ///
    /// # Errors
    /// If it is of another, or its manifest cannot be read.
    pub fn own_network(&self, generation: u32) -> Result<PathBuf, RunError> {
        let path = self.network(generation);
        let found = load_manifest(&path)?;
        let of = |game: &str, seed: u64, generation: u64| format!("generation {generation} of {game} with seed {seed}");
        if let Some(RunIdentity { game, seed }) = self.identity() {
            let expected = of(game, *seed, generation.into());
            let found = of(&found.game.id, found.provenance.seed, found.provenance.generation);
            if found != expected {
                return Err(RunError::Misplaced { path, found, expected });
            }
        }
        Ok(path)
    }

    /// The games of `generation`, with the header of their shard, which is of this run and generation.
    ///
    /// # Errors
    /// If it is of another, or cannot be read.
    pub fn own_games(&self, generation: u32) -> Result<Vec<GameRecord>, RunError> {
        let path = self.shard(generation);
        let (header, records) = read_shard(&path)?;
        if let Some(RunIdentity { game, seed }) = self.identity() {
            let expected = ShardHeader { game: game.clone(), run_seed: *seed, generation, ..header.clone() };
            if header != expected {
                let [found, expected] = [header, expected].map(|header| header.to_string());
                return Err(RunError::Misplaced { path, found, expected });
            }
        }
        Ok(records)
    }

    /// The generations that there is anything of.
    pub fn generations_present(&self) -> BTreeSet<u32> {
        let files = PRODUCTS.iter().flat_map(|folder| fs::read_dir(self.path.join(folder)).into_iter().flatten());
        files.flatten().filter_map(|entry| generation_of(&entry.path())).collect()
    }

    /// The number of generations from the untrained network on, without a gap among those that there is anything of.
    pub fn generation_count(&self) -> u32 {
        let present = self.generations_present();
        1 + (1..).take_while(|generation| present.contains(generation)).count() as u32
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
        RunLock::is_taken(&self.path)
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
    /// If the file is there but unreadable, or not as it was written, or was stored as another or by another run.
    pub fn stored<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, RunError> {
        let path = self.path.join(name);
        let Some(text) = self.read(name)? else { return Ok(None) };
        let Some(opened) = opened(&text) else { return Err(RunError::DamagedChecksum { path }) };
        if let (Some(found), Some(expected)) = (opened.of, self.named(name))
            && found != expected
        {
            return Err(RunError::Misplaced { path, found, expected });
        }
        serde_json::from_str(&opened.report).map(Some).map_err(|source| RunError::DamagedJson { path, source })
    }

    /// Stores a value with entries as the file `name` of the run, in JSON with a checksum.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn store<T: Serialize>(&self, name: &str, value: &T) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(value).expect("what is stored is plain data");
        self.write(name, sealed(&text, self.named(name).as_deref()).as_bytes())
    }

    /// What the file `name` of this run says that it is of.
    fn named(&self, name: &str) -> Option<String> {
        self.identity().map(|identity| format!("{name} of {identity}"))
    }

    /// The text of the file `name` of the run, if there is one.
    pub(crate) fn read(&self, name: &str) -> Result<Option<String>, RunError> {
        let path = self.path.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(RunError::Io { path, source }),
        }
    }

    /// Writes a file of the run, whole or not at all.
    ///
    /// # Errors
    /// What the operating system says; if another folder stands where that of the run was.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        if self.home.is_some() && folder_id(&self.path) != self.home {
            return Err(RunError::Moved { path: self.path.clone() });
        }
        Ok(write_file(&self.path.join(name), bytes)?)
    }
}

/// The generation that the name of a product begins with, as `gen-00003.gate.json`.
fn generation_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_prefix("gen-")?;
    name.split('.').next()?.parse().ok()
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
    fn a_removed_lock_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::at(folder.path());
        let held = run.lock().unwrap();
        assert!(run.is_in_use());
        fs::remove_file(folder.path().join(LOCK)).unwrap();
        assert!(run.is_in_use() && matches!(run.lock(), Err(RunError::RunInUse { .. })));
        drop(held);
        assert!(!run.is_in_use() && run.lock().is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_written_where_another_folder_took_the_place_of_the_run_s() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let games = Games::new(&[selfplay_tictactoe::TIC_TAC_TOE]);
        let mut config = RunConfig::parse("game = \"tictactoe\"\ngenerations = 1", &games).unwrap();
        let (run, _lock) = RunFolder::create_or_resume(&path, &mut config, &games).unwrap();
        run.write("notes", b"of the run").unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        assert!(matches!(run.write("notes", b""), Err(RunError::Moved { .. })));
        fs::create_dir(&path).unwrap();
        assert!(matches!(run.write("notes", b""), Err(RunError::Moved { .. })));
        assert!(!path.join("notes").exists());
    }
}
