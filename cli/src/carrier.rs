//! A program that carries an agent: this executable, the agent, and a footer that tells of it.
//!
//! | bytes | hold |
//! |---|---|
//! | the executable | as it was built |
//! | the weights | `weights.safetensors` |
//! | the head | [`AgentHead`] in postcard's format |
//! | 8 | length of the weights, little-endian |
//! | 8 | length of the head |
//! | 32 | BLAKE3 hash of the weights and the head |
//! | 16 | [`MAGIC`] |
//!
//! The system loads an executable by its own headers and takes no notice of what follows them. A program that is
//! started for every move reads the head alone, and the weights where it has the time to use them.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use selfplay_network::checkpoint::Bundle;
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// Ends every exported program; the last byte is the version of the format.
const MAGIC: [u8; 16] = *b"selfplay agent\0\x02";
const FOOTER_LEN: usize = 8 + 8 + 32 + MAGIC.len();
/// Longer than any head.
const MOST_HEAD_BYTES: u64 = 1 << 20;

/// What an agent is, without its weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentHead {
    /// What it calls itself.
    pub name: String,
    /// Id of its game.
    pub game: String,
    /// Whether alpha-beta may prove results beside the search.
    pub proofs: bool,
    /// `manifest.toml` of its checkpoint.
    pub manifest: Vec<u8>,
}

/// An agent in a program.
#[derive(Clone, PartialEq, Debug)]
pub struct CarriedAgent {
    /// What it is; not known to be undamaged before [`CarriedAgent::network`] has answered.
    pub head: AgentHead,
    path: PathBuf,
    /// Where the weights begin.
    start: u64,
    weights_len: u64,
    head_len: u64,
    hash: [u8; 32],
}

impl CarriedAgent {
    /// Its network.
    ///
    /// # Errors
    /// [`CliError::DamagedAgent`] if the file cannot be read or its hash is another.
    pub fn network(&self) -> Result<Bundle, CliError> {
        let mut bytes = read_at(&self.path, self.start, self.weights_len + self.head_len)
            .map_err(|error| damaged(&self.path, error.to_string()))?;
        if *blake3::hash(&bytes).as_bytes() != self.hash {
            return Err(damaged(&self.path, "its hash is another".into()));
        }
        bytes.truncate(self.weights_len as usize);
        Ok(Bundle { manifest: self.head.manifest.clone(), weights: bytes })
    }
}

/// The agent that the running program carries, if any.
///
/// # Errors
/// [`CliError::DamagedAgent`] if the footer is there and the agent is not.
pub fn carried_agent() -> Result<Option<CarriedAgent>, CliError> {
    // A system that cannot tell runs the plain program.
    let Ok(path) = std::env::current_exe() else { return Ok(None) };
    agent_in(&path)
}

/// The agent that the program at `path` carries, if any; `None` as well if the file cannot be read.
fn agent_in(path: &Path) -> Result<Option<CarriedAgent>, CliError> {
    let Some((len, footer)) = footer_of(path) else { return Ok(None) };
    let number = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().expect("eight bytes"));
    let (weights_len, head_len) = (number(0), number(8));
    let hash = footer[16..48].try_into().expect("32 bytes");
    let agent_len = weights_len.checked_add(head_len).filter(|_| head_len <= MOST_HEAD_BYTES);
    let start = agent_len.and_then(|agent| len.checked_sub(FOOTER_LEN as u64)?.checked_sub(agent));
    let start =
        start.ok_or_else(|| damaged(path, format!("it cannot have {weights_len} bytes and a head of {head_len}")))?;
    let head = read_at(path, start + weights_len, head_len).map_err(|error| damaged(path, error.to_string()))?;
    let head = postcard::from_bytes(&head).map_err(|error| damaged(path, error.to_string()))?;
    Ok(Some(CarriedAgent { head, path: path.into(), start, weights_len, head_len, hash }))
}

fn damaged(path: &Path, reason: String) -> CliError {
    CliError::DamagedAgent { path: path.into(), reason }
}

