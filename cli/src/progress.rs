//! Progress for people: a bar on a terminal, nothing elsewhere (the log lines say what a bar would have said).

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::live::LivePhase;

/// A bar for one phase of `total` `units`, drawn on standard error if that is a terminal; it vanishes when dropped.
#[derive(Debug)]
pub struct PhaseBar {
    bar: ProgressBar,
    /// Tells those who look from outside.
    live: Option<LivePhase>,
}

impl PhaseBar {
    /// Starts a bar labelled `label`.
    pub fn new(label: &str, total: u64, units: &str) -> Self {
        Self::start(label, total, &format!("{{prefix}} {{wide_bar}} {{pos}}/{{len}} {units}, {{rate}}/s, {{eta}} left"))
    }

    /// Starts the bar of a phase of the run in `folder`, which is told outside as well.
    pub fn of_phase(folder: &Path, name: &str, generation: u32, total: u64, units: &str) -> Self {
        let mut bar = Self::new(&format!("generation {generation} {name}"), total, units);
        bar.live = Some(LivePhase::begin(folder, name, generation, total, units));
        bar
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
        PhaseBar { bar, live: None }
    }

    fn start(label: &str, total: u64, template: &str) -> Self {
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // A terminal that cannot be written to shows no bar; nothing is lost.
            let _ = write!(out, "{:.0}", state.per_sec());
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("rate", rate);
        PhaseBar { bar: ProgressBar::new(total).with_style(style).with_prefix(label.to_owned()), live: None }
    }

    /// One more unit is done.
    pub fn tick(&self) {
        self.advance(1);
    }

    /// So many more units are done.
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
        if let Some(live) = &self.live {
            live.advance(units);
        }
    }

    /// So many units are done in all.
    pub fn reach(&self, units: u64) {
        self.bar.set_position(units);
        if let Some(live) = &self.live {
            live.reach(units);
        }
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
