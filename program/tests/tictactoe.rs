//! The smoke-trained tic-tac-toe agent against every line an opponent can play: it never loses.

use std::path::Path;
use std::process::Command;

/// What the program says, which must end well.
fn told(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {told}{}", String::from_utf8_lossy(&output.stderr));
    told
}

#[test]
fn the_smoke_trained_agent_never_loses() {
    let folder = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/tictactoe/smoke.toml");
    let checkpoints = folder.path().to_str().unwrap();
    told(&["train", config.to_str().unwrap(), "--run", "smoke", "--checkpoints", checkpoints]);
    let agent = format!("search:checkpoint={checkpoints}/smoke,simulations=100");
    for side in ["first", "second"] {
        let told = told(&["refute", "--side", side, "tictactoe", &agent]);
        let games = told.split_whitespace().zip(told.split_whitespace().skip(1)).find(|(_, word)| *word == "games:");
        let games: usize = games.and_then(|(number, _)| number.parse().ok()).unwrap_or(0);
        assert!(games > 50, "only {games} games as {side}: {told}");
        assert!(told.contains(" 0 lost"), "as {side}: {told}");
    }
}
