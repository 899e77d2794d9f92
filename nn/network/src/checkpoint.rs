//! Checkpoint folders: written all or nothing, rejected with a reason unless they fit.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.toml` | game, network, provenance, a hash of each other file |
//! | `weights.safetensors` | the weights to play with (averaged over training) |
//! | `training.safetensors` | the weights being trained; absent from exported agents |
//! | `optimizer.safetensors` | the optimizer's state; absent from exported agents |

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use selfplay_env::GameShape;
use selfplay_storage::{sync_folder, write_file};
use serde::{Deserialize, Serialize};

use crate::error::NetworkError;
use crate::manifest::{FORMAT_VERSION, Manifest, ManifestGame, Provenance, check_hash};
use crate::tensor_file::{NamedTensor, decode, encode};
use crate::weights::NetworkWeights;

/// Name of the manifest in a checkpoint folder.
pub const MANIFEST_FILE: &str = "manifest.toml";
/// Name of the file with the weights to play with.
pub const WEIGHTS_FILE: &str = "weights.safetensors";
/// Name of the file with the weights being trained.
pub const TRAINING_FILE: &str = "training.safetensors";
/// Name of the file with the optimizer's state.
pub const OPTIMIZER_FILE: &str = "optimizer.safetensors";

/// What training needs beyond the weights to play with.
#[derive(Clone, Debug)]
pub struct TrainingState {
    /// The weights being trained.
    pub weights: NetworkWeights,
    /// The optimizer's state, named by the optimizer.
    pub optimizer: Vec<NamedTensor>,
}

/// Writes a checkpoint to `folder`, which must not exist yet; its parent must.
///
/// Everything is written to a hidden sibling folder, flushed to the disk and renamed, so `folder` appears complete or
/// not at all. Hidden folders left behind by a killed process are removed when the same name is written again; two
/// processes must not write the same name.
///
/// # Errors
/// [`NetworkError::AlreadyExists`], [`NetworkError::UnusablePath`], [`NetworkError::NotFinite`],
/// [`NetworkError::UnfitTensors`] if two of the optimizer's tensors share a name or a shape is wrong, [`NetworkError::Io`].
pub fn save(
    folder: &Path,
    weights: &NetworkWeights,
    training: Option<&TrainingState>,
    provenance: &Provenance,
) -> Result<Manifest, NetworkError> {
    let mut contents = vec![(WEIGHTS_FILE, weights.tensors())];
    if let Some(training) = training {
        contents.push((TRAINING_FILE, training.weights.tensors()));
        contents.push((OPTIMIZER_FILE, &training.optimizer));
    }
    // Nothing that could not be read again is written in the place of something that can.
    for tensor in contents.iter().flat_map(|(_, tensors)| *tensors) {
        if let Some(value) = tensor.not_finite() {
            return Err(NetworkError::NotFinite { tensor: tensor.name.clone(), value });
        }
    }
    let mut files = Vec::new();
    for (name, tensors) in contents {
        let bytes = encode(tensors).map_err(|error| error.in_file(folder.join(name)))?;
        files.push((name, bytes));
    }
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        game: ManifestGame::from(weights.shape()),
        network: weights.config().clone(),
        provenance: provenance.clone(),
        files: files.iter().map(|(name, bytes)| ((*name).to_owned(), blake3::hash(bytes).to_string())).collect(),
    };
    files.push((MANIFEST_FILE, manifest.to_text().into_bytes()));
    write_folder(folder, &files)?;
    Ok(manifest)
}

