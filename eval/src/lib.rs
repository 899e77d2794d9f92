//! Who is stronger, and by how much: players, matches between them, Elo ratings and the gate.
//!
//! A [`Player`] is anything that makes decisions: random, alpha-beta, a search over an evaluator, a program outside.
//! The [`arena`] plays colour-swapped game pairs between two of them from seeded openings, [`statistics`] turns the
//! results into ratings with their uncertainty, and the [`gate`] decides whether a candidate replaces the champion. No
//! network is known here: whoever calls opens checkpoints as evaluators ([`EvaluatorSource`]).
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod error;

pub mod time_control;

pub mod player;

pub mod alphabeta;
pub mod random_player;
pub mod search_player;

pub mod spec;

pub mod roster;

pub mod opening;
pub mod pair_counts;

pub mod arena;
pub mod statistics;

pub mod summary;

pub mod ladder;

pub mod gate_config;

pub mod verdict;

pub mod gate;

pub use alphabeta::{AlphaBetaLimits, AlphaBetaPlayer, AlphaBetaReport, alpha_beta};
pub use arena::{GameResult, MatchConfig, MatchProgress, MatchReport, play_match};
pub use error::EvalError;
pub use gate::Champion;
pub use gate_config::{AtCap, GateConfig};
pub use ladder::{LadderRecord, RungScore, play_ladder};
pub use opening::openings;
pub use pair_counts::PairCounts;
pub use player::{Choice, Player, Seat};
pub use random_player::RandomPlayer;
pub use roster::{EvaluatorSource, build_player};
pub use search_player::{SearchPlayer, SearchPlayerConfig};
pub use spec::{PlayerSpec, SearchSpec};
pub use statistics::{
    EloEstimate, Encounter, MatchStrength, PairMoments, Rating, RatingBasis, RatingConfig, RatingTable, ScoreEstimate,
    SprtConfig, SprtDecision, SprtState,
};
pub use summary::{MatchSummary, SprtSummary};
pub use time_control::{ClockKind, TimeControl, TimeSpan};
pub use verdict::{GateDecision, GateReason, Verdict};
