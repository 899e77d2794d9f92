//! The dashboard on a terminal, and its lines elsewhere, until one has seen enough.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use selfplay_notebooks_export::{RunState, RunView, Seen};

use crate::colours::Colours;
use crate::draw::{UiState, draw};
use crate::lines::lines;

/// Signals are noticed and keys waited for in steps of this.
const STEP: Duration = Duration::from_millis(100);

/// How to watch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WatchOptions {
    /// Time between two looks at the run.
    pub refresh: Duration,
    /// Whether there are colours.
    pub colours: Colours,
}

impl Default for WatchOptions {
    /// A look a second, with the colours that the environment asks for.
    fn default() -> Self {
        WatchOptions { refresh: Duration::from_secs(1), colours: Colours::from_environment() }
    }
}

/// Returns the newest view of a run, or why it cannot be read.
pub type Source<'a> = &'a mut dyn FnMut() -> Result<RunView, Box<dyn Error>>;

/// Shows the run on the terminal until `q`, Escape or Ctrl-C is pressed or the program receives a request to end (SIGTERM, SIGHUP).
/// A run that stops stays in sight. If `source` fails, its reason is shown and the last view stays. The terminal is as
/// before afterwards, after a panic too.
///
/// # Errors
/// If there is no terminal, or it fails.
pub fn watch(source: Source<'_>, options: WatchOptions) -> io::Result<()> {
    let is_told_to_end = end_signals()?;
    let mut terminal = ratatui::try_init()?;
    let _restore = Restore;
    let mut view = RunView::default();
    let mut ui = UiState { colours: options.colours, ..UiState::default() };
    loop {
        match source() {
            Ok(newest) => (view, ui.source_error) = (newest, None),
            Err(error) => ui.source_error = Some(error.to_string()),
        }
        let next = Instant::now() + options.refresh;
        loop {
            ui.now_unix_seconds = now_unix_seconds();
            terminal.draw(|frame| draw(frame, &view, &ui))?;
            match wait(next, &is_told_to_end)? {
                Wake::Leave => return Ok(()),
                Wake::Redraw => {}
                Wake::Refresh => break,
            }
        }
    }
}

/// Writes a line for each event of the run to `out`, what it has done so far first, until it has stopped or is finished.
/// If `source` fails, its reason is written, once for the same reason in a row.
///
/// # Errors
/// If `out` rejects.
pub fn follow(source: Source<'_>, options: WatchOptions, out: &mut dyn Write) -> io::Result<()> {
    let (mut seen, mut told) = (Seen::default(), None);
    loop {
        match source() {
            Ok(view) => {
                told = None;
                for line in lines(&view, &mut seen) {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
                if view.state != RunState::Running {
                    return Ok(());
                }
            }
            Err(error) => {
                let reason = error.to_string();
                if told.as_ref() != Some(&reason) {
                    writeln!(out, "not updated: {reason}")?;
                    out.flush()?;
                }
                told = Some(reason);
            }
        }
        thread::sleep(options.refresh);
    }
}

/// Gives the terminal back when dropped.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Becomes true when the program receives a request to end.
fn end_signals() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&flag))?;
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::clone(&flag))?;
    Ok(flag)
}

/// Why waiting is over.
enum Wake {
    Leave,
    Redraw,
    Refresh,
}

fn wait(until: Instant, is_told_to_end: &AtomicBool) -> io::Result<Wake> {
    loop {
        if is_told_to_end.load(Ordering::Relaxed) {
            return Ok(Wake::Leave);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Wake::Refresh);
        }
        if !event::poll(left.min(STEP))? {
            continue;
        }
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release && leaves(key) => return Ok(Wake::Leave),
            Event::Resize(..) => return Ok(Wake::Redraw),
            _ => {}
        }
    }
}

fn leaves(key: KeyEvent) -> bool {
    let is_interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
}

fn now_unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
