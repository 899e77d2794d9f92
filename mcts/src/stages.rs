//! Profiling of search threads: each thread marks its current stage, and a watcher samples the marks.
//!
//! A mark is one store into a slot of the thread's own, so the measured program is the real one. A thread without a
//! watcher stores nothing. No computed result depends on the marks.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stage {
    /// Selecting, expanding, backing up, and all that is none of the others.
    Tree,
    /// Rules: actions made, moves listed, results.
    Rules,
    /// Positions written into the network's input.
    Encoding,
    /// The network.
    Network,
    /// Waiting for other workers.
    Idle,
}

impl Stage {
    /// All of them, in the order of their numbers.
    pub const ALL: [Stage; 5] = [Stage::Tree, Stage::Rules, Stage::Encoding, Stage::Network, Stage::Idle];
}

/// Shares of the time of some workers in each of [`Stage::ALL`], summing to 1; all 0 without a sample.
pub type StageShares = [f64; Stage::ALL.len()];

/// Workers watched at once, at most; others go unseen.
const MAX_WORKERS: usize = 256;
/// What each watched worker does now.
static WORKERS: [AtomicU8; MAX_WORKERS] = [const { AtomicU8::new(FREE) }; MAX_WORKERS];
/// In a slot that no worker has.
const FREE: u8 = u8::MAX;
/// Long enough to cost nothing, short enough to look a hundred times at a quick generation.
const PERIOD: Duration = Duration::from_millis(2);

thread_local! {
    /// The slot of this thread, if it is watched.
    static WORKER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Does `work` and marks that this thread is in `stage` meanwhile.
#[inline]
pub fn in_stage<T>(stage: Stage, work: impl FnOnce() -> T) -> T {
    let Some(worker) = WORKER.get() else { return work() };
    let slot = &WORKERS[worker];
    let before = slot.load(Ordering::Relaxed);
    slot.store(stage as u8, Ordering::Relaxed);
    let result = work();
    slot.store(before, Ordering::Relaxed);
    result
}

/// A worker that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// Its number, from 0.
    pub number: usize,
    /// Its slot, if there was a free one.
    slot: Option<usize>,
}

impl Watched {
    /// Does `work` in this thread, on which the watcher looks meanwhile: it is in [`Stage::Tree`] until it enters another
    /// stage, and idle afterwards.
    pub fn work<T>(self, work: impl FnOnce() -> T) -> T {
        let before = WORKER.replace(self.slot);
        let result = in_stage(Stage::Tree, work);
        WORKER.set(before);
        result
    }
}

/// Runs `worker` on `threads` threads, or on as many as the system gives and on this one if it gives none, and returns, when
/// the last is done, the shares of their time in each stage. What a worker does outside [`Watched::work`] counts as idle.
pub fn watch(threads: usize, worker: impl Fn(Watched) + Sync) -> StageShares {
    let mut seen = [0_u64; Stage::ALL.len()];
    std::thread::scope(|scope| {
        // Each worker has a sender: when the last is dropped, all are done.
        let (working, all_done) = channel::<()>();
        let start = |number| {
            let slot = (0..MAX_WORKERS).find(|&slot| take(slot));
            let (worker, working) = (&worker, working.clone());
            let started = Builder::new().spawn_scoped(scope, move || {
                let _working = working;
                worker(Watched { number, slot });
            });
            if let (Some(slot), Err(_)) = (slot, &started) {
                WORKERS[slot].store(FREE, Ordering::Relaxed);
            }
            started.ok().map(|_| slot)
        };
        let running: Vec<_> = (0..threads).map_while(start).collect();
        if running.is_empty() {
            worker(Watched { number: 0, slot: None });
        }
        drop(working);
        while all_done.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
            for &slot in running.iter().flatten() {
                seen[usize::from(WORKERS[slot].load(Ordering::Relaxed))] += 1;
            }
        }
        for &slot in running.iter().flatten() {
            WORKERS[slot].store(FREE, Ordering::Relaxed);
        }
    });
    let total: u64 = seen.iter().sum();
    seen.map(|count| count as f64 / total.max(1) as f64)
}

/// Takes a slot for a worker that is idle until it begins, if the slot is free.
fn take(slot: usize) -> bool {
    WORKERS[slot].compare_exchange(FREE, Stage::Idle as u8, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn time_is_seen_where_it_goes() {
        let long = Duration::from_millis(60);
        let number = AtomicUsize::new(0);
        let shares = watch(2, |watched| {
            let is_first = number.fetch_add(1, Ordering::Relaxed) == 0;
            let (stage, time) = if is_first { (Stage::Rules, long) } else { (Stage::Network, 3 * long) };
            // Whatever thread the work is passed to.
            std::thread::scope(|scope| {
                scope.spawn(|| watched.work(|| in_stage(stage, || std::thread::sleep(time))));
            });
        });
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // The second worker is in the network all the time, the first idle for most of it.
        let [tree, rules, encoding, network, idle] = shares;
        assert!(network > 0.3 && rules > 0.02 && idle > 0.05 && encoding == 0.0 && tree < 0.3, "{shares:?}");
        assert_eq!(in_stage(Stage::Network, || 7), 7, "a thread that nobody watches");
    }
}
