//! Play in the browser: a page, and the JSON API behind it.
//!
//! The caller provides a [`Catalogue`] of agents and a source of networks. [`serve`] runs the server:
//! ```no_run
//! # use selfplay_players::NetworkSource;
//! # use selfplay_players::Playable;
//! use selfplay_frontends::serve::{Catalogue, ServeConfig, serve};
//!
//! # fn main_with<S: NetworkSource + Send + 'static>(
//! #     games: Vec<&'static dyn Playable>,
//! #     source: S,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! let catalogue = Catalogue::new(games, source, Vec::new())?;
//! serve(catalogue, ServeConfig::default(), |address| eprintln!("http://{address}"))?;
//! # Ok(())
//! # }
//! ```
//! [`Catalogue::with_run`] adds a second page, which shows a training run in progress.
//!
//! Nothing is kept on disk, and nothing but the files compiled in is served.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod error;

mod config;

mod apart;

mod run_page;

mod catalogue;

mod dto;
mod rules_page;

mod clock;

mod game_history;

mod session;

mod session_store;

mod body;
mod guard;

mod assets;

mod run_routes;

mod api;

mod alone;

#[cfg(not(target_family = "wasm"))]
mod connections;

#[cfg(not(target_family = "wasm"))]
mod server;

pub use alone::{OfflineParts, offline_page};
pub use api::{router, routes};
pub use catalogue::{AgentInfo, AgentRequest, Catalogue, CatalogueAgent, Strength};
pub use config::ServeConfig;
pub use error::{Refusal, ServeError};
pub use run_page::{RunPage, RunPageError, RunPicture, RunSnapshot};
#[cfg(not(target_family = "wasm"))]
pub use server::{serve, serve_until, stop_signal};
