//! The `selfplay` program: the games that ship with it, and the courses they come from.

use std::process::ExitCode;

use selfplay::Program;
use selfplay_connect4::CONNECT4;
use selfplay_courses::COURSES;
use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_pylos::PYLOS;
use selfplay_sum15::{SUM15_4, SUM15_6};
use selfplay_tictactoe::TIC_TAC_TOE;

fn main() -> ExitCode {
    let games = [PENTAGO_SWAP, PYLOS, PENTE, PENTE_13, PENTE_9, SUM15_4, SUM15_6, TIC_TAC_TOE, CONNECT4];
    Program::new(&games).with(&COURSES).built_from(option_env!("SELFPLAY_GIT_COMMIT")).run()
}
