//! TensorBoard files: their frame, byte for byte, and one file however often a run is resumed. `run.sh` beside holds
//! them against TensorBoard itself.

use std::fs;
use std::path::{Path, PathBuf};

use selfplay_notebooks_export::{Event, TensorBoardFile};

use crate::live::sample;

const NOON: f64 = 1_700_000_000.0;

fn at_noon(_: &Event<'_>) -> f64 {
    NOON
}

/// CRC-32C bit by bit (RFC 3720, section 12.1: polynomial 0x1EDC6F41, reflected), masked.
fn masked(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
        }
    }
    let crc = !crc;
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The messages of a file, whose frames are checked.
fn messages(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut messages) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
        assert_eq!(u32::from_le_bytes(rest[8..12].try_into().unwrap()), masked(&rest[..8]));
        let message = &rest[12..12 + length];
        assert_eq!(u32::from_le_bytes(rest[12 + length..16 + length].try_into().unwrap()), masked(message));
        messages.push(message.to_vec());
        rest = &rest[16 + length..];
    }
    messages
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_checksum_is_that_of_the_rfc() {
    // RFC 3720, appendix B.4: 32 bytes of zeros.
    let zeros = 0x8a91_36aa_u32;
    assert_eq!(masked(&[0; 32]), zeros.rotate_right(15).wrapping_add(0xa282_ead8));
}

#[test]
fn a_file_begins_with_its_version_and_holds_a_record_for_each_event_with_scalars() {
    let folder = tempfile::tempdir().unwrap();
    let rows = sample::run(2);
    let file = TensorBoardFile::rewrite(folder.path(), &rows.events(), &at_noon).unwrap();
    let messages = messages(file.path());
    // Wall time, then the version: a message by hand.
    let version = [&[0x09][..], &NOON.to_le_bytes(), &[0x1a, 13], b"brain.Event:2"].concat();
    assert_eq!(messages[0], version);
    assert_eq!(messages[1], [&[0x09][..], &NOON.to_le_bytes(), &[0x3a, 2, 0x08, 1]].concat(), "a session starts");
    let with_scalars = rows.selfplay.len()
        + rows.losses.len()
        + rows.matches.iter().filter(|row| row.verdict.is_some()).count()
        + rows.elo.iter().filter(|row| row.generation.is_some()).count();
    assert_eq!(messages.len(), 2 + with_scalars);
}

#[test]
fn a_zero_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = sample::run(1);
    rows.selfplay[0].policy_entropy_nats = 0.0;
    let file = TensorBoardFile::rewrite(folder.path(), &rows.events(), &at_noon).unwrap();
    let tag = b"self_play/policy_entropy";
    // Field 1: the tag; field 2: the float.
    let value = [&[0x0a, tag.len() as u8][..], tag, &[0x15, 0, 0, 0, 0]].concat();
    let holds = |message: &Vec<u8>| message.windows(value.len()).any(|window| window == value);
    assert!(messages(file.path()).iter().any(holds));
}

#[test]
fn a_file_written_as_it_goes_is_the_file_written_at_the_end() {
    let (grown, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rows = sample::run(4);
    let events = rows.events();
    let mut file = TensorBoardFile::rewrite(grown.path(), &events[..1], &at_noon).unwrap();
    for end in (0..events.len()).step_by(7).chain([events.len()]) {
        file.append(&events[..end], &at_noon).unwrap();
    }
    assert_eq!(file.append(&events, &at_noon).unwrap(), 0);
    let other = TensorBoardFile::rewrite(whole.path(), &events, &at_noon).unwrap();
    assert_eq!(fs::read(file.path()).unwrap(), fs::read(other.path()).unwrap());
}

#[test]
fn a_resumed_run_leaves_one_file_with_events_of_ours_and_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let tensorboard = folder.path().join("tensorboard");
    let rows = sample::run(2);
    let call = || TensorBoardFile::rewrite(&tensorboard, &rows.events(), &at_noon).unwrap().path().to_owned();
    let first = call();
    let bytes = fs::read(&first).unwrap();
    let foreign = tensorboard.join("events.out.tfevents.1700000000.host");
    fs::write(&foreign, b"of another program").unwrap();
    let second = call();
    assert_eq!(files(&tensorboard), [first.clone(), second.clone(), foreign.clone()]);
    let third = call();
    assert_eq!(files(&tensorboard), [second.clone(), third.clone(), foreign.clone()]);
    assert_eq!(fs::read(&second).unwrap(), b"", "for a TensorBoard that has it open");
    assert_eq!(fs::read(&third).unwrap(), bytes);
    assert_eq!(fs::read(&foreign).unwrap(), b"of another program");
}
