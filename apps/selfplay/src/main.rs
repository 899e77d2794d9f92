//! The `selfplay` program: the games that ship with it, and the courses they come from.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use selfplay::Program;
use selfplay_courses::COURSES;
use selfplay_shipped::shipped_games;

fn main() -> ExitCode {
    Program::new(&shipped_games()).with(&COURSES).built_from(option_env!("SELFPLAY_GIT_COMMIT")).run()
}
