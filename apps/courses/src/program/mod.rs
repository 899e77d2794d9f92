//! Programs of the Pente course as players: `input.txt` in, `output.txt` out, one process a move.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod pente_file;

pub mod pente_program;

pub mod pente_file_player;

pub use pente_file::{PenteInput, PenteInputError, input_text, read_input, read_output};
pub use pente_file_player::{PenteFileConfig, pente_file_player};
pub use pente_program::{PenteProgram, ProgramMove, RunLimits};
