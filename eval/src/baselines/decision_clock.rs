//! The clock of one decision: a player's own limit and what the match gives, whichever ends first.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::time_control::{ClockKind, TimeControl};

/// How many decisions a player without better knowledge expects still to make with the time of a whole game: each takes
/// this part of what is left, so that some is always left.
const DECISIONS_TO_COME: usize = 30;

/// Runs from its start; tells when to stop thinking.
#[derive(Debug)]
pub struct DecisionClock {
    wall: Option<(Instant, Duration)>,
    cpu: Option<(ThreadTime, Duration)>,
}

impl DecisionClock {
    /// A clock for a player with its own limit `time_ms` (wall clock, milliseconds) in a match that leaves it
    /// `time_left`; never over if both are `None`.
    pub fn start(time_ms: Option<u64>, time_left: Option<TimeControl>) -> Self {
        let own = time_ms.map(Duration::from_millis);
        let given = |kind| {
            let clock = time_left.filter(|time| time.clock == kind);
            clock.map(|time| time.thinking_time(DECISIONS_TO_COME))
        };
        let wall = own.into_iter().chain(given(ClockKind::Wall)).min();
        DecisionClock {
            wall: wall.map(|limit| (Instant::now(), limit)),
            cpu: given(ClockKind::Cpu).map(|limit| (ThreadTime::now(), limit)),
        }
    }

    /// Whether any limit of time holds.
    pub fn is_running(&self) -> bool {
        self.wall.is_some() || self.cpu.is_some()
    }

    /// Whether it is time to decide.
    pub fn is_over(&self) -> bool {
        let is_wall_over = self.wall.as_ref().is_some_and(|(start, limit)| start.elapsed() >= *limit);
        is_wall_over || self.cpu.as_ref().is_some_and(|(start, limit)| start.elapsed() >= *limit)
    }
}
