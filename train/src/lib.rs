//! Between self-play and the learner: game records, shards, actors, the replay buffer, batches.
//!
//! No part depends on players, config files or run folders: callers name the files to read and write.
//!
//! ```
//! use selfplay_env::fixtures::TicTacToe;
//! use selfplay_env::rng::rng_for;
//! use selfplay_env::rules;
//! use selfplay_mcts::UniformEvaluator;
//! use selfplay_mcts::EvaluationCache;
//! use selfplay_train::{
//!     Actors, Batching, GameContext, ReplayBuffer, ReplayConfig, SelfPlayConfig, play_games, play_generation,
//! };
//!
//! let config = SelfPlayConfig { games_per_generation: 4, num_simulations: 10, ..SelfPlayConfig::default() };
//! let folder = tempfile::tempdir()?;
//! let context = GameContext { config: &config, run_seed: 7, generation: 1, earlier: &[] };
//! let actors = Actors { threads: 2, batching: Batching::PerThread, cache: &EvaluationCache::new(1) };
//! let shard = folder.path().join("games.shard");
//! let played = play_generation(rules::<TicTacToe>(), &shard, context, |queue| {
//!     play_games::<TicTacToe, _>(&|| UniformEvaluator, 0, context, actors, queue)
//! }, &|_| {})?;
//!
//! let mut replay = ReplayBuffer::new();
//! replay.extend(played.records, &ReplayConfig::default());
//! let sample = replay.sample(&mut rng_for(&[7]))?;
//! assert!(sample.game.agrees_with(rules::<TicTacToe>()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod record;

mod error;

pub mod shard;

mod replay;

mod selfplay_config;

mod ledger;

mod starts;

mod game_queue;

mod games_in_flight;

mod game_slot;

mod actor;

mod selfplay;

mod summary;

mod value_fit;

mod row;

mod trainable;

mod sampling;

pub use actor::{Actors, Batching, PlayStats, play_games, single_threaded};
pub use error::TrainError;
pub use game_queue::{GameCost, GameQueue, GameRange};
pub use game_slot::GameContext;
pub use ledger::GameLedger;
pub use record::{
    ENGINE_VERSION, EndReason, GameEnd, GameRecord, GameResult, PlyRecord, Resignation, SHARE_SCALE, SearchTarget,
    ShardHeader,
};
pub use replay::{ReplayBuffer, ReplayConfig, SampledPosition};
pub use row::{Row, SampleView};
pub use sampling::{batch_of_games, sample_batch};
pub use selfplay::{Played, play_generation};
pub use selfplay_config::{EvaluationSymmetry, ResignConfig, SelfPlayConfig, StartConfig};
pub use selfplay_metrics::SelfPlaySummary;
pub use summary::summarise;
pub use trainable::Trainable;
pub use value_fit::{CALIBRATION_BINS, CalibrationBin, MAX_PLIES, PlyError, ValueFit};
