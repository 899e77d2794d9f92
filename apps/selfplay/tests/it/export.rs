//! Exported files: a program that carries its agent, and the network for other tools.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with a tic-tac-toe run of one generation.
struct Trained(tempfile::TempDir);

impl Trained {
    fn new() -> Self {
        let trained = Trained(tempfile::tempdir().unwrap());
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/tictactoe/smoke.toml");
        let folder = trained.path("runs");
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["train", config.to_str().unwrap(), "--run", "one", "--set", "generations=1", "--checkpoints"])
            .arg(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        trained
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn export(&self, game: &str, out: &str, extra: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["export", game])
            .arg(self.path("runs/one"))
            .arg("--out")
            .arg(self.path(out))
            .args(extra)
            .output()
            .unwrap()
    }
}

/// Runs `program` with `input` in an empty folder and without the environment's variables.
fn run(program: &Path, args: &[&str], input: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder.path())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_exported_program_is_the_agent_and_needs_nothing_else() {
    let trained = Trained::new();
    let exported = trained.export("tictactoe", "agent", &["--name", "Tester"]);
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    // Without the run: the file is all there is.
    std::fs::remove_dir_all(trained.path("runs")).unwrap();
    let agent = trained.path("agent");

    let info = text(&run(&agent, &["info"], "").stdout);
    assert!(info.contains("Tester plays tictactoe") && info.contains("generations"), "{info}");
    let help = text(&run(&agent, &["--help"], "").stdout);
    assert!(help.contains("gtp") && !help.contains("ablate"), "{help}");

    let session = run(&agent, &["gtp", "--time", "20ms"], "1 name\n2 play b a1\n3 genmove w\n4 nonsense\n5 quit\n");
    let answers = text(&session.stdout);
    assert!(answers.starts_with("=1 Tester") && answers.contains("?4 ") && answers.contains("=5"), "{answers}");
    assert!(session.status.success());

    let game = run(&agent, &["play", "--time", "10ms"], "a1\nquit\n");
    let shown = text(&game.stdout);
    assert!(game.status.success() && shown.contains("You are") && shown.contains("Tester"), "{shown}");
    let refused = run(&agent, &["calibrate"], "");
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("not available for tictactoe"),
        "{}",
        text(&refused.stderr)
    );

    let whole = std::fs::read(&agent).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() - 100] ^= 1;
    std::fs::write(&agent, damaged).unwrap();
    let refused = run(&agent, &["info"], "");
    assert!(!refused.status.success() && text(&refused.stderr).contains("damaged"), "{}", text(&refused.stderr));
}

#[test]
fn an_exported_checkpoint_plays_like_the_run_and_cannot_be_trained_further() {
    let trained = Trained::new();
    let exported = trained.export("tictactoe", "released", &["--format", "checkpoint"]);
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let mut files: Vec<_> =
        std::fs::read_dir(trained.path("released")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["manifest.toml", "weights.safetensors"]);

    let analysed = |checkpoint: &str| {
        let player = format!("policy:precision=f32,checkpoint={}", trained.path(checkpoint).display());
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["analyse", "--json", "tictactoe", &player, "a1"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).replace(trained.path(checkpoint).to_str().unwrap(), "")
    };
    assert_eq!(analysed("released"), analysed("runs/one"));

    // A folder is somebody's: --force replaces files alone.
    for extra in [&["--format", "checkpoint"][..], &["--format", "checkpoint", "--force"]] {
        let again = text(&trained.export("tictactoe", "released", extra).stderr);
        assert!(again.contains("already"), "{again}");
    }
}

#[test]
fn other_formats_and_wrong_requests() {
    let trained = Trained::new();
    for (format, sign) in [("onnx", "policy_logits"), ("safetensors", "encoding_version")] {
        let exported = trained.export("tictactoe", format, &["--format", format]);
        assert!(exported.status.success(), "{}", text(&exported.stderr));
        assert!(text(&std::fs::read(trained.path(format)).unwrap()).contains(sign));
    }
    let again = text(&trained.export("tictactoe", "onnx", &["--format", "onnx"]).stderr);
    assert!(again.contains("already exists") && again.contains("--force"), "{again}");
    assert!(trained.export("tictactoe", "onnx", &["--format", "onnx", "--force"]).status.success());
    let other = text(&trained.export("connect4", "wrong", &[]).stderr);
    assert!(other.contains("tictactoe") && other.contains("connect4"), "{other}");
    let unspeakable = text(&trained.export("tictactoe", "wrong", &["--name", "two\nlines"]).stderr);
    assert!(unspeakable.contains("one line"), "{unspeakable}");
    assert!(!trained.path("wrong").exists());
}
