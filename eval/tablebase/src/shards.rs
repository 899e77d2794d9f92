//! Work on all numbers, shared out over threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The numbers below a count, which threads take some at a time.
pub(crate) struct Shards {
    next: AtomicU64,
    count: u64,
    len: u64,
}

impl Shards {
    /// Parts of `len` numbers below `count`; the last one may be shorter.
    pub fn new(count: u64, len: u64) -> Self {
        Shards { next: AtomicU64::new(0), count, len }
    }

    /// A part that is not taken.
    pub fn take(&self) -> Option<Range<u64>> {
        let start = self.next.fetch_add(self.len, Relaxed);
        (start < self.count).then(|| start..self.count.min(start + self.len))
    }

    /// No part is taken any more.
    pub fn stop(&self) {
        self.next.store(self.count, Relaxed);
    }
}

/// Runs `work` on so many threads, and `watch` here until all have ended, with the pauses that it asks for.
pub(crate) fn run_watched(threads: usize, work: impl Fn() + Sync, mut watch: impl FnMut() -> Duration) {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        while !workers.iter().all(|worker| worker.is_finished()) {
            std::thread::park_timeout(watch());
        }
    });
}
