//! Games as values, and the list of those that a program knows.

use std::time::Duration;

use selfplay_config::suggestion::did_you_mean;
use selfplay_env::{CompleteGame, Typed};
use selfplay_players::{Playable, PlayerKind, PlayerKinds};
use selfplay_train::Trainable;

/// A game with everything that is asked of it, its type forgotten.
pub trait AnyGame: Playable + Trainable {}
impl<T: Playable + Trainable> AnyGame for T {}

/// A game of this program.
pub type GameRef = &'static dyn AnyGame;

/// The game whose rules are `G`.
pub const fn game<G: CompleteGame>() -> GameRef {
    const { &Typed::<G>::IT }
}

/// A game that is read when the program runs, and whose rules other processes know.
#[derive(Clone, Copy)]
pub struct LoadedGame {
    /// The game.
    pub game: GameRef,
    /// The CPU time that those processes have taken so far.
    pub cpu_time: fn() -> Duration,
}

/// The games of a program, in the order of tables, and the kinds of players that its specifications may name.
#[derive(Clone)]
pub struct Games {
    built_in: Vec<GameRef>,
    players: PlayerKinds,
    loaded: Option<LoadedGame>,
}

/// An id that two games have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("duplicate game id {id}")]
pub struct DuplicateGame {
    /// The id.
    pub id: &'static str,
}

/// An id that no game has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{id}`{meant}; the games are {known}")]
pub struct UnknownGame {
    /// The id that was asked for.
    pub id: String,
    /// What was probably meant, as a question, or nothing.
    pub meant: String,
    /// The ids there are, separated by commas.
    pub known: String,
}

impl Games {
    /// These games, and the built-in kinds of players.
    ///
    /// # Panics
    /// If two of them have the same id.
    pub fn new(games: &[GameRef]) -> Self {
        for (number, game) in games.iter().enumerate() {
            let is_taken = games[..number].iter().any(|other| other.id() == game.id());
            assert!(!is_taken, "two games are called {}", game.id());
        }
        Games { built_in: games.to_vec(), players: PlayerKinds::built_in(), loaded: None }
    }

    /// The same with kinds of players in addition to the built-in ones.
    #[must_use]
    pub fn with_players(self, kinds: &[&'static dyn PlayerKind]) -> Self {
        Games { players: self.players.with(kinds), ..self }
    }

    /// The kinds of players.
    pub fn players(&self) -> &PlayerKinds {
        &self.players
    }

    /// The same built-in games, and one that was loaded, in place of another one.
    ///
    /// # Errors
    /// [`DuplicateGame`] if a built-in game has its id.
    pub fn with(&self, loaded: LoadedGame) -> Result<Self, DuplicateGame> {
        let id = loaded.game.id();
        match self.built_in().any(|game| game.id() == id) {
            true => Err(DuplicateGame { id }),
            false => Ok(Games { loaded: Some(loaded), ..self.clone() }),
        }
    }

    /// All games; first the one that was loaded, since somebody has just asked for it.
    pub fn iter(&self) -> impl Iterator<Item = GameRef> {
        self.loaded.iter().map(|loaded| loaded.game).chain(self.built_in())
    }

    /// Those that it was made of.
    pub fn built_in(&self) -> impl Iterator<Item = GameRef> {
        self.built_in.iter().copied()
    }

    /// Tells the CPU time that other processes have taken for the rules of these games.
    pub fn cpu_time_elsewhere(&self) -> fn() -> Duration {
        self.loaded.map_or(|| Duration::ZERO, |loaded| loaded.cpu_time)
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
