//! Checkpoints come back as they were, or are rejected with the reason.

use std::fs;
use std::path::Path;

use selfplay_env::GameShape;
use selfplay_env::fixtures::TicTacToe;
use selfplay_network::checkpoint::{self, MANIFEST_FILE, OPTIMIZER_FILE, TRAINING_FILE, TrainingState, WEIGHTS_FILE};
use selfplay_network::{AuxiliaryConfig, NamedTensor, NetworkConfig, NetworkError, NetworkWeights, Provenance};

fn shape() -> GameShape {
    GameShape::for_game::<TicTacToe>()
}

fn network(seed: u64) -> NetworkWeights {
    let config = NetworkConfig {
        channels: 4,
        blocks: 2,
        policy_channels: 2,
        value_channels: 2,
        value_hidden: 3,
        global_pooling: true,
        auxiliary: AuxiliaryConfig::default(),
    };
    NetworkWeights::fresh(shape(), config, seed).unwrap()
}

fn training_state(seed: u64) -> TrainingState {
    let optimizer = vec![NamedTensor { name: "velocity".into(), shape: vec![2], values: vec![0.5, -0.25] }];
    TrainingState { weights: network(seed), optimizer }
}

fn provenance() -> Provenance {
    Provenance { step: 12, generation: 3, seed: u64::MAX, git_commit: Some("abc".into()) }
}

/// A saved checkpoint with all files, in a folder that lives as long as the first value.
fn saved() -> (tempfile::TempDir, std::path::PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("generation-3");
    checkpoint::save(&folder, &network(1), Some(&training_state(2)), &provenance()).unwrap();
    (parent, folder)
}

/// Rewrites the manifest with one piece of text replaced, its checksum made right again.
fn edit_manifest(folder: &Path, from: &str, to: &str) {
    let path = folder.join(MANIFEST_FILE);
    let text = fs::read_to_string(&path).unwrap();
    let (_, toml) = text.split_once('\n').unwrap();
    assert!(toml.contains(from), "{toml}");
    let toml = toml.replace(from, to);
    let checksum = blake3::hash(toml.as_bytes());
    fs::write(path, format!("# BLAKE3 of everything below: {checksum}\n{toml}")).unwrap();
}

#[test]
fn without_its_training_state_a_checkpoint_plays_as_before() {
    let (_parent, folder) = saved();
    let (before, _) = checkpoint::load_weights(&folder, shape()).unwrap();
    for _ in 0..2 {
        checkpoint::discard_training_state(&folder).unwrap();
        let (after, _) = checkpoint::load_weights(&folder, shape()).unwrap();
        assert_eq!(after, before);
        let error = checkpoint::load_training_state(&folder, shape()).unwrap_err();
        assert!(matches!(error, NetworkError::NoTrainingState { .. }), "{error}");
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [MANIFEST_FILE, WEIGHTS_FILE]);
    }
}

#[test]
fn everything_comes_back_as_it_was() {
    let (_parent, folder) = saved();
    let (loaded, manifest) = checkpoint::load_weights(&folder, shape()).unwrap();
    assert_eq!(loaded, network(1));
    assert_ne!(loaded, network(2));
    assert_eq!(loaded.config(), network(1).config());
    assert_eq!(manifest.provenance, provenance());
    assert_eq!(manifest.game.id, shape().game);

    let (training, same_manifest) = checkpoint::load_training_state(&folder, shape()).unwrap();
    assert_eq!(training.weights, network(2));
    assert_eq!(training.optimizer, training_state(2).optimizer);
    assert_eq!(same_manifest, manifest);
}

