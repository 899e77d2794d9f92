//! Progress for people: a bar on a terminal, nothing elsewhere (the log lines say what a bar would have said).

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use selfplay_run::{Event, Observer, Phase, PhaseStart};

/// A bar for one phase of `total` `units`, drawn on standard error if that is a terminal; it vanishes when dropped.
#[derive(Debug)]
pub struct PhaseBar {
    bar: ProgressBar,
}

impl PhaseBar {
    /// Starts a bar labelled `label`.
    pub fn new(label: &str, total: u64, units: &str) -> Self {
        Self::start(label, total, &format!("{{prefix}} {{wide_bar}} {{pos}}/{{len}} {units}, {{rate}}/s, {{eta}} left"))
    }

    /// Starts a bar labelled `label` with a line of text under it, empty at first.
    pub fn with_text(label: &str, total: u64, units: &str) -> Self {
        Self::start(
            label,
            total,
            &format!("{{prefix}} {{wide_bar}} {{pos}}/{{len}} {units}, {{eta}} left\n{{wide_msg}}"),
        )
    }

    /// Starts a turning wheel labelled `label` with a text beside it.
    pub fn spinner(label: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {prefix}, {elapsed}: {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::new_spinner().with_style(style).with_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        PhaseBar { bar }
    }

    fn start(label: &str, total: u64, template: &str) -> Self {
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A terminal that cannot be written to shows no bar; nothing is lost.
            let _ = write!(out, "{:.0}", state.per_sec());
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("rate", rate);
        PhaseBar { bar: ProgressBar::new(total).with_style(style).with_prefix(label.to_owned()) }
    }

    /// One more unit is done.
    pub fn tick(&self) {
        self.advance(1);
    }

    /// So many more units are done.
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
    }

    /// So many units are done in all.
    pub fn reach(&self, units: u64) {
        self.bar.set_position(units);
    }

    /// Replaces the line of text.
    pub fn say(&self, text: String) {
        self.bar.set_message(text);
    }
}

impl Drop for PhaseBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Follows a run for people: a bar for the phase that is on, a line for each that is done, warnings in the log.
pub struct Followed<'a> {
    output: Mutex<Output<'a>>,
    bar: Mutex<Option<PhaseBar>>,
}

struct Output<'a> {
    out: &'a mut (dyn Write + Send),
    /// Why a line could not be written, if so; the run goes on.
    refusal: Option<io::Error>,
}

impl<'a> Followed<'a> {
    /// Prints on `out`.
    pub fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Followed { output: Mutex::new(Output { out, refusal: None }), bar: Mutex::default() }
    }

    /// Writes what is said after the run.
    ///
    /// # Errors
    /// If the output refuses now, or has refused before.
    pub fn finish(&self, text: &str) -> io::Result<()> {
        let mut output = lock(&self.output);
        match output.refusal.take() {
            Some(refusal) => Err(refusal),
            None => output.out.write_all(text.as_bytes()),
        }
    }
}

impl Observer for Followed<'_> {
    fn began(&self, start: &PhaseStart) {
        let PhaseStart { phase, generation, total } = *start;
        let label = match phase {
            Phase::Baselines => phase.title().to_owned(),
            _ => format!("generation {generation} {}", phase.title()),
        };
        *lock(&self.bar) = Some(PhaseBar::new(&label, total, phase.units()));
    }

    fn advanced(&self, units: u64) {
        if let Some(bar) = &*lock(&self.bar) {
            bar.advance(units);
        }
    }

    fn ended(&self) {
        *lock(&self.bar) = None;
    }

    fn told(&self, event: &Event) {
        let mut output = lock(&self.output);
        if output.refusal.is_none() {
            output.refusal = writeln!(output.out, "{event}").err();
        }
    }

    fn warned(&self, warning: &str) {
        tracing::warn!("{warning}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
