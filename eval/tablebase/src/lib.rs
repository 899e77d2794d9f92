//! Whole games in a table: what every turn start is worth, found by retrograde analysis, kept in a file that is looked up
//! without being loaded.
//!
//! A game says which number each of its turn starts has (`Game::numbering`); from there on nothing here knows it.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod error;
mod value;

mod inverse;

mod shards;
mod sweep;

mod unfinished;

mod layout;
mod prefix_code;

mod summary;
mod table;
mod write;

mod consistency;

mod tabulate;

pub use consistency::{Consistency, Zugzwang};
pub use error::TableError;
pub use summary::Summary;
pub use table::{Table, game_of_table};
pub use tabulate::{TabulateConfig, TabulateProgress, tabulate};
pub use value::{MOST_TURNS, TurnValue};
