//! The program: everything that `selfplay` does, for this game.

use std::process::ExitCode;

use squava::Squava;

fn main() -> ExitCode {
    selfplay::main(&[selfplay::game::<Squava>()])
}
