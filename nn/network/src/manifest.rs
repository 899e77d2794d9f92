//! `manifest.toml`: what a checkpoint is, and the hash of each of its files.

use std::collections::BTreeMap;
use std::path::Path;

use selfplay_env::{GameShape, PolicyShape};
use serde::{Deserialize, Serialize};

use crate::config::NetworkConfig;
use crate::error::NetworkError;

/// Version of the layout of checkpoint folders that this program reads and writes.
pub const FORMAT_VERSION: u32 = 2;
/// The line above the TOML; the hash covers every byte below it.
const CHECKSUM_PREFIX: &str = "# BLAKE3 of everything below: ";

/// Everything about a checkpoint except its numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT_VERSION`] of the program that wrote it.
    pub format_version: u32,
    /// The game it plays.
    pub game: ManifestGame,
    /// Size and make of the network.
    pub network: NetworkConfig,
    /// Where it comes from.
    pub provenance: Provenance,
    /// BLAKE3 hash in hexadecimal of each file, by file name.
    pub files: BTreeMap<String, String>,
}

/// [`GameShape`] as stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestGame {
    /// Id of the game.
    pub id: String,
    /// Version of the meaning of planes and actions.
    pub encoding_version: u32,
    /// Number of input planes.
    pub planes: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Planes of a convolutional policy; absent for a dense one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_planes: Option<usize>,
    /// Length of the policy vector.
    pub action_count: usize,
}

/// Where a checkpoint comes from.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Training steps taken.
    pub step: u64,
    /// Generations of self-play that the training saw.
    pub generation: u64,
    /// Seed of the run. Written as text: TOML's integers end at 2⁶³ − 1.
    #[serde(with = "decimal_text")]
    pub seed: u64,
    /// Commit of the program, if the caller knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_commit: Option<String>,
}

mod decimal_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl From<&GameShape> for ManifestGame {
    fn from(shape: &GameShape) -> Self {
        ManifestGame {
            id: shape.game.to_owned(),
            encoding_version: shape.encoding_version,
            planes: shape.planes,
            height: shape.height,
            width: shape.width,
            policy_planes: match shape.policy {
                PolicyShape::Planes(planes) => Some(planes),
                PolicyShape::Dense => None,
            },
            action_count: shape.action_count,
        }
    }
}

impl Manifest {
    /// The text of the file.
    pub(crate) fn to_text(&self) -> String {
        let toml = toml::to_string(self).expect("a manifest holds only what TOML can express");
        format!("{CHECKSUM_PREFIX}{}\n{toml}", blake3::hash(toml.as_bytes()).to_hex())
    }

    /// Reads the text of the file at `path`.
    pub(crate) fn from_text(path: &Path, text: &str) -> Result<Self, NetworkError> {
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        let unreadable = |reason: String| NetworkError::UnreadableManifest { path: path.to_owned(), reason };
        let (first_line, toml) = text.split_once('\n').unwrap_or((text, ""));
        // The version comes first: other versions may lay out everything else differently.
        if let Ok(Version { format_version }) = toml::from_str(text)
            && format_version != FORMAT_VERSION
        {
            return Err(NetworkError::FormatVersion {
                path: path.to_owned(),
                found: format_version,
                supported: FORMAT_VERSION,
            });
        }
        let expected = first_line
            .strip_prefix(CHECKSUM_PREFIX)
            .ok_or_else(|| unreadable(format!("its first line does not begin with `{CHECKSUM_PREFIX}`")))?;
        check_hash(path, toml.as_bytes(), expected)?;
        toml::from_str(toml).map_err(|error| unreadable(error.to_string()))
    }
}

/// Compares the BLAKE3 hash of `bytes`, read from `path`, with the one noted.
pub(crate) fn check_hash(path: &Path, bytes: &[u8], expected: &str) -> Result<(), NetworkError> {
    let found = blake3::hash(bytes).to_hex();
    if found.as_str() == expected {
        return Ok(());
    }
    Err(NetworkError::HashMismatch {
        path: path.to_owned(),
        expected: expected.to_owned(),
        found: found.as_str().to_owned(),
    })
}
