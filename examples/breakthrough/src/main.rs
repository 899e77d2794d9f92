//! Everything that `selfplay` does, for Breakthrough.

use std::process::ExitCode;

use breakthrough::Breakthrough;

fn main() -> ExitCode {
    selfplay::main(&[selfplay::game::<Breakthrough>()])
}
