//! A folder with a tiny config, and `selfplay train` in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Small enough for seconds in a test build, with every phase in it.
pub const CONFIG: &str = r#"
game = "tictactoe"
seed = 11
generations = 2

[network]
channels = 8
blocks = 1
policy_channels = 4
value_channels = 4
value_hidden = 8

[selfplay]
games_per_generation = 24
num_simulations = 12

[learner]
batch_size = 32

[gate]
pairs = 2
eval_pairs = 3
num_simulations = 8
eval_opponents = ["random", "alphabeta:depth=1"]
"#;

pub struct RunFixture {
    folder: tempfile::TempDir,
}

impl RunFixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
        RunFixture { folder }
    }

    /// The folder that commands run in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, run: &str, extra: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
        command.current_dir(self.folder.path()).args(["train", "tiny.toml", "--run", run]).args(extra);
        command
    }

    pub fn train(&self, run: &str, extra: &[&str]) -> Output {
        self.command(run, extra).output().unwrap()
    }

    pub fn trains(&self, run: &str, extra: &[&str]) -> String {
        let output = self.train(run, extra);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn refuses(&self, run: &str, extra: &[&str]) -> String {
        let output = self.train(run, extra);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && !error.contains("panicked"), "{error}");
        error
    }
}

/// Every file under `folder` by its relative path.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(path).unwrap());
            }
        }
    }
    found
}
