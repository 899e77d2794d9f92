//! Tablebases: what every turn start is worth, found by retrograde analysis, kept in a file that is looked up
//! without being loaded.
//!
//! A game says which number each of its turn starts has (`Game::position_index`); from there on nothing here knows it.
//!
//! ```
//! use std::time::Duration;
//!
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_env::rules;
//! use selfplay_tablebase::{TablebaseConfig, Tablebase, TurnValue, build_tablebase};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("tictactoe.table");
//! let rules = rules::<TicTacToe>();
//! let position_index = rules.position_index().expect("tic-tac-toe has a position index");
//! let config = TablebaseConfig { memory_mib: 16, threads: 1, turns: true, save_every: Duration::from_secs(60) };
//! build_tablebase(rules.id(), position_index, &path, &config, &mut |_| ())?;
//! let table = Tablebase::open(&path, rules)?;
//! let start = rules.initial().number().expect("the start of a game begins a turn");
//! assert_eq!(table.value(start)?, TurnValue::Draw);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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

mod build;

pub use build::{BuildProgress, TablebaseConfig, build_tablebase};
pub use consistency::{Consistency, Zugzwang};
pub use error::TableError;
pub use summary::Summary;
pub use table::{Tablebase, game_of_table};
pub use value::{MAX_TURNS, TurnValue};
