//! What a game is: rules, notation, tensor encoding, symmetries, a heuristic, perft and law checks.
//!
//! And what a key of a config is ([`config_key`]), since every crate above has some.
//!
//! Nothing here searches, learns, reads files or prints. A game is one folder under [`games`] and one line in
//! [`registry`]; everything else in the project is generic over the traits below and reaches a game by its id.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod config_key;
mod config_section;

pub mod action;

pub mod outcome;

pub mod rng;

pub mod zobrist;

pub mod game;

pub mod encoding;
pub mod heuristic;
pub mod symmetry;

pub mod auxiliary;
pub mod exchange;
pub mod view;

pub mod game_text;
pub mod perft;
pub mod random_play;

pub mod games;

pub mod registry;

pub mod difference;

mod heuristic_laws;

mod exchange_laws;
mod view_laws;

pub mod laws;

pub mod replay_check;

pub use action::Action;
pub use auxiliary::{AuxiliaryTargets, FinalState};
pub use encoding::{PolicyShape, TensorEncoding};
pub use exchange::Exchangeable;
pub use game::{Game, NotationError, PlayError};
pub use heuristic::{Heuristic, ImmediateWin};
pub use outcome::{Outcome, Side, Wdl};
pub use registry::{GameVisitor, PlayableGame, UnknownGame, with_game};
pub use symmetry::{Symmetric, Symmetry};
pub use view::Drawable;
