//! Observers of a run.

use crate::events::Event;

/// Follows a run. It gets events, and changes nothing but when the call ends; by default it ignores them.
pub trait Observer: Sync {
    /// An event, from any thread.
    fn on_event(&self, _event: &Event) {}

    /// Reports that something may be wrong, a sentence.
    fn warn(&self, message: String) {
        self.on_event(&Event::Warning { message });
    }

    /// Whether tables are to be as new as the generation whenever one is done; otherwise they lag where that would take long.
    fn looks_at_each_generation(&self) -> bool {
        false
    }

    /// Whether the loop continues after this generation, which is complete; asked before the next one begins. A run
    /// that ends this way resumes later as after any other end.
    fn goes_on(&self, _generation: u32) -> bool {
        true
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unwatched;

impl Observer for Unwatched {}
