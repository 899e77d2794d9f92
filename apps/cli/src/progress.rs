//! Progress for people: a bar on a terminal, nothing elsewhere (the log lines say what a bar would have said).

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use selfplay_pipeline::{Event, Observer, Phase, PhaseStart};

/// Generations by which the time that is left of a run is reckoned.
const REMEMBERED_GENERATIONS: usize = 6;
/// Less than this is not told of a run.
const WORTH_TELLING: Duration = Duration::from_secs(60);

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

    /// Starts a bar labelled `label` of a part of a run, of whose end `run` says something.
    fn in_run(label: &str, total: u64, units: &str, run: &str) -> Self {
        let template = format!("{{prefix}} {{wide_bar}} {{pos}}/{{len}} {units}, {{rate}}/s, {{eta}} left{run}");
        Self::start(label, total, &template)
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
    pace: Mutex<Pace>,
    /// The run's last generation, if it ends with one.
    last: Option<u32>,
    /// Whether a line on standard input has to come between generations.
    is_stepped: bool,
}

/// How long generations take, and how long the run goes on.
#[derive(Default)]
struct Pace {
    /// When this call may begin no further generation.
    stops: Option<Instant>,
    /// When the newest generations were done, and which.
    done: VecDeque<(u32, Instant)>,
}

impl Pace {
    fn note(&mut self, event: &Event) {
        if let Event::Done { phase: Phase::Gate, generation, .. } = event {
            self.done.push_back((*generation, Instant::now()));
            if self.done.len() > REMEMBERED_GENERATIONS {
                self.done.pop_front();
            }
        }
    }

    /// About how long it takes until generation `last` is done, or the time is over; `None` while nobody can tell.
    fn left(&self, last: u32) -> Option<Duration> {
        let (&(first, began), &(newest, ended)) = (self.done.front()?, self.done.back()?);
        if newest <= first {
            return None;
        }
        let whole = (ended - began) / (newest - first) * last.saturating_sub(newest);
        let left = whole.saturating_sub(ended.elapsed());
        Some(self.stops.map_or(left, |stops| left.min(stops.saturating_duration_since(Instant::now()))))
    }
}

/// As in `1 h 20 min`.
fn in_words(left: Duration) -> String {
    let minutes = left.as_secs().div_ceil(60).max(1);
    match minutes {
        1..=59 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

struct Output<'a> {
    out: &'a mut (dyn Write + Send),
    /// Why a line could not be written, if so; the run goes on.
    refusal: Option<io::Error>,
}

impl<'a> Followed<'a> {
    /// Prints on `out` what becomes of a run that ends with generation `last`, if one is known, and stops after `time` in this
    /// call.
    pub fn new(out: &'a mut (dyn Write + Send), last: Option<u32>, time: Option<Duration>) -> Self {
        let stops = time.and_then(|time| Instant::now().checked_add(time));
        let pace = Mutex::new(Pace { stops, ..Pace::default() });
        Followed {
            output: Mutex::new(Output { out, refusal: None }),
            bar: Mutex::default(),
            pace,
            last,
            is_stepped: false,
        }
    }

    /// The same, which waits for a line on standard input between generations if `is_stepped`.
    pub fn stepped(self, is_stepped: bool) -> Self {
        Followed { is_stepped, ..self }
    }

    /// About how long the run goes on.
    fn left(&self) -> Option<Duration> {
        lock(&self.pace).left(self.last?)
    }

    fn print(&self, line: &str) {
        let mut output = lock(&self.output);
        if output.refusal.is_none() {
            output.refusal = writeln!(output.out, "{line}").err();
        }
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
            _ => {
                let of = self.last.map_or(String::new(), |last| format!(" of {last}"));
                format!("generation {generation}{of}, {}", phase.title())
            }
        };
        let left = self.left().map_or(String::new(), |left| format!("; run {}", in_words(left)));
        *lock(&self.bar) = Some(PhaseBar::in_run(&label, total, phase.units(), &left));
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
        lock(&self.pace).note(event);
        let left = match event {
            Event::Done { phase: Phase::Gate, .. } => self.left().filter(|left| *left >= WORTH_TELLING),
            _ => None,
        };
        let left = left.map_or(String::new(), |left| format!("; the run takes about {} more", in_words(left)));
        self.print(&format!("{event}{left}"));
    }

    fn warned(&self, warning: &str) {
        self.print(&format!("{:<14}  {:<9}  {warning}", "", "warning"));
    }

    fn looks_at_each_generation(&self) -> bool {
        self.is_stepped
    }

    /// At the end of the input, or where it cannot be read, nobody is there who would say so.
    fn goes_on(&self, generation: u32) -> bool {
        if !self.is_stepped {
            return true;
        }
        self.print(&format!("generation {generation:>3}  waiting    a line on standard input goes on, its end stops"));
        // Whoever waits for this line must have it.
        let _ = lock(&self.output).out.flush();
        io::stdin().lines().next().is_some_and(|line| line.is_ok())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