#[test]
fn the_same_checkpoint_has_the_same_bytes() {
    let ((_a, first), (_b, second)) = (saved(), saved());
    for file in [MANIFEST_FILE, WEIGHTS_FILE, TRAINING_FILE, OPTIMIZER_FILE] {
        assert_eq!(fs::read(first.join(file)).unwrap(), fs::read(second.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn a_changed_byte_in_any_file_is_noticed() {
    for file in [MANIFEST_FILE, WEIGHTS_FILE, TRAINING_FILE, OPTIMIZER_FILE] {
        let (_parent, folder) = saved();
        let path = folder.join(file);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = match file {
            MANIFEST_FILE | WEIGHTS_FILE => checkpoint::load_weights(&folder, shape()).unwrap_err(),
            _ => checkpoint::load_training_state(&folder, shape()).unwrap_err(),
        };
        assert!(matches!(&error, NetworkError::HashMismatch { path: named, .. } if *named == path), "{file}: {error}");
    }
}

#[test]
fn missing_files_are_named() {
    for file in [MANIFEST_FILE, WEIGHTS_FILE] {
        let (_parent, folder) = saved();
        fs::remove_file(folder.join(file)).unwrap();
        let error = checkpoint::load_weights(&folder, shape()).unwrap_err();
        assert!(matches!(&error, NetworkError::MissingFile { path } if path.ends_with(file)), "{error}");
    }
}

#[test]
fn an_exported_agent_plays_but_does_not_train() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("agent");
    checkpoint::save(&folder, &network(1), None, &provenance()).unwrap();
    assert!(checkpoint::load_weights(&folder, shape()).is_ok());
    let error = checkpoint::load_training_state(&folder, shape()).unwrap_err();
    assert!(matches!(error, NetworkError::NoTrainingState { .. }), "{error}");
}

#[test]
fn other_formats_encodings_and_sizes_are_refused() {
    type Check = fn(&NetworkError) -> bool;
    let cases: [(&str, &str, Check); 6] = [
        ("format_version = 2", "format_version = 9", |e| matches!(e, NetworkError::FormatVersion { found: 9, .. })),
        ("encoding_version = 1", "encoding_version = 2", |e| {
            matches!(e, NetworkError::EncodingVersion { found: 2, expected: 1, .. })
        }),
        ("height = 3", "height = 4", |e| matches!(e, NetworkError::NetworkShape { .. })),
        ("policy_planes = 1\n", "", |e| matches!(e, NetworkError::NetworkShape { .. })),
        ("channels = 4", "channels = 8", |e| matches!(e, NetworkError::UnfitTensors { .. })),
        ("[network]", "[network]\ncolour = 1", |e| matches!(e, NetworkError::UnreadableManifest { .. })),
    ];
    for (from, to, check) in cases {
        let (_parent, folder) = saved();
        edit_manifest(&folder, from, to);
        let error = checkpoint::load_weights(&folder, shape()).unwrap_err();
        assert!(check(&error), "{to}: {error}");
    }
}

#[test]
fn another_game_is_refused() {
    let (_parent, folder) = saved();
    let renamed = GameShape { game: "renamed", ..shape() };
    let error = checkpoint::load_weights(&folder, renamed).unwrap_err();
    assert!(
        matches!(&error, NetworkError::WrongGame { found, expected: "renamed", .. } if found == shape().game),
        "{error}"
    );
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_half_written() {
    let (parent, folder) = saved();
    let before = fs::read(folder.join(WEIGHTS_FILE)).unwrap();
    let error = checkpoint::save(&folder, &network(5), None, &provenance()).unwrap_err();
    assert!(matches!(error, NetworkError::AlreadyExists { .. }), "{error}");
    assert_eq!(fs::read(folder.join(WEIGHTS_FILE)).unwrap(), before);

    let nowhere = parent.path().join("no such folder").join("checkpoint");
    let error = checkpoint::save(&nowhere, &network(5), None, &provenance()).unwrap_err();
    assert!(matches!(error, NetworkError::Io { .. }), "{error}");

    // A tensor whose shape and length disagree, or that holds what is no number, stops the save before anything is written.
    type Break = fn(&mut NamedTensor);
    let breaks: [(Break, &str); 2] = [
        (|tensor| tensor.shape = vec![3], "invalid shape"),
        (|tensor| tensor.values[1] = f32::NAN, "`velocity` holds NaN"),
    ];
    for (spoil, expected) in breaks {
        let mut broken = training_state(2);
        spoil(&mut broken.optimizer[0]);
        let other = parent.path().join("other");
        let error = checkpoint::save(&other, &network(1), Some(&broken), &provenance()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!other.exists());
    }
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "only the first checkpoint is there");
}

#[test]
fn leftovers_of_a_killed_save_are_cleared_by_the_next() {
    let parent = tempfile::tempdir().unwrap();
    let leftover = parent.path().join(".best.tmp-4194399");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join(WEIGHTS_FILE), "half").unwrap();
    checkpoint::save(&parent.path().join("best"), &network(1), None, &provenance()).unwrap();
    assert!(!leftover.exists());
}
