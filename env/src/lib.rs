//! Interface between the rules of a two-player board game and everything that plays, searches, trains and shows it.
//!
//! A game is a type whose values are positions. It implements [`Game`] (rules and notation), and six more traits whose
//! methods all have defaults:
//!
//! | trait | content | used by |
//! |---|---|---|
//! | [`Symmetric`] | board symmetries | data augmentation, caches |
//! | [`Exchangeable`] | whether both players have the same rules | encoding, conformance checks |
//! | [`Tactics`] | heuristic, immediate wins, move ordering | alpha-beta, tree search |
//! | [`TensorEncoding`] | input planes and policy layout | networks |
//! | [`AuxiliaryTargets`] | final ownership or margin | auxiliary training targets |
//! | [`Drawable`] | board layout and clicks | terminal, web page |
//!
//! Generic code names the type (`fn search<G: Game>`). Other code uses a [`Position`] and its [`Rules`] as trait objects,
//! which [`rules`] makes of any [`CompleteGame`].
//!
//! [`laws`] checks any game against the contracts of these traits in random games, [`twin`] against a second
//! implementation of its rules, and [`reference`](mod@reference) against perft counts and games recorded by others.
//!
//! ```
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_env::perft::perft;
//! use selfplay_env::{Game, Outcome, Side, laws};
//!
//! let mut position = TicTacToe::initial();
//! for name in ["b2", "a1", "c1", "a3", "a2", "c3", "b1"] {
//!     position.try_play(TicTacToe::parse_action(name)?)?;
//! }
//! assert_eq!(position.outcome(), None);
//! assert_eq!(perft(&TicTacToe::initial(), 3).nodes, 9 * 8 * 7);
//! assert!(laws::check_laws::<TicTacToe>(10, 9, 1).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here searches, learns, reads files or prints. The feature `fixtures` adds small complete games for
//! documentation and tests. The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod action;

mod outcome;

pub mod grid;
pub mod rng;

pub mod zobrist;

pub mod position_index;

mod spec;

mod game;

mod failed_check;

mod numbering_by_rules;

mod own_solver;

mod exchange;
mod symmetry;
pub mod tactics;
pub mod view;

mod encoding;

pub mod bit_planes;

pub mod auxiliary;

mod shape;

mod complete_game;

pub mod game_text;
pub mod perft;
pub mod random_play;
pub mod twin;

mod difference;

pub mod advice_laws;

pub mod exchange_laws;
mod view_laws;

mod encoding_laws;
mod numbering_laws;
mod rule_laws;
mod symmetry_laws;

pub mod laws;

pub mod replay_check;

mod position;

pub mod readme_check;
pub mod reference;

pub mod fixtures;

pub use action::Action;
#[doc(no_inline)]
pub use auxiliary::{AuxiliaryTargets, FinalState};
pub use complete_game::CompleteGame;
pub use difference::Difference;
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
#[doc(no_inline)]
pub use tactics::{ImmediateWin, Tactics};
#[doc(no_inline)]
pub use view::Drawable;
