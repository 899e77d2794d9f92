//! The Pentago-Swap course's game server and its clients: text lines over TCP.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod wire;

pub mod client;

mod seat;

mod handshake_queue;

pub mod server;

pub use client::{PentagoClientConfig, PentagoClientError, PentagoReport, play_pentago};
pub use server::{PentagoGame, PentagoServerConfig, PentagoSheet, referee, serve_pentago};
pub use wire::GameOver;

/// The port of the course's server.
pub const DEFAULT_PORT: u16 = 8123;
