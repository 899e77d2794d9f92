//! A program that carries an agent: this executable, the agent's bytes, and a footer that tells of them.
//!
//! | bytes | hold |
//! |---|---|
//! | the executable | as it was built |
//! | the agent | [`CarriedAgent`] in postcard's format |
//! | 8 | length of the agent, little-endian |
//! | 32 | BLAKE3 hash of the agent |
//! | 16 | [`MAGIC`] |
//!
//! The system loads an executable by its own headers and takes no notice of what follows them.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use selfplay_network::checkpoint::Bundle;
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// Ends every exported program; the last byte is the version of the format.
const MAGIC: [u8; 16] = *b"selfplay agent\0\x01";
const FOOTER_LEN: usize = 8 + 32 + MAGIC.len();

/// An agent as an exported program carries it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CarriedAgent {
    /// What it calls itself.
    pub name: String,
    /// Whether alpha-beta may prove results beside the search.
    pub proofs: bool,
    /// Its network.
    pub network: Bundle,
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
    let Some((mut file, footer)) = open_with_footer(path) else { return Ok(None) };
    let damaged = |reason: String| CliError::DamagedAgent { path: path.into(), reason };
    let (len, hash) = footer[..8 + 32].split_at(8);
    let len = u64::from_le_bytes(len.try_into().expect("eight bytes"));
    let from_end = i64::try_from(len).ok().and_then(|len| len.checked_add(FOOTER_LEN as i64));
    let from_end = from_end.ok_or_else(|| damaged(format!("it cannot have {len} bytes")))?;
    file.seek(SeekFrom::End(-from_end)).map_err(|error| damaged(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(len).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
    if blake3::hash(&bytes).as_bytes() != hash {
        return Err(damaged("its hash is another".into()));
    }
    postcard::from_bytes(&bytes).map(Some).map_err(|error| damaged(error.to_string()))
}

/// A file that ends with a footer of ours, and the footer.
fn open_with_footer(path: &Path) -> Option<(File, [u8; FOOTER_LEN])> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::End(-(FOOTER_LEN as i64))).ok()?;
    let mut footer = [0; FOOTER_LEN];
    file.read_exact(&mut footer).ok()?;
    footer.ends_with(&MAGIC).then_some((file, footer))
}

/// Writes the running program with `agent` behind it to `out`, all or nothing, and returns its size in bytes.
///
/// # Errors
/// If the program cannot be read or the file not be written.
pub fn write_program(agent: &CarriedAgent, out: &Path) -> Result<u64, CliError> {
    let own = std::env::current_exe().map_err(CliError::io(Path::new("this program")))?;
    let bytes = postcard::to_stdvec(agent).expect("plain data");
    let temporary = PathBuf::from(format!("{}.tmp-{}", out.display(), std::process::id()));
    let written = write_carrier(&own, &bytes, &temporary).and_then(|len| {
        fs::rename(&temporary, out)?;
        Ok(len)
    });
    written.map_err(|source| {
        // What is half written is of no use; if it cannot be removed either, the first error tells more.
        let _ = fs::remove_file(&temporary);
        CliError::io(out)(source)
    })
}

fn write_carrier(own: &Path, agent: &[u8], path: &Path) -> std::io::Result<u64> {
    // The copy keeps the permission to be run.
    fs::copy(own, path)?;
    let mut file = File::options().append(true).open(path)?;
    file.write_all(agent)?;
    file.write_all(&(agent.len() as u64).to_le_bytes())?;
    file.write_all(blake3::hash(agent).as_bytes())?;
    file.write_all(&MAGIC)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> CarriedAgent {
        let network = Bundle { manifest: b"manifest".to_vec(), weights: vec![7; 1000] };
        CarriedAgent { name: "tester".into(), proofs: true, network }
    }

    #[test]
    fn an_agent_is_found_where_it_was_put_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        write_program(&agent(), &path).unwrap();
        assert_eq!(agent_in(&path).unwrap(), Some(agent()));
        assert_eq!(agent_in(&std::env::current_exe().unwrap()).unwrap(), None);
        assert_eq!(agent_in(&folder.path().join("missing")).unwrap(), None);

        let whole = fs::read(&path).unwrap();
        let agent_end = whole.len() - FOOTER_LEN;
        let mut torn = whole.clone();
        torn[agent_end - 5] ^= 1;
        fs::write(&path, &torn).unwrap();
        assert!(agent_in(&path).unwrap_err().to_string().contains("hash"));
        let mut endless = whole.clone();
        endless[agent_end..agent_end + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        fs::write(&path, &endless).unwrap();
        assert!(matches!(agent_in(&path), Err(CliError::DamagedAgent { .. })));
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
        let len = write_program(&agent(), &path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), len);
        assert_eq!(metadata.permissions().mode() & 0o100, 0o100);
        assert!(write_program(&agent(), &folder.path().join("no/such/folder")).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
