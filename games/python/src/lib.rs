//! A game that is a file in another language: a process that runs it answers for its rules.
//!
//! A game's type is known when a program is compiled. A game in a file has the type [`Foreign`], whatever its rules, so
//! a process can load one such game. Positions are handles. A [`Foreign`] points to what the file reported about the
//! position and caches the successors of its actions, so a search that repeats the path sends no request.
//!
//! Code elsewhere relies on the rules. If the file breaks them (it raises, takes too long or returns invalid data), the
//! program gets one error message ([`set_failure`]) and ends. A run resumes from its last complete part, as after any
//! other end.

#![forbid(unsafe_code)]

mod file;

mod facts;
mod position_facts;
mod request;

mod worker_pipes;

mod host;
mod position;

mod conformance;

use std::path::Path;

use selfplay_registry::{DuplicateGame, GameRef, Games, LoadedGame, game};

pub use conformance::check_python_game;
pub use facts::Facts;
pub use file::{FileError, GameFile};
use host::loaded;
pub use host::{file_of, set_failure};
pub use position::Foreign;
pub use worker_pipes::set_python;

/// The ending of files that hold games.
pub const ENDING: &str = "py";

/// Loads the game in the file at `path`, whose id is none of those `taken`; from then on [`with_loaded`] adds it. The same file
/// again is the same game.
///
/// # Errors
/// [`FileError`].
pub fn load(path: &Path, taken: &[&str]) -> Result<GameRef, FileError> {
    let source = std::fs::read_to_string(path);
    let source = source.map_err(|error| FileError::Unreadable { path: path.into(), reason: error.to_string() })?;
    load_source(GameFile { path: path.into(), source }, taken)
}

/// Loads the game from its source.
///
/// # Errors
/// [`FileError`].
pub fn load_source(file: GameFile, taken: &[&str]) -> Result<GameRef, FileError> {
    if let Some(other) = loaded() {
        let (path, is_same) = (file.path, other.source == file.source);
        return match is_same {
            true => Ok(game::<Foreign>()),
            false if path == other.path => Err(FileError::Changed { path }),
            false => Err(FileError::Another { path, other: other.path.clone() }),
        };
    }
    if std::env::var_os(worker_pipes::READING).is_some() {
        return Err(FileError::Endless { path: file.path });
    }
    host::start(file, taken)?;
    Ok(game::<Foreign>())
}

/// `games` and the one that was loaded, if one was.
///
/// # Errors
/// [`FileError::Taken`] if one of `games` has its id.
pub fn with_loaded(games: &Games) -> Result<Games, FileError> {
    let Some(file) = loaded() else { return Ok(games.clone()) };
    let loaded = LoadedGame { game: game::<Foreign>(), cpu_time: host::cpu_time };
    let taken = |DuplicateGame { id }| FileError::Taken { path: file.path.clone(), id: id.to_owned() };
    games.with(loaded).map_err(taken)
}
