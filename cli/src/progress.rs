//! Progress for people: a bar on a terminal, nothing elsewhere (the log lines say what a bar would have said).

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// A bar for one phase of `total` `units`, drawn on standard error if that is a terminal; it vanishes when dropped.
#[derive(Debug)]
pub struct PhaseBar {
    bar: ProgressBar,
}

impl PhaseBar {
    /// Starts a bar labelled `label`.
    pub fn new(label: &str, total: u64, units: &'static str) -> Self {
        let template = "{prefix} {wide_bar} {pos}/{len} {msg}, {rate}/s, {eta} left";
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // A terminal that cannot be written to shows no bar; nothing is lost.
            let _ = write!(out, "{:.0}", state.per_sec());
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("rate", rate);
        let bar = ProgressBar::new(total).with_style(style).with_prefix(label.to_owned()).with_message(units);
        PhaseBar { bar }
    }

    /// One more unit is done.
    pub fn tick(&self) {
        self.bar.inc(1);
    }
}

impl Drop for PhaseBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
