//! A program that carries an agent: this executable, the agent, and a footer that tells of it.
//!
//! | bytes | hold |
//! |---|---|
//! | the executable | as it was built |
//! | the body | `weights.safetensors`, a table of the whole game, or nothing |
//! | the head | [`AgentHead`] in postcard's format |
//! | 8 | length of the body, little-endian |
//! | 8 | length of the head |
//! | 32 | BLAKE3 hash of the weights and the head; of the head alone before a table, which checks itself |
//! | 16 | [`MAGIC`] |
//!
//! The system loads an executable by its own headers and takes no notice of what follows them. A program that is
//! started for every move reads the head alone, and the weights where it has the time to use them; a table is never read
//! as a whole.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use selfplay_env::Rules;
use selfplay_eval::{EvalError, TableJudge};
use selfplay_network::checkpoint::Bundle;
use selfplay_tables::Table;
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// Ends every exported program; the last byte is the version of the format.
const MAGIC: [u8; 16] = *b"selfplay agent\0\x03";
const FOOTER_LEN: usize = 8 + 8 + 32 + MAGIC.len();
/// Longer than any head.
const MOST_HEAD_BYTES: u64 = 1 << 20;

/// What an agent is, without the body.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentHead {
    /// What it calls itself.
    pub name: String,
    /// Id of its game.
    pub game: String,
    /// What it plays by.
    pub mind: Mind,
}

/// What an agent plays by.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Mind {
    /// A search with a network; the body is its weights.
    Network {
        /// `manifest.toml` of its checkpoint.
        manifest: Vec<u8>,
        /// Whether alpha-beta may prove results beside the search.
        proofs: bool,
    },
    /// Perfect play; the body is a table of the game.
    Table,
    /// A player that needs no body.
    Player {
        /// Its specification.
        spec: String,
    },
}

/// The body of an agent that is to be written.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Weights.
    Weights(&'a [u8]),
    /// The file of a table.
    Table(&'a Path),
    /// Nothing.
    None,
}

/// An agent in a program.
#[derive(Clone, PartialEq, Debug)]
pub struct CarriedAgent {
    /// What it is; not known to be undamaged before [`CarriedAgent::network`] or [`CarriedAgent::table`] has answered.
    pub head: AgentHead,
    path: PathBuf,
    /// Where the body begins.
    start: u64,
    body_len: u64,
    head_len: u64,
    hash: [u8; 32],
}

impl CarriedAgent {
    /// Its network.
    ///
    /// # Errors
    /// [`CliError::DamagedAgent`] if the file cannot be read, its hash is another, or the agent has none.
    pub fn network(&self) -> Result<Bundle, CliError> {
        let Mind::Network { manifest, .. } = &self.head.mind else {
            return Err(damaged(&self.path, "it does not play by a network".into()));
        };
        let mut bytes = self.checked(self.start, self.body_len + self.head_len)?;
        bytes.truncate(self.body_len as usize);
        Ok(Bundle { manifest: manifest.clone(), weights: bytes })
    }

    /// Its table of the game of `rules`.
    ///
    /// # Errors
    /// [`CliError::DamagedAgent`] if the file cannot be read, its hash is another, or the agent has none;
    /// [`CliError::Eval`] if the table is wrong.
    pub fn table(&self, rules: &dyn Rules) -> Result<TableJudge, CliError> {
        if self.head.mind != Mind::Table {
            return Err(damaged(&self.path, "it does not play by a table".into()));
        }
        let end = self.start + self.body_len;
        self.checked(end, self.head_len)?;
        let table = Table::open_part(&self.path, self.start..end, rules).map_err(EvalError::from)?;
        Ok(TableJudge::new(table, &self.path, rules)?)
    }

    /// Whether the head is as it was written, for an agent without a body.
    ///
    /// # Errors
    /// [`CliError::DamagedAgent`] if the file cannot be read or its hash is another.
    pub fn check_head(&self) -> Result<(), CliError> {
        self.checked(self.start + self.body_len, self.head_len).map(|_| ())
    }

    /// So many bytes from `start` on, which the hash is of.
    fn checked(&self, start: u64, len: u64) -> Result<Vec<u8>, CliError> {
        let bytes = read_at(&self.path, start, len).map_err(|error| damaged(&self.path, error.to_string()))?;
        match *blake3::hash(&bytes).as_bytes() == self.hash {
            true => Ok(bytes),
            false => Err(damaged(&self.path, "its hash is another".into())),
        }
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
    let (body_len, head_len) = (number(0), number(8));
    let hash = footer[16..48].try_into().expect("32 bytes");
    let agent_len = body_len.checked_add(head_len).filter(|_| head_len <= MOST_HEAD_BYTES);
    let start = agent_len.and_then(|agent| len.checked_sub(FOOTER_LEN as u64)?.checked_sub(agent));
    let start =
        start.ok_or_else(|| damaged(path, format!("it cannot have {body_len} bytes and a head of {head_len}")))?;
    let head = read_at(path, start + body_len, head_len).map_err(|error| damaged(path, error.to_string()))?;
    let head = postcard::from_bytes(&head).map_err(|error| damaged(path, error.to_string()))?;
    Ok(Some(CarriedAgent { head, path: path.into(), start, body_len, head_len, hash }))
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
pub fn write_program(head: &AgentHead, body: Body<'_>, out: &Path) -> Result<u64, CliError> {
    let own = std::env::current_exe().map_err(CliError::io(Path::new("this program")))?;
    let temporary = PathBuf::from(format!("{}.tmp-{}", out.display(), std::process::id()));
    let written = write_carrier(&own, head, body, &temporary).and_then(|len| {
        fs::rename(&temporary, out)?;
        Ok(len)
    });
    written.map_err(|source| {
        // What is half written is of no use; if it cannot be removed either, the first error tells more.
        let _ = fs::remove_file(&temporary);
        CliError::io(out)(source)
    })
}

fn write_carrier(own: &Path, head: &AgentHead, body: Body<'_>, path: &Path) -> std::io::Result<u64> {
    let head = postcard::to_stdvec(head).expect("plain data");
    // The copy keeps the permission to be run.
    fs::copy(own, path)?;
    let mut file = File::options().append(true).open(path)?;
    let mut hash = blake3::Hasher::new();
    let body_len = match body {
        Body::Weights(weights) => {
            hash.update(weights);
            file.write_all(weights)?;
            weights.len() as u64
        }
        Body::Table(table) => std::io::copy(&mut File::open(table)?, &mut file)?,
        Body::None => 0,
    };
    file.write_all(&head)?;
    file.write_all(&body_len.to_le_bytes())?;
    file.write_all(&(head.len() as u64).to_le_bytes())?;
    file.write_all(hash.update(&head).finalize().as_bytes())?;
    file.write_all(&MAGIC)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHTS: [u8; 1000] = [7; 1000];

    fn head() -> AgentHead {
        let mind = Mind::Network { proofs: true, manifest: b"manifest".to_vec() };
        AgentHead { name: "tester".into(), game: "pente".into(), mind }
    }

    #[test]
    fn an_agent_is_found_where_it_was_put_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        write_program(&head(), Body::Weights(&WEIGHTS), &path).unwrap();
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
        let len = write_program(&head(), Body::Weights(&WEIGHTS), &path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), len);
        assert_eq!(metadata.permissions().mode() & 0o100, 0o100);
        assert!(write_program(&head(), Body::Weights(&WEIGHTS), &folder.path().join("no/such/folder")).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
