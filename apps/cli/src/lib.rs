//! The command line of programs that play and train games: arguments in, one command done, a short reason when it cannot
//! be.
//!
//! A program is its games and this library:
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     selfplay::main(&[selfplay_tictactoe::TIC_TAC_TOE])
//! }
//! ```
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod progress;

mod args;
mod error;

mod bare;
mod interrupt;
mod placing;
mod space;
mod wrapped_stdout;

mod carried_table;

mod contest;

mod run_view;
mod variants;

mod commands;

mod course;
mod exported;

mod agent_program;

mod program;

use std::process::ExitCode;

pub use agent_program::AgentProgram;
pub use args::{InvalidValue, MachineArgs, game_id, time_ms};
pub use course::{Course, ExportedAgent, Protocol, Protocols};
pub use error::CliError;
pub use placing::check_folder;
pub use program::Program;
pub use progress::PhaseBar;
pub use selfplay_network::Precision;
pub use selfplay_pipeline::{Agents, Machine, all_cores};
pub use selfplay_registry as kit;
pub use selfplay_registry::{GameRef, Games, game};

/// Does what the command line says in a program that has these games.
pub fn main(games: &[GameRef]) -> ExitCode {
    Program::new(games).run()
}
