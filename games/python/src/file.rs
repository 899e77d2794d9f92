//! A file with a game, and why there is none in it.

use std::path::PathBuf;

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
    /// The game is read by a file that is itself read for its game.
    #[error(
        "{}: a file that holds a game is run wherever the game is, and it asks for one itself: that belongs into another file, or \
         below `if __name__ == \"__main__\":`",
        path.display()
    )]
    Endless {
        /// The file.
        path: PathBuf,
    },
    /// Another one was loaded.
    #[error("{}: only one game file can be loaded at a time, and {} is loaded", path.display(), other.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The file loaded before.
        other: PathBuf,
    },
    /// It was loaded as it was before.
    #[error("{}: file changed since it was loaded; restart the program", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Its name is taken.
    #[error("{}: the game's `id` {id} is taken by a built-in game", path.display())]
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
