//! Players: anything that chooses moves.
//!
//! A [`Player`] is a random player, alpha-beta ([`AlphaBetaPlayer`]), a search over an evaluator ([`SearchPlayer`]), a
//! tablebase ([`TablePlayer`]), a classical baseline ([`baselines`]) or an external [`program`]. A [`PlayerSpec`] describes
//! one as text, and [`build_player`] builds it; [`PlayerKinds`] reads it. The exact [`solver`](mod@solver) proves results of positions.
//!
//! No network is known here: callers provide checkpoints as evaluators through a [`NetworkSource`].
//!
//! ```
//! use selfplay_env::Typed;
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_players::{MoveRequest, NoCheckpoints, PlayerKinds, build_player};
//!
//! let spec = PlayerKinds::built_in().parse("alphabeta:depth=9")?;
//! let mut player = build_player(&Typed::<TicTacToe>::IT, &spec, &NoCheckpoints)?;
//! let rules = selfplay_env::rules::<TicTacToe>();
//! let (position, history) = rules.play_line(&["a1", "b1", "a2", "b2"])?;
//! player.new_game(0, 1);
//! let request = MoveRequest { table: 0, position: &*position, history: &history, time_left: None };
//! assert_eq!(rules.action_name(player.choose(&request)?.action), "a3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod error;

pub mod time_control;

pub mod settings;

pub mod score;

pub mod alphabeta_report;

pub mod player;

mod turn_share;

pub mod analysis;

mod hash_buckets;

pub mod alphabeta;
pub mod random_player;
pub mod solver;

pub mod search_player;

pub mod baselines;

pub mod tablebase_lookup;

mod table_check;

pub mod table_player;

pub mod program;

pub mod playable;

pub mod spec;

pub use alphabeta::{AlphaBeta, AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer, Selectivity, alpha_beta};
pub use alphabeta_report::{AlphaBetaReport, EvaluatedLine, Proof, ScoredLine, proof_of};
pub use analysis::Analysis;
pub use error::{EvalError, FileError};
pub use playable::Playable;
pub use player::{Decision, DecisionAnalysis, MoveRequest, Player, SearchAnalysis, TableSeeds, check_running};
pub use random_player::RandomPlayer;
pub use search_player::{SearchPlayer, SearchPlayerConfig, SpecSymmetry, Variety, Verification};
pub use solver::{Bounds, SolveConfig, SolveGoal, SolveProgress, SolveReport, solve};
pub use spec::{
    KindOf, NetworkSource, NoCheckpoints, PlayerBuilder, PlayerKind, PlayerKinds, PlayerSpec, RELEASED_CHECKPOINT,
    build_named_player, build_player,
};
pub use table_check::{TableComparison, TableDisagreement};
pub use table_player::TablePlayer;
pub use tablebase_lookup::TablebaseLookup;
pub use time_control::{ClockKind, TimeControl, TimeSpan};
