//! The integration tests of this crate, in one program.

mod commands;
mod export;
#[cfg(unix)]
mod installed;
mod playing;
mod readers;
#[cfg(target_os = "linux")]
mod rogues;
mod runs;
mod tictactoe;
mod whole_games;
