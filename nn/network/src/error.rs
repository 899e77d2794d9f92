//! What can go wrong with network configs, weights and checkpoint folders.

use std::io;
use std::path::PathBuf;

use selfplay_config::InvalidKey;

/// Why a network or a checkpoint cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A text that names no precision.
    #[error("there is no precision `{text}`; the precisions are f32 and int8")]
    UnknownPrecision {
        /// The text that was read.
        text: String,
    },
    /// A network config that describes no network.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// A config that asks for a head that the game has no target for.
    #[error("`auxiliary.final_state` is true, but the end of `{game}` gives nothing to foresee: switch it off")]
    NoFinalState {
        /// Id of the game.
        game: &'static str,
    },
    /// A trained network cannot go on as the one that was asked for.
    #[error("the trained network cannot become the network of this config: {reason}")]
    CannotGrow {
        /// What does not fit.
        reason: String,
    },
    /// Something that a checkpoint must hold is not there.
    #[error("the checkpoint has no file {}", path.display())]
    MissingFile {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// The checkpoint was exported for playing, without what training needs.
    #[error("{} was exported without {file}: it can play but not be trained further", folder.display())]
    NoTrainingState {
        /// The checkpoint folder.
        folder: PathBuf,
        /// The file that its manifest does not list.
        file: &'static str,
    },
    /// The manifest is no manifest.
    #[error("cannot understand {}: {reason}", path.display())]
    UnreadableManifest {
        /// The manifest.
        path: PathBuf,
        /// What the parser says.
        reason: String,
    },
    /// The checkpoint was written by another version of this program.
    #[error("{} has format version {found}, this program reads version {supported}", path.display())]
    FormatVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version this program reads and writes.
        supported: u32,
    },
    /// The network was trained for another game.
    #[error("{} belongs to the game `{found}`, not `{expected}`", folder.display())]
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
    #[error("{} holds a network for {found}, but `{game}` has {expected}", folder.display())]
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
    #[error("{} is damaged: its BLAKE3 hash is {found}, the manifest says {expected}", path.display())]
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
    #[error("{} exists already; remove it first or choose another name", path.display())]
    AlreadyExists {
        /// Where the checkpoint was to be written.
        path: PathBuf,
    },
    /// A path that cannot name a checkpoint folder.
    #[error("`{}` does not name a folder that a checkpoint could be written to", path.display())]
    UnusablePath {
        /// The path that was given.
        path: PathBuf,
    },
    /// The operating system refused: no such folder, no space, no permission.
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
