//! Programs of the Pente course as players: `input.txt` in, `output.txt` out, one process a move.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod pente_file;
mod pente_program;

mod pente_file_player;

pub use pente_file::{PenteInput, PenteInputError, PenteOutputError, input_text, read_input, read_output};
pub use pente_file_player::{PenteFileConfig, pente_file_player};
pub use pente_program::{PenteFault, PenteProgram, ProgramMove, RunLimits};
