//! A program that carries an agent: an executable, the agent, and a footer that locates it.
//!
//! | bytes | contents |
//! |---|---|
//! | executable | unchanged |
//! | body | `weights.safetensors`, tablebase, or empty |
//! | head | [`AgentHead`] (postcard) |
//! | 8 | body length |
//! | 8 | head length |
//! | 32 | BLAKE3 hash of the executable |
//! | 32 | BLAKE3 hash of weights and head (tablebase: head only) |
//! | 16 | `MAGIC` |
//!
//! Lengths are little-endian. A tablebase has checksums of its own, so the second hash does not cover it.
//!
//! The system loads an executable by its own headers and ignores what follows them. A program that is started for every
//! move reads the head alone, and the weights only if it has the time to use them. A tablebase is never read in full.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use selfplay_env::Rules;
use selfplay_network::checkpoint::Bundle;
use selfplay_players::{EvalError, TablebaseLookup};
use selfplay_storage::{remove_leftovers_of_the_dead, write_file_with};
use selfplay_tablebase::Tablebase;

use crate::head::{AgentHead, AgentKind};

/// Ends every exported program; the last byte is the version of the format.
const MAGIC: [u8; 16] = *b"selfplay agent\0\x04";
const FOOTER_LEN: usize = 8 + 8 + 32 + 32 + MAGIC.len();
/// Longer than any head.
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// Why an agent is not had from a program, or not put into one.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// It is not as it was written.
    #[error("{}: damaged agent: {reason}", path.display())]
    Damaged {
        /// The program.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Its table is wrong.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// It cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The body of an agent that is to be written.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Weights.
    Weights(&'a [u8]),
    /// The file of a table.
    Tablebase(&'a Path),
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
    program_hash: [u8; 32],
    hash: [u8; 32],
}

impl CarriedAgent {
    /// Whether the executable is as it was written.
    ///
    /// # Errors
    /// [`CarrierError::Damaged`] if the file cannot be read or its hash is another.
    pub fn check_program(&self) -> Result<(), CarrierError> {
        let hashed = File::open(&self.path).and_then(|file| {
            let mut hash = blake3::Hasher::new();
            hash.update_reader(file.take(self.start))?;
            Ok(*hash.finalize().as_bytes())
        });
        match hashed.map_err(|error| damaged(&self.path, error.to_string()))? == self.program_hash {
            true => Ok(()),
            false => Err(damaged(&self.path, "program hash mismatch".into())),
        }
    }

    /// Its network.
    ///
    /// # Errors
    /// [`CarrierError::Damaged`] if the file cannot be read, its hash is another, or the agent has none.
    pub fn network(&self) -> Result<Bundle, CarrierError> {
        let AgentKind::Network { manifest, .. } = &self.head.kind else {
            return Err(damaged(&self.path, "it has no network".into()));
        };
        let mut bytes = self.checked(self.start, self.body_len + self.head_len)?;
        bytes.truncate(self.body_len as usize);
        Ok(Bundle { manifest: manifest.clone(), weights: bytes })
    }

    /// Its table of the game of `rules`.
    ///
    /// # Errors
    /// [`CarrierError::Damaged`] if the file cannot be read, its hash is another, or the agent has none;
    /// [`CarrierError::Eval`] if the table is wrong.
    pub fn table(&self, rules: &dyn Rules) -> Result<TablebaseLookup, CarrierError> {
        if self.head.kind != AgentKind::Table {
            return Err(damaged(&self.path, "it has no tablebase".into()));
        }
        let end = self.start + self.body_len;
        self.checked(end, self.head_len)?;
        let table = Tablebase::open_part(&self.path, self.start..end, rules).map_err(EvalError::from)?;
        Ok(TablebaseLookup::new(table, &self.path, rules)?)
    }

    /// Whether the head is as it was written, for an agent without a body.
    ///
    /// # Errors
    /// [`CarrierError::Damaged`] if the file cannot be read or its hash is another.
    pub fn check_head(&self) -> Result<(), CarrierError> {
        self.checked(self.start + self.body_len, self.head_len).map(|_| ())
    }

    /// So many bytes from `start` on, which the hash is of.
    fn checked(&self, start: u64, len: u64) -> Result<Vec<u8>, CarrierError> {
        let bytes = read_at(&self.path, start, len).map_err(|error| damaged(&self.path, error.to_string()))?;
        match *blake3::hash(&bytes).as_bytes() == self.hash {
            true => Ok(bytes),
            false => Err(damaged(&self.path, "hash mismatch".into())),
        }
    }
}

/// The agent that the running program carries, if any.
///
/// # Errors
/// [`CarrierError::Damaged`] if the footer is there and the agent is not.
pub fn carried_agent() -> Result<Option<CarriedAgent>, CarrierError> {
    // A system that cannot tell runs the plain program.
    let Ok(path) = std::env::current_exe() else { return Ok(None) };
    let agent = agent_in(&path)?;
    if agent.is_none() && has_more_or_less(&path) {
        return Err(damaged(&path, "its end is not that of the build: truncated, or data was appended".into()));
    }
    Ok(agent)
}

/// Whether the executable at `path` has more or fewer bytes than its own headers tell of, where they do: an ELF file of 64 bits
/// ends with the table of its sections.
fn has_more_or_less(path: &Path) -> bool {
    let Ok(header) = read_at(path, 0, 64) else { return false };
    let is_elf = header.len() == 64 && header.starts_with(b"\x7fELF\x02\x01");
    let number =
        |at: usize, len: usize| header[at..at + len].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    // Where the table begins, what an entry takes, how many there are.
    let end = || number(0x28, 8).checked_add(number(0x3A, 2) * number(0x3C, 2));
    is_elf && number(0x28, 8) > 0 && path.metadata().is_ok_and(|file| end() != Some(file.len()))
}

/// The agent that the program at `path` carries, if any; `None` as well if the file cannot be read.
///
/// # Errors
/// [`CarrierError::Damaged`] if the footer is there and the agent is not.
pub fn agent_in(path: &Path) -> Result<Option<CarriedAgent>, CarrierError> {
    let Some((len, footer)) = footer_of(path) else { return Ok(None) };
    let number = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().expect("eight bytes"));
    let (body_len, head_len) = (number(0), number(8));
    let hash = |at: usize| footer[at..at + 32].try_into().expect("32 bytes");
    let (program_hash, hash) = (hash(16), hash(48));
    let agent_len = body_len.checked_add(head_len).filter(|_| head_len <= MAX_HEAD_BYTES);
    let start = agent_len.and_then(|agent| len.checked_sub(FOOTER_LEN as u64)?.checked_sub(agent));
    let start =
        start.ok_or_else(|| damaged(path, format!("it cannot have {body_len} bytes and a head of {head_len}")))?;
    let head = read_at(path, start + body_len, head_len).map_err(|error| damaged(path, error.to_string()))?;
    let head = postcard::from_bytes(&head).map_err(|error| damaged(path, error.to_string()))?;
    Ok(Some(CarriedAgent { head, path: path.into(), start, body_len, head_len, program_hash, hash }))
}

fn damaged(path: &Path, reason: String) -> CarrierError {
    CarrierError::Damaged { path: path.into(), reason }
}

fn not_written(path: &Path, source: std::io::Error) -> CarrierError {
    CarrierError::Io { path: path.into(), source }
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

/// Writes `program`, followed by an agent, to `out` and returns the size (bytes). On failure, `out` is unchanged.
///
/// # Errors
/// If the program cannot be read or the file cannot be written.
pub fn write_program(program: &Path, head: &AgentHead, body: Body<'_>, out: &Path) -> Result<u64, CarrierError> {
    // What an export that was killed left here is as large as an agent.
    if let (Some(folder), Some(name)) = (out.parent(), out.file_name()) {
        let left = remove_leftovers_of_the_dead(folder, &name.to_string_lossy());
        left.map_err(|source| not_written(out, source))?;
    }
    let mut len = 0;
    write_file_with(out, |file| {
        len = write_carrier(program, head, body, file)?;
        Ok(())
    })
    .map_err(|source| not_written(out, source))?;
    Ok(len)
}

fn write_carrier(program: &Path, head: &AgentHead, body: Body<'_>, file: &mut File) -> std::io::Result<u64> {
    let head = postcard::to_stdvec(head).expect("plain data");
    let mut own = File::open(program)?;
    let program_len = std::io::copy(&mut own, file)?;
    let mut program_hash = blake3::Hasher::new();
    own.seek(SeekFrom::Start(0))?;
    program_hash.update_reader(&own)?;
    let mut hash = blake3::Hasher::new();
    let body_len = match body {
        Body::Weights(weights) => {
            hash.update(weights);
            file.write_all(weights)?;
            weights.len() as u64
        }
        Body::Tablebase(table) => std::io::copy(&mut File::open(table)?, file)?,
        Body::None => 0,
    };
    file.write_all(&head)?;
    file.write_all(&body_len.to_le_bytes())?;
    file.write_all(&(head.len() as u64).to_le_bytes())?;
    file.write_all(program_hash.finalize().as_bytes())?;
    file.write_all(hash.update(&head).finalize().as_bytes())?;
    file.write_all(&MAGIC)?;
    // The copy can be run as the program can.
    file.set_permissions(own.metadata()?.permissions())?;
    Ok(program_len + body_len + head.len() as u64 + FOOTER_LEN as u64)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const WEIGHTS: [u8; 1000] = [7; 1000];

    fn own() -> PathBuf {
        std::env::current_exe().unwrap()
    }

    fn head() -> AgentHead {
        let kind = AgentKind::Network { verify: true, manifest: b"manifest".to_vec() };
        AgentHead { name: "tester".into(), game: "pente".into(), kind, rules: None }
    }

    #[test]
    fn an_agent_is_found_where_it_was_put_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        write_program(&own(), &head(), Body::Weights(&WEIGHTS), &path).unwrap();
        let found = agent_in(&path).unwrap().unwrap();
        assert_eq!(found.head, head());
        found.check_program().unwrap();
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
        let mut changed = whole.clone();
        changed[5000] ^= 1;
        fs::write(&path, &changed).unwrap();
        let error = agent_in(&path).unwrap().unwrap().check_program().unwrap_err();
        assert!(error.to_string().contains("program hash mismatch"), "{error}");
        for length_at in [0, 8] {
            let mut endless = whole.clone();
            endless[agent_end + length_at..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
            fs::write(&path, &endless).unwrap();
            assert!(matches!(agent_in(&path), Err(CarrierError::Damaged { .. })));
        }
        // Cut off, it has no agent any more, and that is seen.
        if cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            assert!(!has_more_or_less(&own()));
            for cut in [1, 500, WEIGHTS.len() + FOOTER_LEN, 10_000] {
                fs::write(&path, &whole[..whole.len() - cut]).unwrap();
                assert_eq!(agent_in(&path).unwrap(), None);
                assert!(has_more_or_less(&path), "{cut} bytes less");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_written_program_can_be_run_and_nothing_half_written_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let len = write_program(&own(), &head(), Body::Weights(&WEIGHTS), &path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(metadata.len(), len);
        assert_eq!(metadata.permissions().mode() & 0o100, 0o100);
        assert!(
            write_program(&own(), &head(), Body::Weights(&WEIGHTS), &folder.path().join("no/such/folder")).is_err()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
