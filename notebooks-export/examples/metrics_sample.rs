//! A made-up run as TensorBoard file, written as a killed and resumed run writes it, and what must be read from
//! it: `cargo run -p selfplay-notebooks-export --example metrics_sample -- FOLDER`.
//!
//! Leaves `tensorboard/`, `metrics.jsonl`, and `expected.json`: for each tag the list of [step, value, wall time].

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use selfplay_notebooks_export::files::write_file;
use selfplay_notebooks_export::{Event, MetricsFile, TensorBoardFile, scalars_of};

#[path = "../tests/it/live/sample.rs"]
mod sample;

const KILLED_AFTER: u32 = 6;
const GENERATIONS: u32 = 12;
const START: f64 = 1_700_000_000.0;

/// A generation takes half a minute.
fn unix_seconds(event: &Event<'_>) -> f64 {
    START + 30.0 * f64::from(event.generation())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("the folder is missing")?);
    let (tensorboard, metrics) = (folder.join("tensorboard"), folder.join("metrics.jsonl"));
    fs::create_dir_all(&folder)?;

    // The first call, which tears the end of both files as it is killed.
    let rows = sample::run(KILLED_AFTER);
    let mut file = TensorBoardFile::rewrite(&tensorboard, &[], &unix_seconds)?;
    file.append(&rows.events(), &unix_seconds)?;
    MetricsFile::rewrite(&metrics, &[])?.append(&rows.events())?;
    for path in [file.path(), &metrics] {
        OpenOptions::new().append(true).open(path)?.write_all(b"{torn")?;
    }

    // The second call: what was done first, then generation by generation.
    let mut file = TensorBoardFile::rewrite(&tensorboard, &rows.events(), &unix_seconds)?;
    let mut lines = MetricsFile::rewrite(&metrics, &rows.events())?;
    let mut last = rows;
    for generations in KILLED_AFTER + 1..=GENERATIONS {
        last = sample::run(generations);
        file.append(&last.events(), &unix_seconds)?;
        lines.append(&last.events())?;
    }

    let mut expected: BTreeMap<String, Vec<(u64, f64, f64)>> = BTreeMap::new();
    for event in last.events() {
        let (step, scalars) = scalars_of(&event);
        for scalar in scalars {
            expected.entry(scalar.tag).or_default().push((step, scalar.value, unix_seconds(&event)));
        }
    }
    write_file(&folder.join("expected.json"), &serde_json::to_vec(&expected)?)?;
    Ok(())
}
