//! Random changes of good examples.

use selfplay_env::rng::{GameRng, RngExt, rng_for};

/// What often is where it should not be.
const WORDS: [&str; 34] = [
    "",
    "-1",
    "0",
    "1",
    "-0.0",
    "0.5",
    "99999999999999999999999",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e309",
    "NaN",
    "inf",
    "null",
    "true",
    "\u{0}",
    "\u{1b}[31m",
    "é",
    "\u{1f600}",
    "\u{feff}",
    "\u{202e}",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "=",
    ":",
    "\n",
    "\r\n",
    " ",
    "\t",
];

/// One of the examples with one to four changes: the same for the same name and number.
pub fn changed(examples: &[Vec<u8>], name: &str, number: u64) -> Vec<u8> {
    let name = name.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut rng = rng_for(&[name, number]);
    let mut bytes = examples[rng.random_range(0..examples.len())].clone();
    for _ in 0..rng.random_range(1..=4) {
        change(&mut bytes, examples, &mut rng);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, examples: &[Vec<u8>], rng: &mut GameRng) {
    let at = rng.random_range(0..=bytes.len());
    let end = (at + rng.random_range(1..=16)).min(bytes.len());
    match rng.random_range(0..9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = rng.random(),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            let times = rng.random_range(1..=40);
            bytes.splice(at..at, piece.repeat(times));
        }
        4 => {
            let other = &examples[rng.random_range(0..examples.len())];
            let from = rng.random_range(0..=other.len());
            bytes.splice(at.., other[from..].iter().copied());
        }
        5 => bytes.truncate(at),
        6 => {
            // The next number becomes another one.
            let number = bytes[at..].iter().position(u8::is_ascii_digit).map(|start| at + start);
            if let Some(start) = number {
                let len = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let word = WORDS[rng.random_range(0..14)];
                bytes.splice(start..start + len, word.bytes());
            }
        }
        _ => {
            let word = WORDS[rng.random_range(0..WORDS.len())];
            bytes.splice(at..at, word.bytes());
        }
    }
}