fn read_at(path: &Path, start: u64, len: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity(len as usize);
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The length of a file that ends with a footer of ours, and the footer.
fn footer_of(path: &Path) -> Option<(u64, [u8; FOOTER_LEN])> {
    let mut file = File::open(path).ok()?;
    let start = file.seek(SeekFrom::End(-(FOOTER_LEN as i64))).ok()?;
    let mut footer = [0; FOOTER_LEN];
    file.read_exact(&mut footer).ok()?;
    footer.ends_with(&MAGIC).then_some((start + FOOTER_LEN as u64, footer))
}

/// Writes the running program with an agent behind it to `out`, all or nothing, and returns its size in bytes.
///
/// # Errors
/// If the program cannot be read or the file not be written.
pub fn write_program(head: &AgentHead, weights: &[u8], out: &Path) -> Result<u64, CliError> {
    let own = std::env::current_exe().map_err(CliError::io(Path::new("this program")))?;
    let temporary = PathBuf::from(format!("{}.tmp-{}", out.display(), std::process::id()));
    let written = write_carrier(&own, head, weights, &temporary).and_then(|len| {
        fs::rename(&temporary, out)?;
        Ok(len)
    });
    written.map_err(|source| {
        // What is half written is of no use; if it cannot be removed either, the first error tells more.
        let _ = fs::remove_file(&temporary);
        CliError::io(out)(source)
    })
}

fn write_carrier(own: &Path, head: &AgentHead, weights: &[u8], path: &Path) -> std::io::Result<u64> {
    let head = postcard::to_stdvec(head).expect("plain data");
    let hash = blake3::Hasher::new().update(weights).update(&head).finalize();
    // The copy keeps the permission to be run.
    fs::copy(own, path)?;
    let mut file = File::options().append(true).open(path)?;
    file.write_all(weights)?;
    file.write_all(&head)?;
    file.write_all(&(weights.len() as u64).to_le_bytes())?;
    file.write_all(&(head.len() as u64).to_le_bytes())?;
    file.write_all(hash.as_bytes())?;
    file.write_all(&MAGIC)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHTS: [u8; 1000] = [7; 1000];

    fn head() -> AgentHead {
        AgentHead { name: "tester".into(), game: "pente".into(), proofs: true, manifest: b"manifest".to_vec() }
    }

    #[test]
    fn an_agent_is_found_where_it_was_put_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        write_program(&head(), &WEIGHTS, &path).unwrap();
        let found = agent_in(&path).unwrap().unwrap();
        assert_eq!(found.head, head());
        let Bundle { manifest, weights } = found.network().unwrap();
        assert_eq!((&manifest[..], &weights[..]), (&b"manifest"[..], &WEIGHTS[..]));
        assert_eq!(agent_in(&std::env::current_exe().unwrap()).unwrap(), None);
        assert_eq!(agent_in(&folder.path().join("missing")).unwrap(), None);

        let whole = fs::read(&path).unwrap();
        let agent_end = whole.len() - FOOTER_LEN;
        for from_end in [5, 500] {
            let mut torn = whole.clone();
            torn[agent_end - from_end] ^= 1;
            fs::write(&path, &torn).unwrap();
            assert!(agent_in(&path).unwrap().unwrap().network().unwrap_err().to_string().contains("hash"));
        }
        for length_at in [0, 8] {
            let mut endless = whole.clone();
            endless[agent_end + length_at..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
            fs::write(&path, &endless).unwrap();
            assert!(matches!(agent_in(&path), Err(CliError::DamagedAgent { .. })));
        }
        // Cut off, it is the plain program.
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(agent_in(&path).unwrap(), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_written_program_can_be_run_and_nothing_half_written_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let len = write_program(&head(), &WEIGHTS, &path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), len);
        assert_eq!(metadata.permissions().mode() & 0o100, 0o100);
        assert!(write_program(&head(), &WEIGHTS, &folder.path().join("no/such/folder")).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
