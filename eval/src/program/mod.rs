//! Programs outside as players: started, asked, held to their time, and never trusted.
//!
//! A program speaks GTP ([`gtp_player`]) or the file protocol of the Pente course ([`pente_file_player`]). Whatever it
//! does wrong, crashing, silence, junk, an illegal move, becomes [`EvalError::PlayerFailed`](crate::EvalError) with the
//! reason and the program's last words. Each program runs in a process group of its own, which is killed as a whole.
//!
//! Only Unix systems have process groups, so this part of the project needs one.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod config;
pub mod turn_word;

mod process;

mod gtp_session;

pub mod gtp_player;

pub mod pente_file;

pub mod pente_program;

pub mod pente_file_player;

use selfplay_env::Rules;

pub use config::{ProgramConfig, Protocol};
pub use pente_file::{PenteInput, PenteInputError, input_text, read_input, read_output};
pub use pente_program::{PenteProgram, ProgramMove, RunLimits};
pub use turn_word::{gtp_color, legal_turns, parse_turn, turn_word};

use crate::error::EvalError;
use crate::player::Player;

/// The program that `config` describes, as a player of the game of `rules` called `name`.
///
/// # Errors
/// What [`ProgramConfig::validate`] finds; [`EvalError::WrongGame`] if the protocol is not for this game.
pub fn program_player(
    rules: &'static dyn Rules,
    name: String,
    config: &ProgramConfig,
) -> Result<Box<dyn Player>, EvalError> {
    match config.protocol {
        Protocol::Gtp => Ok(Box::new(gtp_player::GtpPlayer::new(rules, name, config)?)),
        Protocol::PenteFile => pente_file_player::pente_file_player(rules, name, config),
    }
}
