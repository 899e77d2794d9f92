//! What can go wrong with network configs, weights and checkpoint folders.

use std::io;
use std::path::PathBuf;

use selfplay_config::InvalidKey;

/// Why a network or a checkpoint cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A text that names no precision.
    #[error("unknown precision `{text}`: expected f32 or int8")]
    UnknownPrecision {
        /// The text that was read.
        text: String,
    },
    /// A network config that describes no network.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// A config that asks for a head that the game has no target for.
    #[error("`auxiliary.final_state` is true, but `{game}` has no final-state target; set it to false")]
    NoFinalState {
        /// Id of the game.
        game: &'static str,
    },
    /// A trained network cannot be grown into the requested network.
    #[error("cannot grow the trained network into the network of this config: {reason}")]
    CannotGrow {
        /// What does not fit.
        reason: String,
    },
    /// Something that a checkpoint must hold is not there.
    #[error("{}: missing file of the checkpoint", path.display())]
    MissingFile {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// The checkpoint was exported for playing, without what training needs.
    #[error("{}: exported without {file}: it can play, but training cannot resume from it", folder.display())]
    NoTrainingState {
        /// The checkpoint folder.
        folder: PathBuf,
        /// The file that its manifest does not list.
        file: &'static str,
    },
    /// The manifest is no manifest.
    #[error("{}: unreadable manifest: {reason}", path.display())]
    UnreadableManifest {
        /// The manifest.
        path: PathBuf,
        /// What the parser says.
        reason: String,
    },
    /// The checkpoint was written by another version of this program.
    #[error("{}: cannot read checkpoint format {found}: this version of selfplay reads format {supported}; open it with the version that wrote it", path.display())]
    FormatVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version this program reads and writes.
        supported: u32,
    },
    /// The network was trained for another game.
    #[error("{}: checkpoint of game `{found}`, expected `{expected}`", folder.display())]
    WrongGame {
        /// The checkpoint folder.
        folder: PathBuf,
        /// Game of the checkpoint.
        found: String,
        /// Game that was asked for.
        expected: &'static str,
    },
    /// Planes or actions had another meaning when the network was trained.
    #[error(
        "{} was trained with encoding version {found} of `{game}`; this program encodes with version {expected}",
        folder.display()
    )]
    EncodingVersion {
        /// The checkpoint folder.
        folder: PathBuf,
        /// The game.
        game: &'static str,
        /// Encoding version of the checkpoint.
        found: u32,
        /// Encoding version of this program.
        expected: u32,
    },
    /// The tensors going in and out have other sizes than the game's.
    #[error("{}: network for {found}, but `{game}` has {expected}", folder.display())]
    NetworkShape {
        /// The checkpoint folder.
        folder: PathBuf,
        /// The game.
        game: &'static str,
        /// Sizes in the checkpoint.
        found: String,
        /// Sizes of the game.
        expected: String,
    },
    /// A file is not the one that was written.
    #[error("{}: checksum mismatch (file is damaged): BLAKE3 {found}, expected {expected}", path.display())]
    HashMismatch {
        /// The damaged file.
        path: PathBuf,
        /// Hash noted when it was written.
        expected: String,
        /// Hash of what is there now.
        found: String,
    },
    /// Tensors that are not those of the network.
    #[error("the weights do not fit the network: {reason}")]
    UnfitWeights {
        /// Which tensor is missing, too much or of another shape.
        reason: String,
    },
    /// Weights that are no numbers are neither written nor played with.
    #[error("the network's `{tensor}` holds {value}: training has diverged")]
    NotFinite {
        /// Name of the tensor.
        tensor: String,
        /// Infinite, or not a number.
        value: f32,
    },
    /// Weights so large that the network's answers are no numbers.
    #[error("the network is useless: its layer `{layer}` computes {value} in positions of random games")]
    UselessLayer {
        /// Name of the first such layer.
        layer: String,
        /// Infinite, or not a number.
        value: f32,
    },
    /// A tensor file does not hold the tensors it should.
    #[error("{} does not fit the network: {reason}", path.display())]
    UnfitTensors {
        /// The tensor file.
        path: PathBuf,
        /// Which tensor is missing, too much, of another shape or not finite.
        reason: String,
    },
    /// A checkpoint never overwrites another.
    #[error("{} already exists; remove it or choose another name", path.display())]
    AlreadyExists {
        /// Where the checkpoint was to be written.
        path: PathBuf,
    },
    /// A path that cannot name a checkpoint folder.
    #[error("{}: not a valid checkpoint folder", path.display())]
    UnusablePath {
        /// The path that was given.
        path: PathBuf,
    },
    /// The operating system returned an error: no such folder, no space, no permission.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or folder it was done to.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}
