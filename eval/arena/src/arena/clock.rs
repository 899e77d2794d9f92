//! The clocks that measure players, behind an interface, so that tests can move their hands.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use selfplay_mcts::cpu_time::{ProcessTime, ThreadTime};

/// What a clock counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Time that passes.
    Wall,
    /// CPU time of the calling thread.
    ThreadCpu,
    /// CPU time of all threads of this process.
    ProcessCpu,
}

/// Tells the time.
pub trait Clock: Sync {
    /// What `measure` has counted so far, from some fixed moment; never less than before (on the same thread).
    fn read(&self, measure: Measure) -> Duration;
}

/// The clocks of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn read(&self, measure: Measure) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match measure {
            Measure::Wall => START.elapsed(),
            Measure::ThreadCpu => ThreadTime::now().as_duration(),
            Measure::ProcessCpu => ProcessTime::now().as_duration(),
        }
    }
}
