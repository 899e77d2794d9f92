//! Matches, tournaments and tests between players, what they leave behind, and what is measured with them.
//!
//! [`play_match`] plays colour-swapped game pairs between two players from seeded openings. A [`GamesFile`] keeps the games,
//! [`play_tournament`] has many players meet, [`EloReport`] rates them, and the [`gate`] decides whether a candidate replaces
//! the champion. [`accuracy`] and [`exhaustive_verification`] measure players against solved positions.
//!
//! ```
//! use selfplay_arena::{MatchConfig, MatchSetting, play_match};
//! use selfplay_env::Typed;
//! use selfplay_players::{NoCheckpoints, PlayerKinds, build_player};
//! use selfplay_tictactoe::TicTacToe;
//!
//! let kinds = PlayerKinds::built_in();
//! let (perfect, random) = (kinds.parse("alphabeta:depth=9,memory=1")?, kinds.parse("random")?);
//! let game = &Typed::<TicTacToe>::IT;
//! let config = MatchConfig { pairs: 4, opening_plies: 0, ..MatchConfig::default() };
//! let report = play_match(
//!     game,
//!     || build_player(game, &perfect, &NoCheckpoints),
//!     || build_player(game, &random, &NoCheckpoints),
//!     &config,
//!     &MatchSetting::default(),
//!     |_| (),
//! )?;
//! assert_eq!(report.games.len(), 8);
//! assert_eq!(report.pair_counts().losses(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod error;

pub mod opening;

pub mod arena;

pub mod solved_positions;

pub mod solved_file;

pub mod values_file;

pub mod accuracy;

pub mod play_check;

pub mod exhaustive_verification;

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
pub use arena::{
    Clock, Fixture, GameResult, MatchConfig, MatchObserver, MatchProgress, MatchReport, MatchSetting, Measure,
    OnProgress, Pacing, Participant, RemoteExecutor, StopRule, SystemClock, Termination, play_chunk, play_fixtures,
    play_match,
};
pub use elo_report::{EloLine, EloReport};
pub use error::ArenaError;
pub use exhaustive_verification::{VerificationConfig, VerificationReport};
pub use game_line::{GameLineError, GamesHeader};
pub use games_file::{GamesFile, GamesTextError, StoredGame, games_from_text, games_to_text};
pub use gate::Champion;
pub use gate_config::{GateConfig, IfInconclusive};
pub use ladder::{BaselineScore, LadderRecord};
pub use opening::{Opening, OpeningSuite};
pub use pgn::pgn;
pub use play_check::{Oversight, PlayCheck, PlayViolation, TacticalPosition, TacticalTask, tactical_positions};
pub use recorded_match::{Recorder, play_recorded_match};
pub use results::{RecordedGames, Results, ResultsWarning};
pub use solved_file::SolvedFile;
pub use solved_positions::{
    PositionQuota, PositionSample, SolvedBatch, SolvedPosition, SolvedPositions, SolvedPositionsConfig, Stage,
    pieces_on,
};
pub use summary::{MatchSummary, SprtSummary};
pub use tournament::{
    CrossTable, Pairing, Round, Standing, TournamentConfig, TournamentFormat, TournamentReport, play_tournament,
};
pub use values_file::read_values;
pub use verdict::{Comparison, GateDecision, MatchCondition, PointsLead, Verdict};
