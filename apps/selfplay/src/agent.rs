//! The part of the `selfplay` program that plays an agent behind it: what `selfplay export` makes agents of.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use selfplay::AgentProgram;
use selfplay_courses::COURSES;
use selfplay_shipped::shipped_games;

fn main() -> ExitCode {
    AgentProgram::new(&shipped_games()).with(&COURSES).run()
}
