//! What a game's crate needs: the traits it implements, and [`game()`], which makes of its type a value that everything else
//! in the project can play, train and show.
//!
//! The searches and lanes that know the game's type are compiled where [`game()`] is called: in the game's own crate.

#![forbid(unsafe_code)]

mod registry;

pub use registry::{AnyGame, GameRef, Games, UnknownGame, cpu_time_elsewhere, game, is_taken, welcome};
pub use selfplay_env::*;
