//! When one thread of a search must stop: its share of the positions, the clocks, or another thread.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selfplay_mcts::CancelToken;
use selfplay_mcts::cpu_time::ThreadTime;

/// How often a running clock is read, in units of work: one is about a position.
const WORK_PER_CLOCK_CHECK: u32 = 256;

/// The search was ended in the middle; what it was about to return means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stopped;

/// When a search must have ended, and when it had better not begin anything long.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Allowance {
    /// Positions of this thread.
    pub nodes: Option<u64>,
    /// On the wall clock.
    pub deadline: Option<Instant>,
    /// Computing time of this thread.
    pub cpu_time: Option<Duration>,
}

/// What one thread has spent of its allowance.
pub(crate) struct Budget<'a> {
    allowance: Allowance,
    started: Instant,
    cpu_started: ThreadTime,
    work: u32,
    /// Positions reached.
    pub nodes: u64,
    stop: &'a AtomicBool,
    cancel: Option<&'a CancelToken>,
    is_stopped: bool,
}

impl<'a> Budget<'a> {
    /// Nothing is spent yet. Must be made in the thread that spends it; `started` is when the whole search began.
    pub fn new(allowance: Allowance, started: Instant, stop: &'a AtomicBool, cancel: Option<&'a CancelToken>) -> Self {
        let cpu_started = ThreadTime::now();
        Budget { allowance, started, cpu_started, work: 0, nodes: 0, stop, cancel, is_stopped: false }
    }

    /// Counts a position.
    #[inline]
    pub fn count_node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        self.count_work(1)
    }

    /// Counts units of work that are no positions.
    #[inline]
    pub fn count_work(&mut self, work: u32) -> Result<(), Stopped> {
        self.work += work;
        if self.work >= WORK_PER_CLOCK_CHECK {
            self.work = 0;
            self.is_stopped |= self.is_time_up();
        }
        if self.is_stopped || self.allowance.nodes.is_some_and(|limit| self.nodes > limit) {
            return Err(Stopped);
        }
        Ok(())
    }

    #[cold]
    fn is_time_up(&self) -> bool {
        self.stop.load(Relaxed)
            || self.cancel.is_some_and(CancelToken::is_cancelled)
            || self.allowance.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.allowance.cpu_time.is_some_and(|limit| self.cpu_started.elapsed() >= limit)
    }

    /// Replaces the number of positions allowed.
    pub fn allow_nodes(&mut self, nodes: Option<u64>) {
        self.allowance.nodes = nodes;
    }

    /// Whether more than half of some allowance is spent: the next depth, which costs several times all before it, would
    /// not be finished.
    pub fn is_mostly_spent(&self) -> bool {
        let wall = self.allowance.deadline.map(|deadline| deadline.saturating_duration_since(self.started));
        wall.is_some_and(|total| self.started.elapsed() > total / 2)
            || self.allowance.cpu_time.is_some_and(|total| self.cpu_started.elapsed() > total / 2)
            || self.stop.load(Relaxed)
    }
}
