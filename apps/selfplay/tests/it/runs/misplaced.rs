//! Files that are whole and in the wrong place, and files that are missing: named, and not gone on from.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::runs::fixture::RunFixture;

/// A call of the program in the fixture's folder: whether it was content, and all that it said on one line.
fn selfplay(work: &RunFixture, arguments: &str) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    let output = command.current_dir(work.folder()).args(arguments.split(' ')).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    (output.status.success(), text)
}

/// Puts a file, or a folder of files, into the place of another.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::remove_dir_all(to).unwrap_or_default();
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn what_stands_in_the_place_of_another_is_named() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    work.trains("b", &["--set", "seed=12"]);
    let (run, other) = (work.path("checkpoints/a"), work.path("checkpoints/b"));
    let whole = work.path("whole");
    for folder in ["phases", "games", "networks"] {
        fs::create_dir_all(whole.join(folder)).unwrap();
    }
    for (from, name, to) in [
        (&other, "networks/gen-00001", "networks/gen-00001"),
        (&run, "networks/gen-00002", "networks/gen-00001"),
        (&other, "games/gen-00001.shard", "games/gen-00001.shard"),
        (&run, "games/gen-00002.shard", "games/gen-00001.shard"),
        (&other, "phases/gen-00002.gate.json", "phases/gen-00002.gate.json"),
        (&run, "phases/gen-00001.gate.json", "phases/gen-00002.gate.json"),
        (&run, "phases/gen-00001.learn.json", "phases/gen-00002.learn.json"),
        (&other, "phases/gen-00000.baselines.json", "phases/gen-00000.baselines.json"),
    ] {
        copy(&run.join(to), &whole.join(to));
        copy(&from.join(name), &run.join(to));
        let (is_content, text) = selfplay(&work, "doctor checkpoints/a --check");
        assert!(!is_content && text.contains(to) && text.contains("not "), "{name} as {to}: {text}");
        copy(&whole.join(to), &run.join(to));
    }
    let (is_content, text) = selfplay(&work, "doctor checkpoints/a --check");
    assert!(is_content, "{text}");

    // Nor is anything learned or played from it.
    copy(&other.join("networks/gen-00002"), &run.join("networks/gen-00002"));
    let error = work.refuses("a", &["--set", "generations=3"]);
    assert!(error.contains("gen-00002") && error.contains("seed 12"), "{error}");
}

#[test]
fn a_run_without_a_report_has_no_champion_and_is_not_cleaned() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    fs::remove_file(work.path("checkpoints/a/phases/gen-00001.gate.json")).unwrap();
    for arguments in [
        "match tictactoe search:checkpoint=checkpoints/a,simulations=8 random --games 2",
        "export tictactoe checkpoints/a --out agent",
        "clean checkpoints/a --keep-last 1",
    ] {
        let (is_done, text) = selfplay(&work, arguments);
        assert!(!is_done && text.contains("gen-00001.gate.json: missing file"), "{arguments}: {text}");
    }
    // The run makes it again.
    work.trains("a", &[]);
    let (is_done, text) = selfplay(&work, "clean checkpoints/a --keep-last 1");
    assert!(is_done, "{text}");
}

#[test]
fn games_of_another_network_in_the_same_place_are_not_taken_for_its_own() {
    let work = RunFixture::new();
    work.trains("a", &["--set", "generations=1"]);
    work.trains("b", &["--set", "generations=1", "--set", "seed=12"]);
    let network = |run: &str| work.path("checkpoints").join(run).join("networks/gen-00001");
    let played_before = || {
        let spec = "policy:checkpoint=checkpoints/a/networks/gen-00001";
        let (is_content, text) = selfplay(&work, &format!("match tictactoe {spec} random --games 4"));
        assert!(is_content, "{text}");
        text.contains("4 of them were played earlier")
    };
    assert!(!played_before() && played_before());
    copy(&network("b"), &network("a"));
    assert!(!played_before() && played_before(), "the network is another, the words are the same");
}
