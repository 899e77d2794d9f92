//! Damaged files: `doctor` and every command that reads them report their names.

use std::fs;
use std::process::Command;

use crate::runs::fixture::{RunFixture, files};

#[test]
fn damage_is_named() {
    let work = RunFixture::new();
    work.trains("a", &["--set", "generations=1"]);
    let weights = work.path("checkpoints/a/networks/gen-00001/training.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    let error = work.refuses("a", &[]);
    assert!(error.contains("training.safetensors"), "{error}");
}

#[test]
fn the_doctor_looks_at_numbers_and_games() {
    let work = RunFixture::new();
    work.trains("a", &["--set", "replay.validation_every=4"]);
    let doctor = |run: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
        command.current_dir(work.folder()).args(["doctor", run]).output().unwrap()
    };
    let output = doctor("checkpoints/a");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("48 stored games replay"), "{text}");
    let learned = fs::read_to_string(work.path("checkpoints/a/phases/gen-00002.learn.json")).unwrap();
    let learned: serde_json::Value = serde_json::from_str(&learned).unwrap();
    assert!(learned["validation"]["value_loss"].as_f64().unwrap() > 0.0, "{learned}");
    let output = doctor("checkpoints/b");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("no run"));
}

/// What `doctor RUN` says, on standard output and error, and whether it was content.
fn doctor(work: &RunFixture, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    let output = command.current_dir(work.folder()).args(["doctor", "checkpoints/a"]).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    (output.status.success(), text)
}

#[test]
fn the_doctor_finds_every_file_that_is_not_as_it_was_written() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let run = work.path("checkpoints/a");
    let (is_content, text) = doctor(&work, &["--check"]);
    assert!(is_content && text.contains("13 reports, shards and checkpoints match their checksums"), "{text}");
    let files = [
        "phases/gen-00000.baselines.json",
        "phases/gen-00001.gate.json",
        "phases/gen-00002.learn.json",
        "games/gen-00001.shard",
        "networks/gen-00002/weights.safetensors",
        "networks/gen-00002/optimizer.safetensors",
        "networks/gen-00000/manifest.toml",
    ];
    for file in files {
        let whole = fs::read(run.join(file)).unwrap();
        let mut spoilt = whole.clone();
        let middle = spoilt.len() / 2;
        spoilt[middle] ^= 4;
        fs::write(run.join(file), &spoilt).unwrap();
        let (is_content, text) = doctor(&work, &["--check"]);
        let name = file.rsplit('/').next().unwrap();
        assert!(!is_content && text.contains(name), "{file}: {text}");
        fs::write(run.join(file), &whole).unwrap();
    }
    // What must be there is missed: the newest network, which is the champion here or not, and all of them.
    let newest = run.join("networks/gen-00002");
    let away = run.join("gen-00002.away");
    fs::rename(&newest, &away).unwrap();
    let (is_content, text) = doctor(&work, &["--check"]);
    assert!(!is_content && text.contains("gen-00002: missing "), "{text}");
    let resumed = work.refuses("a", &[]);
    assert!(resumed.contains("gen-00002: missing "), "{resumed}");
    fs::rename(&away, &newest).unwrap();
    // A stray file is named, and makes nothing slow.
    let stray = run.join("phases/gen-4294967295.learn.json");
    fs::write(&stray, "{}").unwrap();
    let (is_content, text) = doctor(&work, &["--check"]);
    assert!(!is_content && text.contains("files of generation 4294967295"), "{text}");
    fs::remove_file(&stray).unwrap();
    // Without `--check` as well: a shard that is whole as far as it goes tells nothing by itself.
    let shard = run.join("games/gen-00001.shard");
    let mut bytes = fs::read(&shard).unwrap();
    bytes[200] ^= 1;
    fs::write(&shard, bytes).unwrap();
    let (is_content, text) = doctor(&work, &[]);
    assert!(!is_content && text.contains("gen-00001.shard"), "{text}");
}

#[test]
fn a_champion_s_file_that_is_spoilt_misleads_nobody() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let path = work.path("checkpoints/a/champion.toml");
    let before = fs::read_to_string(&path).unwrap();
    for spoilt in ["generation = 8\n", "generation = 0\n", "generation"] {
        fs::write(&path, spoilt).unwrap();
        let output = work.command("a", &[]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !text.contains("gen-00008"), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
}

#[test]
fn training_that_diverges_keeps_the_last_good_checkpoint() {
    use selfplay_network::checkpoint::{TrainingState, load_training_state, load_weights, save};
    use selfplay_network::{NetworkWeights, Provenance};
    let work = RunFixture::new();
    work.trains("a", &["--set", "generations=1"]);
    let folder = work.path("checkpoints/a/networks/gen-00001");
    let shape = selfplay_tictactoe::TIC_TAC_TOE.shape();
    let ((training, manifest), (weights, _)) =
        (load_training_state(&folder, shape).unwrap(), load_weights(&folder, shape).unwrap());
    let mut tensors = training.weights.tensors().to_vec();
    tensors.iter_mut().find(|tensor| tensor.name == "stem.conv.weight").unwrap().values[0] = 1e20;
    let spoilt = NetworkWeights::from_tensors(shape, weights.config().clone(), tensors).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let state = TrainingState { weights: spoilt, optimizer: training.optimizer };
    let provenance = Provenance { ..manifest.provenance };
    save(&folder, &weights, Some(&state), &provenance).unwrap();
    let error = work.refuses("a", &[]);
    assert!(error.contains("generation 2") && error.contains("gen-00001"), "{error}");
    assert!(!work.path("checkpoints/a/phases/gen-00002.learn.json").exists());
    assert!(load_training_state(&folder, shape).is_ok(), "what was good is still there");
}

#[test]
fn what_the_program_says_of_damage_helps() {
    let work = RunFixture::new();
    let more = ["--set", "generations=3"];
    work.trains("a", &more);
    let products = || [files(&work.path("checkpoints/a/games")), files(&work.path("checkpoints/a/networks"))];
    let whole = products();
    for phase in ["selfplay", "learn", "gate"] {
        let report = work.path(&format!("checkpoints/a/phases/gen-00001.{phase}.json"));
        let text = fs::read_to_string(&report).unwrap();
        fs::write(&report, text.replacen(|c: char| c.is_ascii_digit(), "x", 1)).unwrap();
        let error = work.refuses("a", &more);
        assert!(error.contains(&format!("gen-00001.{phase}.json")) && error.contains("remove it alone"), "{error}");
        fs::remove_file(report).unwrap();
        work.trains("a", &more);
        assert_eq!(products(), whole, "{phase}");
    }
    // Games that cannot be read, and none at all.
    let shard = work.path("checkpoints/a/games/gen-00002.shard");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, [b"other", &bytes[5..]].concat()).unwrap();
    for _ in 0..2 {
        let error = work.refuses("a", &["--set", "generations=4"]);
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains("gen-00002.shard") && error.contains("restore the file from a backup"), "{error}");
        fs::remove_file(&shard).unwrap_or_default();
    }
}
