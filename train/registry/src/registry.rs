//! Games as values, and the list of those that a program knows.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use selfplay_config::suggestion::did_you_mean;
use selfplay_env::{Typed, WholeGame};
use selfplay_players::Playable;
use selfplay_train::Trainable;

/// A game with everything that is asked of it, its type forgotten.
pub trait AnyGame: Playable + Trainable {}
impl<T: Playable + Trainable> AnyGame for T {}

/// A game of this program.
pub type GameRef = &'static dyn AnyGame;

/// The game whose rules are `G`.
pub const fn game<G: WholeGame>() -> GameRef {
    const { &Typed::<G>::IT }
}

/// The game that is known only since the program runs, and what its rules cost elsewhere.
static WELCOMED: OnceLock<(GameRef, fn() -> Duration)> = OnceLock::new();

/// Adds a game to the [`Games`] of the whole process: one that is read when the program runs, and whose rules other processes
/// know, which have taken `cpu_time` so far. There is at most one, the first, and its name is not [taken](is_taken).
pub fn welcome(game: GameRef, cpu_time: fn() -> Duration) {
    WELCOMED.get_or_init(|| (game, cpu_time));
}

/// Whether a game that a [`Games`] was made of is called `id`.
pub fn is_taken(id: &str) -> bool {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
}

/// The CPU time that other processes have taken for the rules of a game.
pub fn cpu_time_elsewhere() -> Duration {
    WELCOMED.get().map_or(Duration::ZERO, |(_, cpu_time)| cpu_time())
}

/// The ids of all games that a [`Games`] was made of.
static TAKEN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The games of a program, in the order of tables.
#[derive(Clone)]
pub struct Games(Vec<GameRef>);

/// An id that no game has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no game `{id}`{meant}; the games are {known}")]
pub struct UnknownGame {
    /// The id that was asked for.
    pub id: String,
    /// What was probably meant, as a question, or nothing.
    pub meant: String,
    /// The ids there are, separated by commas.
    pub known: String,
}

impl Games {
    /// These games.
    ///
    /// # Panics
    /// If two of them have the same id.
    pub fn new(games: &[GameRef]) -> Self {
        for (number, game) in games.iter().enumerate() {
            let is_taken = games[..number].iter().any(|other| other.id() == game.id());
            assert!(!is_taken, "two games are called {}", game.id());
        }
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner).extend(games.iter().map(|game| game.id()));
        Games(games.to_vec())
    }

    /// All games; first the one that was [welcomed](welcome), since somebody has just asked for it.
    pub fn iter(&self) -> impl Iterator<Item = GameRef> {
        WELCOMED.get().map(|(game, _)| *game).into_iter().chain(self.built_in())
    }

    /// Those that it was made of.
    pub fn built_in(&self) -> impl Iterator<Item = GameRef> {
        self.0.iter().copied()
    }

    /// All ids.
    pub fn ids(&self) -> Vec<&'static str> {
        self.iter().map(|game| game.id()).collect()
    }

    /// The game called `id`.
    ///
    /// # Errors
    /// [`UnknownGame`], which lists the games there are.
    pub fn find(&self, id: &str) -> Result<GameRef, UnknownGame> {
        let found = self.iter().find(|game| game.id() == id);
        found.ok_or_else(|| {
            let meant = did_you_mean(id, self.ids());
            UnknownGame { id: id.to_owned(), meant, known: self.ids().join(", ") }
        })
    }
}
