//! Whoever follows a run while it goes on.

use std::fmt;
use std::time::Duration;

use crate::phase::Phase;

/// A phase that begins.
#[derive(Clone, Copy, Debug)]
pub struct PhaseStart {
    /// Which.
    pub phase: Phase,
    /// Of which generation.
    pub generation: u32,
    /// Things that it will do, of the kind [`Phase::units`]; fewer if it ends early.
    pub total: u64,
}

/// Something that people may want to read.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A phase was done now, with what came of it.
    Done {
        /// Which.
        phase: Phase,
        /// Of which generation.
        generation: u32,
        /// What came of it, in half a line.
        result: String,
    },
    /// The run had been begun before and goes on.
    GoesOn {
        /// The first generation that is not done.
        generation: u32,
    },
    /// The time is over, or the observer has seen enough.
    Stopped {
        /// How long this call has taken.
        after: Duration,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Done { phase: Phase::Baselines, result, .. } => write!(f, "baselines       {result}"),
            Event::Done { phase, generation, result } => {
                write!(f, "generation {generation:>3}  {:<9}  {result}", phase.title())
            }
            Event::GoesOn { generation } => write!(f, "goes on at generation {generation}"),
            Event::Stopped { after } => {
                write!(f, "stopped after {:.2} hours; the same command goes on", after.as_secs_f64() / 3600.0)
            }
        }
    }
}

/// Follows a run. It is told, and changes nothing but when the call ends; by default it does nothing with what it is told.
pub trait Observer: Sync {
    /// A phase begins.
    fn began(&self, _start: &PhaseStart) {}

    /// The phase that is on has done so many more things; told from any thread.
    fn advanced(&self, _units: u64) {}

    /// The phase that is on has ended.
    fn ended(&self) {}

    /// Something was done.
    fn told(&self, _event: &Event) {}

    /// Something is odd; one sentence.
    fn warned(&self, _warning: &str) {}

    /// Whether tables are to be as new as the generation whenever one is done; otherwise they lag where that would take long.
    fn looks_at_each_generation(&self) -> bool {
        false
    }

    /// Whether the loop goes on after this generation, of which all is done; asked before it begins another one. A run that was
    /// ended so goes on later as after any other end.
    fn goes_on(&self, _generation: u32) -> bool {
        true
    }
}

/// Follows nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unwatched;

impl Observer for Unwatched {}
