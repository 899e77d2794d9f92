//! Everything a person or another program talks to.
//!
//! Knows games by their traits and players by theirs; what a player is made of does not matter here.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod error;

pub mod line;
pub mod turn;

pub mod terminal;

pub mod gtp;

pub mod serve;

pub use error::PlayError;
pub use gtp::{GtpEnd, serve_gtp};
pub use terminal::{Style, TerminalEnd, TerminalSetting, play_terminal};
