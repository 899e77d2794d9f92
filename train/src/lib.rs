//! Between self-play and the learner: game records, shards, actors, the replay buffer, batches.
//!
//! Nothing here knows players, configs files or run folders; it is told what to read and where to write.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod record;

pub mod error;

pub mod shard;

pub mod replay;

pub mod selfplay_config;

pub mod ledger;

mod starts;

mod leaf_evaluator;

mod game_slot;

pub mod actor;

pub mod selfplay;

pub mod summary;

pub mod value_fit;

pub mod row;

pub mod trainable;

pub mod sampling;

pub use actor::{Actor, GameActor, GameRange, PlayedRange};
pub use error::TrainError;
pub use ledger::GameLedger;
pub use record::{DecisionRecord, EndReason, GameEnd, GameRecord, GameResult, SearchTarget, ShardHeader};
pub use replay::{ReplayBuffer, ReplayConfig};
pub use row::Row;
pub use sampling::{batch_of_games, sample_batch};
pub use selfplay::{Generation, Played, play_generation, single_threaded};
pub use selfplay_config::{EvaluationSymmetry, ResignConfig, SelfPlayConfig, StartConfig};
pub use selfplay_metrics::SelfPlaySummary;
pub use summary::summarise;
pub use trainable::Trainable;
pub use value_fit::ValueFit;
