//! A game that is a file in another language: its rules are told by a process that runs it.
//!
//! A game's type is known when a program is compiled; of a game in a file it is [`Foreign`], whatever its rules, so a process
//! knows one such game. Positions are handles: a [`Foreign`] points to what the file said of the position, and remembers where
//! its decisions led, so that a search that goes down the same way again asks nobody.
//!
//! What the file does wrong, where everybody else relies on the rules (it raises, takes too long, answers nonsense), ends the
//! program with one sentence ([`set_failure`]); a run goes on from its last complete lane, as after any other end.

#![forbid(unsafe_code)]

mod facts;
mod host;
mod laws;
mod position;
mod told;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use selfplay_kit::{GameRef, game, welcome};

pub use facts::Facts;
pub use host::set_failure;
pub use laws::check_own_laws;
pub use position::Foreign;

/// The ending of files that hold games.
pub const ENDING: &str = "py";

/// Why there is no game in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Python does not start.
    #[error(
        "{}: a game in Python needs `{python}`, and that does not start: {reason}; SELFPLAY_PYTHON says which Python is meant",
        path.display()
    )]
    NoPython {
        /// The file.
        path: PathBuf,
        /// The program that was tried.
        python: String,
        /// What the system said.
        reason: String,
    },
    /// What it holds is no game.
    #[error("{}: {reason}", path.display())]
    NoGame {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another one was loaded.
    #[error("{} is one game too many: a program knows one game in a file, and that is {}", path.display(), other.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The file loaded before.
        other: PathBuf,
    },
    /// Its name is taken.
    #[error("{}: the game's `id` is {id}, which is the name of a game of the program", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The name.
        id: String,
    },
}

/// A file with a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile {
    /// Where it is, or was.
    pub path: PathBuf,
    /// What it holds.
    pub source: String,
}

static LOADED: OnceLock<GameFile> = OnceLock::new();

/// The file of the game that was loaded.
pub fn loaded() -> Option<&'static GameFile> {
    LOADED.get()
}

/// Loads the game in the file at `path`; from then on all [`Games`](selfplay_kit::Games) know it. The same file again is the
/// same game.
///
/// # Errors
/// [`FileError`].
pub fn load(path: &Path) -> Result<GameRef, FileError> {
    let source = std::fs::read_to_string(path);
    let source = source.map_err(|error| FileError::Unreadable { path: path.into(), reason: error.to_string() })?;
    load_source(GameFile { path: path.into(), source })
}

/// Loads the game from its source.
///
/// # Errors
/// [`FileError`].
pub fn load_source(file: GameFile) -> Result<GameRef, FileError> {
    if let Some(other) = loaded() {
        let (path, is_same) = (file.path, other.source == file.source);
        return if is_same { Ok(game::<Foreign>()) } else { Err(FileError::Another { path, other: other.path.clone() }) };
    }
    host::start(&file)?;
    let path = file.path.clone();
    LOADED.get_or_init(|| file);
    let loaded = game::<Foreign>();
    welcome(loaded).map_err(|id| FileError::Taken { path, id })?;
    Ok(loaded)
}
