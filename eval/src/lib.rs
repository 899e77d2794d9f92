//! Who is stronger, and by how much: players, matches between them, Elo ratings and the gate.
//!
//! A [`Player`] is anything that makes decisions: random, alpha-beta, a search over an evaluator, a program outside.
//! The [`arena`] plays colour-swapped game pairs between two of them from seeded openings, a [`games_file`] keeps the
//! games, a [`tournament`] has many players meet, [`statistics`] turn the results into ratings with their uncertainty,
//! and the [`gate`] decides whether a candidate replaces the champion. No network is known here: whoever calls opens
//! checkpoints as evaluators ([`NetworkSource`]).
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod error;

pub mod time_control;

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

mod table_judge;

mod table_check;

pub mod table_player;

pub mod program;

pub mod playable;

pub mod spec;

pub mod roster;

pub mod opening;
pub mod pair_counts;

pub mod arena;
pub mod statistics;

pub mod solved_positions;

pub mod solved_file;

pub mod values_file;

pub mod accuracy;

pub mod play_check;

pub mod every_line;

pub mod game_line;

pub mod games_file;

pub mod recorded_match;

pub mod tournament;

pub mod summary;

mod wrapped;

pub mod results;

pub mod pgn;

pub mod elo_report;

pub mod ladder;

pub mod gate_config;

pub mod verdict;

pub mod gate;

pub use accuracy::{AccuracyReport, ValueLoss};
pub use alphabeta::{AlphaBeta, AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer, Selectivity, alpha_beta};
pub use alphabeta_report::{AlphaBetaReport, JudgedLine, Proof, ScoredLine, proof_of};
pub use analysis::Analysis;
pub use arena::{
    Clock, Elsewhere, Entrant, Fixture, GameResult, MatchConfig, MatchObserver, MatchProgress, MatchReport,
    MatchSetting, Measure, Pacing, StopRule, SystemClock, Termination, play_chunk, play_fixtures, play_match,
};
pub use elo_report::{EloLine, EloReport};
pub use error::EvalError;
pub use every_line::{EveryLineConfig, EveryLineReport};
pub use game_line::GamesHeader;
pub use games_file::{GamesFile, StoredGame, games_from_text, games_to_text};
pub use gate::Champion;
pub use gate_config::{AtCap, GateConfig};
pub use ladder::{LadderRecord, RungScore};
pub use opening::{Opening, OpeningSuite};
pub use pair_counts::PairCounts;
pub use pgn::pgn;
pub use play_check::{Oversight, PlayCheck, PlayViolation, TacticalPosition, TacticalTask, tactical_positions};
pub use playable::Playable;
pub use player::{Choice, Player, Seat, TableSeeds, check_running};
pub use random_player::RandomPlayer;
pub use recorded_match::{Recorder, play_recorded_match};
pub use results::{RecordedGames, Results, ResultsWarning};
pub use roster::{NetworkSource, NoCheckpoints, build_named_player, build_player};
pub use search_player::{Foresight, Proofs, SearchPlayer, SearchPlayerConfig, SpecSymmetry, Variety};
pub use solved_file::SolvedFile;
pub use solved_positions::{
    PositionQuota, PositionSample, SolvedBatch, SolvedPosition, SolvedPositions, SolvedPositionsConfig, Stage,
    pieces_on,
};
pub use solver::{Bounds, SolveConfig, SolveGoal, SolveProgress, SolveReport, solve};
pub use spec::{PlayerKind, PlayerRecipe, PlayerSpec, RELEASED_CHECKPOINT, SearchSpec, add_player_kinds};
pub use statistics::{
    Anchor, EloEstimate, Encounter, MatchStrength, PairMoments, Proportion, Rating, RatingBasis, RatingConfig,
    RatingTable, ScoreEstimate, SprtConfig, SprtDecision, SprtModel, SprtState,
};
pub use summary::{MatchSummary, SprtSummary};
pub use table_check::{TableComparison, TableDisagreement};
pub use table_judge::TableJudge;
pub use table_player::TablePlayer;
pub use time_control::{ClockKind, TimeControl, TimeSpan};
pub use tournament::{
    CrossTable, Pairing, Round, Standing, TournamentConfig, TournamentFormat, TournamentReport, play_tournament,
};
pub use values_file::read_values;
pub use verdict::{Comparison, GateDecision, MatchCondition, PointsLead, Verdict};
