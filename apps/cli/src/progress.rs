//! Progress of what takes long: bars on a terminal, nothing elsewhere; and the events of a run, for people or for programs.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use selfplay_pipeline::events::json_line;
use selfplay_pipeline::{Event, Observer, Phase, PhaseStart};

/// Generations from which the remaining time of a run is estimated.
const REMEMBERED_GENERATIONS: usize = 6;
/// Shorter remaining times of a run are not reported.
const WORTH_TELLING: Duration = Duration::from_secs(60);
/// How often programs get the progress of a phase.
const PROGRESS_PERIOD: Duration = Duration::from_secs(1);

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

    /// Starts a spinner labelled `label`, followed by a message.
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

/// How a run is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum EventFormat {
    /// Lines for people, with a bar on a terminal.
    Text,
    /// A JSON object a line, for programs; docs/events.md describes them.
    Json,
}

/// Follows a run: writes its events, as lines for people or as JSON for programs.
pub struct Followed<'a> {
    state: Mutex<State<'a>>,
    /// Whether a line on standard input has to come between generations.
    is_stepped: bool,
}

struct State<'a> {
    out: &'a mut (dyn Write + Send),
    renderer: Renderer,
    /// The error if a line could not be written; the run continues.
    refusal: Option<io::Error>,
}

impl<'a> Followed<'a> {
    /// Writes the events of a run on `out`, which begins no further generation after `time` in this call.
    pub fn new(out: &'a mut (dyn Write + Send), format: EventFormat, time: Option<Duration>) -> Self {
        let text =
            TextRenderer { time, last: None, pace: Pace::default(), bar: None, has_bars: format == EventFormat::Text };
        let renderer = match format {
            EventFormat::Text => Renderer::Text(text),
            EventFormat::Json => Renderer::Json(JsonRenderer { text, written: None }),
        };
        Followed { state: Mutex::new(State { out, renderer, refusal: None }), is_stepped: false }
    }

    /// The same, which waits for a line on standard input between generations if `is_stepped`.
    pub fn stepped(self, is_stepped: bool) -> Self {
        Followed { is_stepped, ..self }
    }

    /// Whether all events were written.
    ///
    /// # Errors
    /// If writing one failed.
    pub fn finish(&self) -> io::Result<()> {
        self.state().refusal.take().map_or(Ok(()), Err)
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Followed<'_> {
    fn on_event(&self, event: &Event) {
        let mut state = self.state();
        let Some(text) = state.renderer.render(event) else { return };
        if state.refusal.is_none() {
            // In one piece: a line that a signal writes must not come between.
            state.refusal = state.out.write_all(format!("{text}\n").as_bytes()).err();
        }
    }

    fn looks_at_each_generation(&self) -> bool {
        self.is_stepped
    }

    /// A stepped run waits for a line of input. It ends at the end of the input or if the input cannot be read.
    fn goes_on(&self, generation: u32) -> bool {
        if !self.is_stepped {
            return true;
        }
        self.on_event(&Event::Waiting { generation });
        // The reader that waits for this line must receive it.
        let _ = self.state().out.flush();
        io::stdin().lines().next().is_some_and(|line| line.is_ok())
    }
}

enum Renderer {
    Text(TextRenderer),
    Json(JsonRenderer),
}

impl Renderer {
    /// What is written of an event, without the end of its last line.
    fn render(&mut self, event: &Event) -> Option<String> {
        match self {
            Renderer::Text(renderer) => renderer.render(event),
            Renderer::Json(renderer) => renderer.render(event),
        }
    }
}

/// Lines for people, and a bar for the current phase.
struct TextRenderer {
    /// After this time the call begins no further generation.
    time: Option<Duration>,
    /// The run's last generation, once it is known.
    last: Option<u32>,
    pace: Pace,
    /// The bar, with how far it is.
    bar: Option<(PhaseBar, u64)>,
    has_bars: bool,
}

impl TextRenderer {
    fn render(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Progress { done, .. } => {
                if let Some((bar, reached)) = &mut self.bar
                    && done > reached
                {
                    bar.reach(*done);
                    *reached = *done;
                }
            }
            Event::PhaseStarted(start) if self.has_bars => self.bar = Some((self.bar_of(start), 0)),
            _ => self.bar = None,
        }
        let mut text = event.text();
        match event {
            Event::RunOpened { generations, .. } => {
                self.last = Some(*generations);
                self.pace.stops = self.time.and_then(|time| Instant::now().checked_add(time));
            }
            Event::GateFinished { generation, .. } => {
                self.pace.note(*generation);
                if let (Some(text), Some(left)) = (&mut text, self.left().filter(|left| *left >= WORTH_TELLING)) {
                    text.push_str(&format!("; the run takes about {} more", in_words(left)));
                }
            }
            _ => {}
        }
        text
    }

    fn bar_of(&self, start: &PhaseStart) -> PhaseBar {
        let PhaseStart { phase, generation, total } = *start;
        let label = match phase {
            Phase::Baselines => phase.title().to_owned(),
            _ => {
                let of = self.last.map_or(String::new(), |last| format!(" of {last}"));
                format!("generation {generation}{of}, {}", phase.title())
            }
        };
        let left = self.left().map_or(String::new(), |left| format!("; run {}", in_words(left)));
        PhaseBar::in_run(&label, total, phase.units(), &left)
    }

    /// Estimated remaining time of the run.
    fn left(&self) -> Option<Duration> {
        self.pace.left(self.last?)
    }
}

/// A JSON object for each event, with what people would read of it.
struct JsonRenderer {
    text: TextRenderer,
    /// When the current phase's progress was written last, and how far it was.
    written: Option<(Instant, u64)>,
}

impl JsonRenderer {
    /// Of progress a line a second, and one when all is done.
    fn render(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::PhaseStarted(_) => self.written = Some((Instant::now(), 0)),
            Event::Progress { done, total, .. } => {
                let (at, reached) = self.written?;
                if *done <= reached || done < total && at.elapsed() < PROGRESS_PERIOD {
                    return None;
                }
                self.written = Some((Instant::now(), *done));
            }
            _ => {}
        }
        Some(json_line(event, self.text.render(event).as_deref()))
    }
}

/// How long generations take, and the estimated remaining time of the run.
#[derive(Default)]
struct Pace {
    /// When this call may begin no further generation.
    stops: Option<Instant>,
    /// When the newest generations were done, and which.
    done: VecDeque<(u32, Instant)>,
}

impl Pace {
    /// A generation is done.
    fn note(&mut self, generation: u32) {
        self.done.push_back((generation, Instant::now()));
        if self.done.len() > REMEMBERED_GENERATIONS {
            self.done.pop_front();
        }
    }

    /// Estimated time until generation `last` is done or the time limit is reached; `None` while it is unknown.
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
