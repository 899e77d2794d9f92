//! Every reader of foreign text and bytes, given good examples with random changes: it answers with a value or a reason, and
//! never panics. `SELFPLAY_READER_CHANGES=N` says how many changes each reader is given; a failure prints the reader and the
//! number of the change, which stand for the bytes.

mod cases;
mod changes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use cases::{Reader, readers};
use changes::changed;

/// Changes for each reader without the variable.
const CHANGES: u64 = 1500;

#[test]
fn no_reader_panics_whatever_it_is_given() {
    let asked = std::env::var("SELFPLAY_READER_CHANGES").ok();
    let count: u64 = asked.map_or(CHANGES, |asked| asked.parse().expect("SELFPLAY_READER_CHANGES is a number"));
    let folder = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for Reader { name, examples, slowness, read } in readers(folder.path()) {
        for example in &examples {
            assert!(read(example), "{name} does not take its own example: {}", String::from_utf8_lossy(example));
        }
        let mut taken = 0;
        let rounds = (count / slowness).max(20);
        for number in 0..rounds {
            let bytes = changed(&examples, name, number);
            match catch_unwind(AssertUnwindSafe(|| read(&bytes))) {
                Ok(is_taken) => taken += u64::from(is_taken),
                Err(_) => failures.push(format!("{name}, change {number}: {:?}", String::from_utf8_lossy(&bytes))),
            }
        }
        eprintln!("{name}: {rounds} changes, {taken} of them taken for good");
        assert!(taken < rounds, "{name} takes everything: nothing was checked");
    }
    assert!(failures.is_empty(), "{} panics:\n{}", failures.len(), failures.join("\n"));
}
