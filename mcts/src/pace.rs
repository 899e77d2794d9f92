//! How many leaves and simulations still fit into some time, learnt from the batches so far.

use std::time::Duration;

/// The pace of one search on one clock. A batch of `n` leaves is taken to need `n` times the recent time for a leaf,
/// and no less than the quickest batch so far: evaluators have a cost for each batch, for each leaf, or both.
#[derive(Debug)]
pub(crate) struct Pace {
    /// When the last batch ended, from the start of the action.
    elapsed: Duration,
    is_begun: bool,
    /// Running mean of the time for a leaf, in seconds; 0 while unknown.
    seconds_per_leaf: f64,
    /// The shortest time of a batch with leaves.
    quickest_batch: Duration,
    /// Time spent on batches, those without leaves included.
    searching: Duration,
    /// Simulations finished in that time.
    simulations: u64,
}

impl Pace {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Pace {
            elapsed: Duration::ZERO,
            is_begun: false,
            seconds_per_leaf: 0.0,
            quickest_batch: Duration::MAX,
            searching: Duration::ZERO,
            simulations: 0,
        }
    }

    /// Notes that `elapsed` of the action has passed after a batch of `leaves`, which may be none, that finished
    /// `simulations`.
    pub fn lap(&mut self, elapsed: Duration, leaves: usize, simulations: u32) {
        let batch = elapsed.saturating_sub(self.elapsed);
        self.elapsed = elapsed;
        self.is_begun = true;
        self.searching += batch;
        self.simulations += u64::from(simulations);
        if leaves > 0 {
            let seconds = batch.as_secs_f64() / leaves as f64;
            let is_first = self.quickest_batch == Duration::MAX;
            self.seconds_per_leaf = if is_first { seconds } else { (self.seconds_per_leaf + seconds) / 2.0 };
            self.quickest_batch = self.quickest_batch.min(batch);
        }
    }

    /// Notes that `elapsed` of the action has passed, the last of it with something other than batches.
    pub fn pass(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Number of leaves whose evaluation would end before `limit`: 0 if there is no time for any, and 1 as long as
    /// nothing is known about the time they take. The first batch is always allowed.
    pub fn room(&self, limit: Duration) -> usize {
        let is_known = self.quickest_batch < Duration::MAX;
        match limit.checked_sub(self.elapsed) {
            _ if !self.is_begun => 1,
            None | Some(Duration::ZERO) => 0,
            Some(_) if !is_known => 1,
            Some(left) if left < self.quickest_batch => 0,
            // Saturates where leaves take no time.
            Some(left) => (left.as_secs_f64() / self.seconds_per_leaf) as usize,
        }
    }

    /// About how many simulations would be finished before `limit`; `None` as long as nothing is known.
    pub fn simulations_until(&self, limit: Duration) -> Option<u32> {
        let left = limit.saturating_sub(self.elapsed);
        let is_known = self.simulations > 0 && !self.searching.is_zero();
        // Saturates beyond what can be counted.
        is_known.then(|| (left.as_secs_f64() / self.searching.as_secs_f64() * self.simulations as f64) as u32)
    }

    /// The time of the quickest batch with leaves, if there has been any: about what a single leaf takes.
    pub fn quickest_batch(&self) -> Option<Duration> {
        (self.quickest_batch < Duration::MAX).then_some(self.quickest_batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Batches of at most `leaves` that take `batch_ms` and `leaf_ms` for each leaf, until the pace stops them at
    /// `limit_ms`: when that is, and the number of leaves.
    fn stopped(limit_ms: u64, leaves: usize, batch_ms: u64, leaf_ms: u64) -> (u64, usize) {
        let mut pace = Pace::new();
        let (mut now, mut evaluated) = (0, 0);
        loop {
            let batch = pace.room(Duration::from_millis(limit_ms)).min(leaves);
            if batch == 0 {
                return (now, evaluated);
            }
            now += batch_ms + leaf_ms * batch as u64;
            evaluated += batch;
            pace.lap(Duration::from_millis(now), batch, batch as u32);
        }
    }

    #[test]
    fn the_last_batches_shrink_to_the_time_left() {
        // 33 leaves of 3 ms fit into 100 ms exactly.
        assert_eq!(stopped(100, 16, 0, 3), (99, 33));
        assert_eq!(stopped(100, 1000, 0, 3), (99, 33));
    }

    #[test]
    fn a_cost_for_each_batch_is_learnt() {
        let (end, evaluated) = stopped(100, 16, 30, 0);
        assert_eq!(end, 90);
        assert!(evaluated > 3);
        for (batch_ms, leaf_ms) in [(1, 3), (5, 1), (10, 2), (20, 7)] {
            let (end, _) = stopped(200, 16, batch_ms, leaf_ms);
            assert!((160..=200 + batch_ms).contains(&end), "{batch_ms} and {leaf_ms}: {end}");
        }
    }

    #[test]
    fn the_first_batch_is_always_allowed_and_no_other_after_the_limit() {
        assert_eq!(stopped(100, 16, 500, 0), (500, 1));
        let (mut pace, limit) = (Pace::new(), Duration::from_millis(1));
        assert_eq!(pace.room(limit), 1);
        pace.lap(Duration::ZERO, 0, 0);
        assert_eq!(pace.room(limit), 1, "nothing is evaluated yet, and there is time");
        pace.lap(Duration::from_millis(2), 0, 0);
        assert_eq!(pace.room(limit), 0);
    }

    #[test]
    fn a_slow_start_is_forgotten() {
        let (mut pace, limit) = (Pace::new(), Duration::from_secs(1));
        pace.lap(Duration::from_millis(400), 1, 1);
        assert_eq!(pace.room(limit), 1);
        for batch in 1..=10 {
            pace.lap(Duration::from_millis(400 + batch), 1, 1);
        }
        assert!(pace.room(limit) > 100);
    }

    #[test]
    fn leaves_that_take_no_time_have_room() {
        let mut pace = Pace::new();
        pace.lap(Duration::ZERO, 5, 5);
        assert_eq!(pace.room(Duration::from_secs(1)), usize::MAX);
        assert_eq!(pace.simulations_until(Duration::from_secs(1)), None);
    }

    #[test]
    fn simulations_to_come_follow_the_time_spent_on_batches_alone() {
        let ms = Duration::from_millis;
        let mut pace = Pace::new();
        pace.pass(ms(50));
        pace.lap(ms(60), 4, 20);
        assert_eq!((pace.simulations_until(ms(65)), pace.simulations_until(ms(55))), (Some(10), Some(0)));
        pace.pass(ms(90));
        assert_eq!((pace.simulations_until(ms(100)), pace.quickest_batch()), (Some(20), Some(ms(10))));
    }
}
