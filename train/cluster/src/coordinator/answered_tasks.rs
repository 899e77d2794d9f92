//! The tasks that have a stored result, to compare it with what still arrives.

use std::collections::{HashMap, VecDeque};

use crate::wire::TaskKey;

/// Tasks that are remembered; the oldest go first.
const MAX_ANSWERED: usize = 20_000;

/// The stored results by task.
#[derive(Default)]
pub struct AnsweredTasks {
    by_key: HashMap<TaskKey, Answer>,
    /// The tasks in the order of their results.
    order: VecDeque<TaskKey>,
}

/// A result that is stored.
#[derive(Clone)]
pub struct Answer {
    /// Hash of the result.
    pub digest: String,
    /// The worker that sent it.
    pub worker: String,
}

impl AnsweredTasks {
    /// Records the result of a task.
    pub fn insert(&mut self, key: TaskKey, answer: Answer) {
        if self.by_key.insert(key, answer).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MAX_ANSWERED {
            let forgotten = self.order.pop_front();
            forgotten.map(|key| self.by_key.remove(&key));
        }
    }

    /// The result of a task.
    pub fn get(&self, key: &TaskKey) -> Option<&Answer> {
        self.by_key.get(key)
    }

    /// Forgets the result of a task.
    pub fn remove(&mut self, key: &TaskKey) {
        self.by_key.remove(key);
    }
}