/// Removes the files that only training needs from the checkpoint `folder`, which can then play but not be trained
/// further. Does nothing if they are already removed.
///
/// The manifest is rewritten first, so a crash in between leaves only files that it does not list.
///
/// # Errors
/// Those of [`load_manifest`], [`NetworkError::Io`].
pub fn discard_training_state(folder: &Path) -> Result<(), NetworkError> {
    let mut manifest = load_manifest(folder)?;
    let is_listed = |manifest: &mut Manifest, name: &str| manifest.files.remove(name).is_some();
    let had_training = is_listed(&mut manifest, TRAINING_FILE) | is_listed(&mut manifest, OPTIMIZER_FILE);
    if had_training {
        let path = folder.join(MANIFEST_FILE);
        write_file(&path, manifest.to_text().as_bytes()).map_err(io_error("replace", &path))?;
    }
    for name in [TRAINING_FILE, OPTIMIZER_FILE] {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io_error("remove", &path)(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Whether the checkpoint `folder` can be trained further.
///
/// # Errors
/// Those of [`load_manifest`].
pub fn has_training_state(folder: &Path) -> Result<bool, NetworkError> {
    Ok(load_manifest(folder)?.files.contains_key(TRAINING_FILE))
}

/// What it takes to play, of the checkpoint in `folder`, in memory: an exported agent is made of it.
///
/// # Errors
/// Those of [`load_manifest`], and [`NetworkError::HashMismatch`] if the weights are damaged.
pub fn bundle(folder: &Path) -> Result<Bundle, NetworkError> {
    let mut manifest = load_manifest(folder)?;
    manifest.files.retain(|name, _| name == WEIGHTS_FILE);
    let weights = checked_file(&Source::Folder(folder), &manifest, WEIGHTS_FILE)?;
    Ok(Bundle { manifest: manifest.to_text().into_bytes(), weights })
}

/// A checkpoint without what only training needs, in memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bundle {
    /// What `manifest.toml` would hold.
    pub manifest: Vec<u8>,
    /// What `weights.safetensors` would hold.
    pub weights: Vec<u8>,
}

impl Bundle {
    /// The manifest.
    ///
    /// # Errors
    /// Those of [`load_manifest`].
    pub fn manifest(&self) -> Result<Manifest, NetworkError> {
        manifest_from(&Source::Bundle(self))
    }

    /// Reads the weights to play the game of `shape` with.
    ///
    /// # Errors
    /// Those of [`load_weights`].
    pub fn weights(&self, shape: GameShape) -> Result<NetworkWeights, NetworkError> {
        let source = Source::Bundle(self);
        weights_from(&source, &manifest_from(&source)?, WEIGHTS_FILE, shape)
    }

    /// Writes it as a checkpoint to `folder`, in the manner of [`save`]; the number of bytes.
    ///
    /// # Errors
    /// [`NetworkError::AlreadyExists`], [`NetworkError::UnusablePath`], [`NetworkError::Io`].
    pub fn save(self, folder: &Path) -> Result<u64, NetworkError> {
        let files = [(WEIGHTS_FILE, self.weights), (MANIFEST_FILE, self.manifest)];
        write_folder(folder, &files)?;
        Ok(files.iter().map(|(_, bytes)| bytes.len() as u64).sum())
    }
}

/// Where a checkpoint's files are.
enum Source<'a> {
    Folder(&'a Path),
    Bundle(&'a Bundle),
}

impl Source<'_> {
    /// What messages call the checkpoint.
    fn folder(&self) -> &Path {
        match self {
            Source::Folder(folder) => folder,
            Source::Bundle(_) => Path::new("the agent in this program"),
        }
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, NetworkError> {
        match self {
            Source::Folder(folder) => read(&folder.join(file)),
            Source::Bundle(bundle) if file == MANIFEST_FILE => Ok(bundle.manifest.clone()),
            Source::Bundle(bundle) if file == WEIGHTS_FILE => Ok(bundle.weights.clone()),
            Source::Bundle(_) => Err(NetworkError::MissingFile { path: self.folder().join(file) }),
        }
    }
}

/// Reads only the manifest, for example to learn which game a checkpoint plays.
///
/// # Errors
/// [`NetworkError::MissingFile`], [`NetworkError::FormatVersion`], [`NetworkError::HashMismatch`],
/// [`NetworkError::UnreadableManifest`], [`NetworkError::Io`].
pub fn load_manifest(folder: &Path) -> Result<Manifest, NetworkError> {
    manifest_from(&Source::Folder(folder))
}

fn manifest_from(source: &Source<'_>) -> Result<Manifest, NetworkError> {
    let path = source.folder().join(MANIFEST_FILE);
    let bytes = source.read(MANIFEST_FILE)?;
    let text = str::from_utf8(&bytes)
        .map_err(|error| NetworkError::UnreadableManifest { path: path.clone(), reason: error.to_string() })?;
    Manifest::from_text(&path, text)
}

/// Reads the weights to play the game of `shape` with.
///
/// # Errors
/// Those of [`load_manifest`]; [`NetworkError::WrongGame`], [`NetworkError::EncodingVersion`] and
/// [`NetworkError::NetworkShape`] if the network was made for something else; [`NetworkError::InvalidKey`] and
/// [`NetworkError::UnfitTensors`] if the files contradict each other.
pub fn load_weights(folder: &Path, shape: GameShape) -> Result<(NetworkWeights, Manifest), NetworkError> {
    let manifest = load_manifest(folder)?;
    let weights = weights_from(&Source::Folder(folder), &manifest, WEIGHTS_FILE, shape)?;
    Ok((weights, manifest))
}

/// Reads what training a network for the game of `shape` needs.
///
/// # Errors
/// Those of [`load_weights`]; [`NetworkError::NoTrainingState`] for an exported agent.
pub fn load_training_state(folder: &Path, shape: GameShape) -> Result<(TrainingState, Manifest), NetworkError> {
    let manifest = load_manifest(folder)?;
    let source = Source::Folder(folder);
    let weights = weights_from(&source, &manifest, TRAINING_FILE, shape)?;
    let optimizer = tensors_from(&source, &manifest, OPTIMIZER_FILE)?;
    Ok((TrainingState { weights, optimizer }, manifest))
}

fn weights_from(
    source: &Source<'_>,
    manifest: &Manifest,
    file: &'static str,
    shape: GameShape,
) -> Result<NetworkWeights, NetworkError> {
    check_game(source.folder(), &manifest.game, &shape)?;
    let tensors = tensors_from(source, manifest, file)?;
    NetworkWeights::from_tensors(shape, manifest.network.clone(), tensors).map_err(|error| match error {
        NetworkError::UnfitWeights { reason } => {
            NetworkError::UnfitTensors { path: source.folder().join(file), reason }
        }
        other => other,
    })
}

fn check_game(folder: &Path, found: &ManifestGame, expected: &GameShape) -> Result<(), NetworkError> {
    let game = expected.game;
    if found.id != game {
        return Err(NetworkError::WrongGame { folder: folder.to_owned(), found: found.id.clone(), expected: game });
    }
    if found.encoding_version != expected.encoding_version {
        return Err(NetworkError::EncodingVersion {
            folder: folder.to_owned(),
            game,
            found: found.encoding_version,
            expected: expected.encoding_version,
        });
    }
    if *found != ManifestGame::from(expected) {
        let ManifestGame { planes, height, width, action_count, policy_planes, .. } = found;
        let policy = policy_planes.map_or("a dense policy".to_owned(), |planes| format!("{planes} policy planes"));
        return Err(NetworkError::NetworkShape {
            folder: folder.to_owned(),
            game,
            found: format!("{planes} planes of {height}×{width} and {action_count} actions in {policy}"),
            expected: expected.to_string(),
        });
    }
    Ok(())
}

fn tensors_from(
    source: &Source<'_>,
    manifest: &Manifest,
    file: &'static str,
) -> Result<Vec<NamedTensor>, NetworkError> {
    let bytes = checked_file(source, manifest, file)?;
    decode(&bytes).map_err(|error| error.in_file(source.folder().join(file)))
}

/// The bytes of a file that `manifest` lists.
fn checked_file(source: &Source<'_>, manifest: &Manifest, file: &'static str) -> Result<Vec<u8>, NetworkError> {
    let missing = || NetworkError::NoTrainingState { folder: source.folder().to_owned(), file };
    let expected = manifest.files.get(file).ok_or_else(missing)?;
    let bytes = source.read(file)?;
    check_hash(&source.folder().join(file), &bytes, expected)?;
    Ok(bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, NetworkError> {
    fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => NetworkError::MissingFile { path: path.to_owned() },
        _ => NetworkError::Io { action: "read", path: path.to_owned(), source },
    })
}

/// Writes `files` (name, bytes) into the new folder `folder`, all or nothing.
fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), NetworkError> {
    if folder.symlink_metadata().is_ok() {
        return Err(NetworkError::AlreadyExists { path: folder.to_owned() });
    }
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
        return Err(NetworkError::UnusablePath { path: folder.to_owned() });
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let prefix = format!(".{name}.tmp-");
    remove_leftovers(parent, &prefix)?;
    let temporary = TemporaryFolder { path: parent.join(format!("{prefix}{}", std::process::id())) };
    fs::create_dir(&temporary.path).map_err(io_error("create", &temporary.path))?;
    for (name, bytes) in files {
        write_synced(&temporary.path.join(name), bytes)?;
    }
    sync_folder(&temporary.path).map_err(io_error("flush", &temporary.path))?;
    fs::rename(&temporary.path, folder).map_err(io_error("create", folder))?;
    sync_folder(parent).map_err(io_error("flush", parent))
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), NetworkError> {
    let mut file = File::create(path).map_err(io_error("create", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io_error("write", path))
}

/// A folder that is removed when dropped, unless it was renamed by then.
struct TemporaryFolder {
    path: PathBuf,
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nothing more can be done here if this fails too; the next save under the same name tries again.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn remove_leftovers(parent: &Path, prefix: &str) -> Result<(), NetworkError> {
    let entries = fs::read_dir(parent).map_err(io_error("list", parent))?;
    for entry in entries {
        let path = entry.map_err(io_error("list", parent))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let writer = name.and_then(|name| name.strip_prefix(prefix)?.parse().ok());
        // A process of ours has one folder at a time: what bears its number is of one that had it before.
        if writer.is_some_and(|writer| writer == std::process::id() || !selfplay_storage::may_run(writer)) {
            fs::remove_dir_all(&path).map_err(io_error("remove", &path))?;
        }
    }
    Ok(())
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> NetworkError {
    move |source| NetworkError::Io { action, path: path.to_owned(), source }
}
