//! Programs outside as players: started, asked, held to their time, and never trusted.
//!
//! A program speaks GTP ([`gtp_player`]); courses have protocols of their own on the same [`process`]. Whatever it
//! does wrong, crashing, silence, junk, an illegal move, becomes [`EvalError::PlayerFailed`](crate::EvalError) with the
//! reason and the program's last words. Each program runs in a process group of its own, which is killed as a whole, with what has left it.
//!
//! Only Unix systems have process groups; elsewhere no program is started, and a sentence says why.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod config;
pub mod turn_word;

#[cfg(unix)]
mod process_tree;
mod quoted;

#[cfg(not(unix))]
#[path = "no_process.rs"]
pub mod process;
#[cfg(unix)]
pub mod process;

mod gtp_session;

pub mod gtp_player;

pub use config::ProgramConfig;
pub use gtp_player::GtpPlayer;
pub use process::Process;
pub use quoted::quoted;
pub use turn_word::{gtp_color, legal_turns, parse_turn, turn_word};
