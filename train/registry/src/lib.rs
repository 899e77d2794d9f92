//! What a game's crate needs: the traits it implements, and [`game()`], which makes of its type a value that everything else
//! in the project can play, train and show.
//!
//! The searches and actors that know the game's type are compiled where [`game()`] is called: in the game's own crate.

#![forbid(unsafe_code)]

mod registry;

pub use registry::{AnyGame, DuplicateGame, GameRef, Games, LoadedGame, UnknownGame, game};
pub use selfplay_env::*;
