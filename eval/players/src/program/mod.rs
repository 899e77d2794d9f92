//! Programs outside as players: started, asked, held to their time, and never trusted.
//!
//! A program speaks GTP ([`GtpPlayer`]); courses have protocols of their own on the same [`Process`]. Whatever it does wrong,
//! crashing, silence, junk, an illegal move, becomes [`EvalError::PlayerFailed`](crate::EvalError) with the reason and the
//! program's last words. Each program runs in a process group of its own, which is killed as a whole, with what has left it.
//!
//! Only Unix systems have process groups; elsewhere no program is started, and a sentence says why.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod config;
mod error;
mod turn_word;

#[cfg(unix)]
mod process_tree;
mod quoted;

#[cfg(not(unix))]
#[path = "no_process.rs"]
mod process;
#[cfg(unix)]
mod process;

mod gtp_session;

mod gtp_player;

pub use config::ProgramConfig;
pub use error::{ProgramError, StartError};
pub use gtp_player::GtpPlayer;
pub use process::Process;
pub use quoted::quoted;
pub use turn_word::{TurnError, Turns, gtp_color, legal_turns, parse_turn, turn_word, turns};
