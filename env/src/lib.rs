//! Interface between the rules of a two-player board game and everything that plays, searches, trains and shows it.
//!
//! A game is a type whose values are positions. It implements [`Game`] (rules and notation) and six more traits whose
//! methods all have defaults:
//!
//! * Board symmetries ([`Symmetric`]), for data augmentation and caches.
//! * Whether both players have the same rules ([`Exchangeable`]), for the encoding and the conformance checks.
//! * Heuristic, immediate wins and move ordering ([`Tactics`]), for alpha-beta and tree search.
//! * Input planes and policy layout ([`TensorEncoding`]), for networks.
//! * Final ownership or margin ([`AuxiliaryTargets`]), for auxiliary training targets.
//! * Board layout and clicks ([`Drawable`]), for the terminal and the web page.
//!
//! Generic code names the type (`fn search<G: Game>`). Other code uses a [`Position`] and its [`Rules`] as trait objects,
//! which [`rules`] makes of any [`CompleteGame`].
//!
//! [`conformance`] checks any game against the contracts of these traits in random games, [`differential`] against a second
//! implementation of its rules, and [`reference`](mod@reference) against perft counts and games recorded by others.
//!
//! ```
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_env::perft::perft;
//! use selfplay_env::{Game, Outcome, Side, conformance};
//!
//! let mut position = TicTacToe::initial();
//! for name in ["b2", "a1", "c1", "a3", "a2", "c3", "b1"] {
//!     position.try_play(TicTacToe::parse_action(name)?)?;
//! }
//! assert_eq!(position.outcome(), None);
//! assert_eq!(perft(&TicTacToe::initial(), 3).nodes, 9 * 8 * 7);
//! assert!(conformance::check_conformance::<TicTacToe>(10, 9, 1).is_ok());
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

mod position_index_by_rules;

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

pub mod differential;
pub mod game_text;
pub mod perft;
pub mod random_play;

mod difference;

pub mod tactics_conformance;

pub mod exchange_conformance;
mod view_conformance;

mod encoding_conformance;
mod position_index_conformance;
mod rules_conformance;
mod symmetry_conformance;

pub mod conformance;

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
pub use outcome::{Outcome, Side, Wdl};
pub use own_solver::{Ending, MayGoOn, OwnSolver};
pub use position::{Position, Rules, Typed, rules};
pub use position_index_by_rules::{NumberedByRules, for_each_turn};
pub use shape::GameShape;
pub use spec::GameSpec;
pub use symmetry::{Symmetric, Symmetry};
#[doc(no_inline)]
pub use tactics::{ImmediateWin, Tactics};
#[doc(no_inline)]
pub use view::Drawable;
