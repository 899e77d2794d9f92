//! The tasks that wait for a result, and when they are published again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use selfplay_arena::GameResult;

use crate::wire::{Task, TaskKey};

/// A task is published again after so many times the median time of a task without a sign of it.
const TIMEOUT_FACTOR: f64 = 8.0;
/// Bounds of that timeout, and its value before any task is done.
const MIN_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);
const INITIAL_TIMEOUT: Duration = Duration::from_secs(120);
/// A task that a worker only reports is published again after so many times that timeout, and at least this time: others may
/// then play it, too.
const HELD_FACTOR: u32 = 4;
const MIN_HELD: Duration = Duration::from_secs(600);
/// Tasks from which the median is taken.
const MAX_TIMES: usize = 65;

/// The open tasks of a run.
#[derive(Default)]
pub struct OpenTasks {
    by_key: HashMap<TaskKey, OpenTask>,
    /// Seconds that the last tasks took.
    times: VecDeque<f64>,
}

/// A task that waits for its result.
pub struct OpenTask {
    task: Task,
    /// When it was opened.
    opened: Instant,
    /// When it was last published.
    published: Instant,
    /// When it was published or a worker last reported it; `None` if it is to be published at once.
    last_sign: Option<Instant>,
    /// Where the games of a match go.
    pub pairs: Option<Sender<Vec<GameResult>>>,
}

/// Which open tasks are published again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Republish {
    /// All: the server has lost them.
    All,
    /// Those without a sign for too long.
    Late,
}

impl OpenTasks {
    /// Opens a task that is published now.
    pub fn open(&mut self, task: Task, pairs: Option<Sender<Vec<GameResult>>>) {
        let now = Instant::now();
        self.by_key.insert(task.key, OpenTask { task, opened: now, published: now, last_sign: Some(now), pairs });
    }

    /// Seconds since the task was opened; 0 for one that is not open.
    pub fn open_seconds(&self, key: &TaskKey) -> f64 {
        self.by_key.get(key).map_or(0.0, |open| open.opened.elapsed().as_secs_f64())
    }

    /// Closes a task.
    pub fn close(&mut self, key: &TaskKey) -> Option<OpenTask> {
        self.by_key.remove(key)
    }

    /// The task, if it is open.
    pub fn get(&self, key: &TaskKey) -> Option<&Task> {
        self.by_key.get(key).map(|open| &open.task)
    }

    /// A worker reports that it plays the task.
    pub fn touch(&mut self, key: &TaskKey) {
        if let Some(open) = self.by_key.get_mut(key) {
            open.last_sign = Some(Instant::now());
        }
    }

    /// The next look at the open tasks publishes this one.
    pub fn republish(&mut self, key: &TaskKey) {
        if let Some(open) = self.by_key.get_mut(key) {
            open.last_sign = None;
        }
    }

    /// The tasks to publish. They count as published now.
    pub fn take_due(&mut self, which: Republish) -> Vec<Task> {
        self.take_due_at(which, Instant::now())
    }

    fn take_due_at(&mut self, which: Republish, now: Instant) -> Vec<Task> {
        let timeout = self.timeout();
        let held = (HELD_FACTOR * timeout).max(MIN_HELD);
        let is_late = |open: &OpenTask| {
            let is_silent = open.last_sign.is_none_or(|sign| now.saturating_duration_since(sign) > timeout);
            is_silent || now.saturating_duration_since(open.published) > held
        };
        let chosen = self.by_key.values_mut().filter(|open| which == Republish::All || is_late(open));
        chosen
            .map(|open| {
                open.published = now;
                open.last_sign = Some(now);
                open.task.clone()
            })
            .collect()
    }

    /// The objects that open tasks take.
    pub fn objects(&self) -> HashSet<String> {
        let tasks = self.by_key.values().map(|open| &open.task);
        tasks
            .flat_map(|task| task.networks.iter().map(|network| network.object.clone()).chain(task.earlier.clone()))
            .collect()
    }

    /// A task took so many seconds.
    pub fn record_time(&mut self, seconds: f64) {
        self.times.push_back(seconds);
        while self.times.len() > MAX_TIMES {
            self.times.pop_front();
        }
    }

    /// How long a task may be without a sign.
    fn timeout(&self) -> Duration {
        let mut seconds: Vec<f64> = self.times.iter().copied().collect();
        seconds.sort_by(f64::total_cmp);
        match seconds.get(seconds.len() / 2) {
            None => INITIAL_TIMEOUT,
            Some(median) => Duration::from_secs_f64((TIMEOUT_FACTOR * median).min(1e6)).clamp(MIN_TIMEOUT, MAX_TIMEOUT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_is_only_reported_is_published_again() {
        let key = TaskKey::GameRange { generation: 1, first: 0, count: 8 };
        let mut tasks = OpenTasks::default();
        tasks.open(Task { key, networks: Vec::new(), earlier: None }, None);
        let began = Instant::now();
        let mut published = Vec::new();
        // A worker reports the task every ten seconds for an hour, and never sends a result.
        for seconds in (0..3600).step_by(10) {
            let now = began + Duration::from_secs(seconds);
            tasks.by_key.get_mut(&key).unwrap().last_sign = Some(now);
            published.extend(tasks.take_due_at(Republish::Late, now).iter().map(|_| seconds));
        }
        assert_eq!(published.len(), 5, "{published:?}");
        assert!(published[0] >= MIN_HELD.as_secs(), "{published:?}");
    }
}
