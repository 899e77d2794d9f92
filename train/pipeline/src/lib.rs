//! A training run: its config, its folder, its training loop and its results.
//!
//! Nothing here prints or reads arguments. Callers follow the loop as an [`Observer`]. A run in forty lines:
//! ```no_run
//! use std::path::Path;
//!
//! use selfplay_registry::Games;
//! use selfplay_pipeline::{Event, GateMode, Machine, Observer, RunConfig, RunFolder, RunOutput, Training, StopCondition, run_training};
//! use selfplay_learner::TrainingBackend;
//! use selfplay_tictactoe::TIC_TAC_TOE;
//!
//! struct Printed;
//!
//! impl Observer for Printed {
//!     fn on_event(&self, event: &Event) {
//!         if let Some(text) = event.text() {
//!             println!("{text}");
//!         }
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let games = Games::new(&[TIC_TAC_TOE]);
//!     let mut config = RunConfig::parse("game = \"tictactoe\"\ngenerations = 3", &games)?;
//!     config.selfplay.games_per_generation = 64;
//!     let (run, _lock) = RunFolder::create_or_resume(Path::new("checkpoints/first"), &mut config, &games)?;
//!     let machine = Machine { backend: &TrainingBackend, ..Machine::default() };
//!     let training = Training::new(run, config, machine, &games, &Printed)?;
//!     let mut output = RunOutput::default();
//!     run_training(&training, StopCondition::LastGeneration, GateMode::EachGeneration(&mut output))?;
//!     for row in output.write(&training)?.elo {
//!         println!("{}: {:.0}", row.player, row.elo);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

pub mod machine;

pub mod resources;

mod nearby;

mod retention_config;

pub mod config_keys;

mod config_text;

mod config_mismatch;

pub mod config;

pub mod error;

pub mod phase;

mod checksummed;
mod run_lock;

pub mod events;

pub mod observer;

pub mod run_folder;

mod champion;

pub mod provenance;

pub mod live;

pub mod agents;

mod generation_player;

pub mod run_match;

pub mod executor;

pub mod training;

pub mod run_phase;

mod tablebase_targets;

pub mod gate;
pub mod learning;
pub mod self_play;

pub mod retention;

pub mod integrity;

pub mod doctor;

pub mod rows;

mod telemetry;

pub mod results;

mod blunders;
pub mod budget;
pub mod opening_policy;
pub mod perfect_play;
pub mod samples;

pub mod pipeline;

pub use agents::{Agents, agent_of, checkpoint_of};
pub use config::{ConfigError, RunConfig};
pub use error::RunError;
pub use events::{Event, PhaseStart};
pub use executor::{Executor, Local, SelfPlayWork};
pub use machine::{Machine, all_cores};
pub use observer::{Observer, Unwatched};
pub use phase::{Phase, agent_name};
pub use pipeline::{GateMode, StopCondition, run_training};
pub use results::{Results, RunOutput};
pub use retention_config::RetentionConfig;
pub use run_folder::{RunFolder, RunIdentity};
pub use run_lock::RunLock;
pub use run_match::{RunMatch, RunPlayers};
pub use training::Training;
