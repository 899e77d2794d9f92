//! `watch`: shows a run in progress on the terminal.

use std::io::{IsTerminal, Write, stdin, stdout};

use selfplay_registry::Games;
use selfplay_tui::{WatchOptions, follow, watch};

use crate::args::WatchArgs;
use crate::error::CliError;
use crate::run_view::RunViewer;

/// The dashboard on a terminal, a line for each event elsewhere.
///
/// # Errors
/// If there is no run or the output cannot be written.
pub fn watch_run(args: &WatchArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let mut viewer = RunViewer::new(&args.run, games)?;
    let mut source = || Ok(viewer.look()?.clone());
    if !args.lines && stdout().is_terminal() && stdin().is_terminal() {
        watch(&mut source, WatchOptions::default())?;
    } else {
        follow(&mut source, WatchOptions::default(), out)?;
    }
    Ok(())
}
