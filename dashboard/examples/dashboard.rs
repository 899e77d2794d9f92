//! The dashboard over the tables of a run folder: `cargo run -p selfplay-dashboard --example dashboard -- RUN`.

use std::path::{Path, PathBuf};

use selfplay_dashboard::{WatchOptions, follow, watch};
use selfplay_notebooks_export::{ExportError, RunRows, RunView, read_csv};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("the run folder is missing")?);
    let mut source = || view_of(&folder).map_err(|error| error.to_string());
    let options = WatchOptions::default();
    let mut out = std::io::stdout();
    if std::io::IsTerminal::is_terminal(&out) {
        watch(&mut source, options)?;
    } else {
        follow(&mut source, options, &mut out)?;
    }
    Ok(())
}

fn view_of(folder: &Path) -> Result<RunView, ExportError> {
    let rows = RunRows {
        selfplay: read_csv(&folder.join("selfplay.csv"))?,
        losses: read_csv(&folder.join("losses.csv"))?,
        matches: read_csv(&folder.join("matches.csv"))?,
        elo: read_csv(&folder.join("elo.csv"))?,
        remarks: Vec::new(),
    };
    let run = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(RunView { run, rows, ..RunView::default() })
}
