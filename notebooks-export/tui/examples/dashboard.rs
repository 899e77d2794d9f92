//! The dashboard over the tables of a run folder, or over a made-up run that grows:
//! `cargo run -p selfplay-tui --example dashboard -- [RUN]`.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use selfplay_notebooks_export::{ExportError, RunRows, RunState, RunView, read_csv};
use selfplay_tui::{WatchOptions, follow, watch};

#[path = "../../tests/it/live/sample.rs"]
mod sample;

/// The made-up run stops at this generation.
const LAST: u32 = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let start = Instant::now();
    let mut source = || match &folder {
        Some(folder) => Ok(view_of(folder)?),
        None => Ok(made_up(LAST.min(1 + start.elapsed().as_secs() as u32))),
    };
    let options = WatchOptions::default();
    if stdout().is_terminal() {
        watch(&mut source, options)?;
    } else {
        follow(&mut source, options, &mut stdout())?;
    }
    Ok(())
}

fn view_of(folder: &Path) -> Result<RunView, ExportError> {
    let rows = RunRows {
        selfplay: read_csv(&folder.join("selfplay.csv"))?,
        losses: read_csv(&folder.join("losses.csv"))?,
        matches: read_csv(&folder.join("matches.csv"))?,
        elo: read_csv(&folder.join("elo.csv"))?,
        diagnostics: Vec::new(),
    };
    let run = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(RunView { run, rows, ..RunView::default() })
}

fn made_up(generations: u32) -> RunView {
    let state = if generations < LAST { RunState::Running } else { RunState::Stopped { since_unix_seconds: 0 } };
    let rows = sample::run(generations);
    let diagnostics = rows.diagnostics.iter().map(|diagnostic| diagnostic.text.clone()).collect();
    RunView { run: "made-up".into(), game: "Pylos".into(), state, rows, diagnostics, ..RunView::default() }
}
