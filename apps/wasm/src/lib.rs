//! The program in a page that is a file of its own: the server of `selfplay-frontends`, asked by the page itself, with one agent.
//!
//! [`page!`] makes of it what a browser can call; `assets/alone/worker.js` is the other side.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod offline;

pub mod page;

pub use offline::{Offline, OfflineError};
pub use page::Page;
// By the names that the library `selfplay` has for them, so that the file of a game whose author knows only that is understood here.
pub use selfplay_registry as kit;
pub use selfplay_registry::game;
