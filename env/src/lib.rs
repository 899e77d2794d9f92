//! What a game is: rules, notation, tensor encoding, symmetries, a heuristic, perft and law checks.
//!
//! Nothing here searches, learns, reads files or prints. A game is a type with the traits below; what is not hot knows it
//! as a [`Position`] and its [`Rules`] only.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod action;

pub mod outcome;

pub mod grid;
pub mod rng;

pub mod zobrist;

pub mod numbering;

mod spec;

pub mod game;

mod failed_check;

mod numbering_by_rules;

mod own_solver;

pub mod advice;
pub mod exchange;
pub mod symmetry;
pub mod view;

pub mod encoding;

pub mod bit_planes;

pub mod auxiliary;

pub mod shape;

mod whole_game;

pub mod game_text;
pub mod perft;
pub mod random_play;
pub mod twin;

pub mod difference;

pub mod advice_laws;

pub mod exchange_laws;
pub mod view_laws;

mod encoding_laws;
mod numbering_laws;
mod rule_laws;
mod symmetry_laws;

pub mod laws;

pub mod replay_check;

pub mod position;

pub mod readme_check;
pub mod reference;

#[cfg(feature = "fixtures")]
pub mod fixtures;

pub use action::Action;
pub use advice::{Advice, ImmediateWin};
pub use auxiliary::{AuxiliaryTargets, FinalState};
pub use encoding::{EncodingSpec, PolicyShape, TensorEncoding};
pub use exchange::Exchangeable;
pub use failed_check::FailedCheck;
pub use game::{Game, NotationError, PlayError};
pub use numbering_by_rules::{NumberedByRules, for_each_turn};
pub use outcome::{Outcome, Side, Wdl};
pub use own_solver::{Ending, MayGoOn, OwnSolver};
pub use position::{Position, Rules, Typed, rules};
pub use shape::GameShape;
pub use spec::GameSpec;
pub use symmetry::{Symmetric, Symmetry};
pub use view::Drawable;
pub use whole_game::WholeGame;
