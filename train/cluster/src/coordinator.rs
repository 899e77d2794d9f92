//! The coordinator of a run, on the machine that learns: open tasks in, results out. The only place where results become
//! games.

mod answered_tasks;
mod object_catalog;
mod open_tasks;

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use selfplay_arena::GameResult;
use selfplay_mcts::CacheStats;
use selfplay_pipeline::RunConfig;
use selfplay_registry::GameRef;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{GameLedger, GameRecord, TrainError};

use self::answered_tasks::{Answer, AnsweredTasks};
use self::object_catalog::ObjectCatalog;
pub use self::object_catalog::{ObjectChanges, ObjectSource};
use self::open_tasks::OpenTasks;
pub use self::open_tasks::Republish;
use crate::assembly::CompleteResult;
use crate::error::InvalidResult;
use crate::judge::{max_result_bytes, pair_games, range_games};
use crate::packing::{digest, unpack};
use crate::quarantine::Quarantine;
use crate::wire::{Cost, GAMES_PER_TASK, NetworkName, Part, ResultStatus, Task, TaskKey, WorkerState};
use crate::worker_registry::WorkerRegistry;

/// Look-ups in the cache of evaluations for each simulation and each ply, at most: a search also looks up what it does not
/// count, such as the root.
const LOOKUPS_PER_EVALUATION: u64 = 4;

/// The learner's side of a run.
pub struct Coordinator {
    pub game: GameRef,
    pub config: RunConfig,
    pub quarantine: Quarantine,
    /// Locked before the others where several are held.
    state: Mutex<State>,
    /// Games were stored, or the run has failed.
    changed: Condvar,
    objects: Mutex<ObjectCatalog>,
    workers: Mutex<WorkerRegistry>,
}

/// What changes together when a result arrives.
struct State {
    /// What every result must carry.
    admission: String,
    tasks: OpenTasks,
    answered: AnsweredTasks,
    generations: HashMap<u32, OpenGeneration>,
    failure: Option<Failure>,
}

/// Why the run cannot continue.
#[derive(Clone, Debug)]
pub struct Failure {
    pub reason: String,
    /// The error of the disk, which may have room later.
    pub source: Option<Arc<TrainError>>,
}

/// A generation whose games are played.
pub struct OpenGeneration {
    pub ledger: GameLedger,
    pub new_simulations: u64,
    pub cache: CacheStats,
    pub cpu_seconds_elsewhere: f64,
    /// Actions of each game that was stored since the last report.
    unreported: Vec<usize>,
}

impl Coordinator {
    /// A coordinator without tasks, for the run in `folder`.
    pub fn new(game: GameRef, config: RunConfig, folder: &Path) -> Self {
        let state = State {
            admission: String::new(),
            tasks: OpenTasks::default(),
            answered: AnsweredTasks::default(),
            generations: HashMap::new(),
            failure: None,
        };
        Coordinator {
            game,
            config,
            quarantine: Quarantine::new(folder),
            state: Mutex::new(state),
            changed: Condvar::new(),
            objects: Mutex::default(),
            workers: Mutex::new(WorkerRegistry::new(folder)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Sets what every result must carry.
    pub fn admit(&self, admission: String) {
        self.state().admission = admission;
    }

    /// Whether the part carries what the sender's probe has earned it.
    pub fn is_admitted(&self, part: &Part) -> bool {
        part.admission == self.state().admission
    }

    /// Ends the run with an error.
    pub fn fail(&self, reason: String) {
        self.fail_by(Failure { reason, source: None });
    }

    fn fail_by(&self, failure: Failure) {
        self.state().failure.get_or_insert(failure);
        self.changed.notify_all();
    }

    /// The error that ended the run.
    pub fn failure(&self) -> Option<Failure> {
        self.state().failure.clone()
    }

    /// Opens a generation with its ledger. Returns the tasks of the missing games.
    pub fn open_generation(
        &self,
        generation: u32,
        ledger: GameLedger,
        networks: &[NetworkName],
        earlier: Option<String>,
    ) -> Vec<Task> {
        let mut state = self.state();
        let mut tasks = Vec::new();
        let games = self.config.selfplay.games_per_generation;
        for first in (0..games).step_by(GAMES_PER_TASK as usize) {
            let numbers = first..games.min(first + GAMES_PER_TASK);
            let key = TaskKey::GameRange { generation, first, count: numbers.end - first };
            match ledger.range(numbers) {
                Some(games) => {
                    // What was stored before is compared with what still comes like what is stored now.
                    let digest = digest(&shard_bytes(ledger.header(), &games));
                    state.answered.insert(key, Answer { digest, worker: "an earlier call".into() });
                }
                None => {
                    let task = Task { key, networks: networks.to_vec(), earlier: earlier.clone() };
                    state.tasks.open(task.clone(), None);
                    tasks.push(task);
                }
            }
        }
        let opened = OpenGeneration {
            unreported: ledger.found().map(|game| game.plies.len()).collect(),
            ledger,
            new_simulations: 0,
            cache: CacheStats::default(),
            cpu_seconds_elsewhere: 0.0,
        };
        state.generations.insert(generation, opened);
        tasks
    }

    /// Whether the generation is open.
    pub fn is_open(&self, generation: u32) -> bool {
        self.state().generations.contains_key(&generation)
    }

    /// Waits a moment for the generation. Returns the actions of each of its games that was stored meanwhile, and the generation
    /// once no game is missing.
    ///
    /// # Errors
    /// The failure, if there was one. After one of the disk the generation is closed: it may be opened again, with what the disk
    /// holds.
    pub fn wait_for(&self, generation: u32, moment: Duration) -> Result<(Vec<usize>, Option<OpenGeneration>), Failure> {
        let is_whole = |state: &State| state.generations[&generation].ledger.is_complete();
        let goes_on = |state: &mut State| state.failure.is_none() && !is_whole(state);
        let waited = self.changed.wait_timeout_while(self.state(), moment, goes_on);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if let Some(failure) = state.failure.clone() {
            if failure.source.is_some() {
                state.generations.remove(&generation);
                state.failure = None;
            }
            return Err(failure);
        }
        let whole = is_whole(&state);
        let stored = state.generations.get_mut(&generation).map(|open| std::mem::take(&mut open.unreported));
        let open = if whole { state.generations.remove(&generation) } else { None };
        Ok((stored.unwrap_or_default(), open))
    }

    /// Opens a task of the gate; its games come through the channel.
    pub fn open_pairs(&self, task: &Task) -> Receiver<Vec<GameResult>> {
        let (tell, told) = channel();
        let mut state = self.state();
        // A match that is played again, since the call that played it before died, is played anew.
        state.answered.remove(&task.key);
        state.tasks.open(task.clone(), Some(tell));
        told
    }

    /// Closes a task whose result is no longer needed.
    pub fn close(&self, key: &TaskKey) {
        self.state().tasks.close(key);
    }

    /// Tasks that the workers present can do at once.
    pub fn threads(&self) -> usize {
        lock(&self.workers).threads()
    }

    /// The open tasks to publish. They count as published now.
    pub fn to_publish(&self, which: Republish) -> Vec<Task> {
        self.state().tasks.take_due(which)
    }

    /// Adds an object that tasks take.
    pub fn keep_object(&self, name: &str, source: ObjectSource) {
        lock(&self.objects).insert(name, source);
    }

    /// What has to be done with the objects on the server, where `always` is needed like those of the open tasks.
    pub fn object_changes(&self, always: &str) -> ObjectChanges {
        let mut needed = self.state().tasks.objects();
        needed.insert(always.to_owned());
        lock(&self.objects).changes(&needed)
    }

    /// A worker reports its state.
    pub fn worker_reported(&self, report: WorkerState) {
        {
            let mut state = self.state();
            report.playing.iter().for_each(|key| state.tasks.touch(key));
        }
        lock(&self.objects).report_unreadable(&report.unreadable);
        let (worker, refusal, threads) = (report.worker.clone(), report.refusal.clone(), report.threads);
        if lock(&self.workers).heard(report) {
            match refusal {
                Some(reason) => tracing::warn!("worker {worker:?} is refused: {reason}"),
                None => tracing::info!("worker {worker:?} plays with {threads} threads"),
            }
        }
    }

    /// Writes the file of the workers.
    pub fn write_workers(&self) {
        lock(&self.workers).write();
    }

    /// Removes all workers and their file.
    pub fn clear_workers(&self) {
        lock(&self.workers).clear();
    }

    /// The status of a result.
    pub fn status(&self, key: &TaskKey, digest: &str) -> ResultStatus {
        let state = self.state();
        match state.answered.get(key) {
            Some(answered) if answered.digest == digest => ResultStatus::Stored,
            Some(_) if self.config.selfplay.mixed_machines => ResultStatus::Unwanted,
            Some(answered) => ResultStatus::Refused { reason: format!("{} sent another result", answered.worker) },
            None if state.tasks.get(key).is_some() => ResultStatus::Pending,
            None => ResultStatus::Unwanted,
        }
    }

    /// Stores a complete result, drops it or puts it into quarantine. `own` is the worker of this process. Blocks while the
    /// disk writes.
    pub fn take<A>(&self, whole: &CompleteResult<A>, own: Option<&str>) -> ResultStatus {
        let CompleteResult { part, packed, .. } = whole;
        let refused = |invalid: InvalidResult| {
            let reason = invalid.to_string();
            // Not the sender is judged, whose name anybody can write, but what came. The task is published again.
            self.state().tasks.republish(&part.key);
            self.quarantine.keep(&part.worker, Some(&part.key), &reason, packed);
            ResultStatus::Refused { reason }
        };
        let (is_admitted, known, expected) = {
            let state = self.state();
            let (known, task) = (state.answered.get(&part.key).cloned(), state.tasks.get(&part.key).cloned());
            (part.admission == state.admission, known, task)
        };
        if !is_admitted {
            return refused(InvalidResult::NotAdmitted);
        }
        if let Some(Answer { digest: stored, worker }) = known {
            // The digest is only what the sender says, but nothing is made of it here.
            if stored == part.digest {
                return ResultStatus::Stored;
            }
            if self.config.selfplay.mixed_machines {
                return ResultStatus::Unwanted;
            }
            return refused(InvalidResult::Differs { worker });
        }
        let Some(task) = expected else { return ResultStatus::Unwanted };
        match self.read(part, packed, &task) {
            Err(invalid) => refused(invalid),
            Ok(Games::Range(games)) => self.store_range(part, games, own),
            Ok(Games::Pairs(games)) => {
                let mut state = self.state();
                // Another copy may have come meanwhile.
                let cost = self.credible(part, &state, 0);
                if let Some(open) = state.tasks.close(&part.key) {
                    state.record_answer(part, cost.seconds);
                    lock(&self.workers).did(&part.worker, 0, games.len() as u64 / 2);
                    // The receiver may have stopped waiting.
                    open.pairs.map(|tell| tell.send(games));
                }
                ResultStatus::Stored
            }
        }
    }

    /// The games of a result for `task`.
    fn read(&self, part: &Part, packed: &[u8], task: &Task) -> Result<Games, InvalidResult> {
        let expected: Vec<&String> = task.networks.iter().map(|network| &network.object).collect();
        if !expected.iter().copied().eq(&part.objects) {
            return Err(InvalidResult::OtherNetwork);
        }
        let bytes = unpack(packed, max_result_bytes(&part.key, self.game, &self.config))?;
        if digest(&bytes) != part.digest {
            return Err(InvalidResult::WrongHash);
        }
        let Cost { seconds, cpu_seconds, lookups, hits } = part.cost;
        if !(seconds.is_finite() && cpu_seconds.is_finite() && seconds >= 0.0 && cpu_seconds >= 0.0 && hits <= lookups)
        {
            return Err(InvalidResult::ImpossibleCost);
        }
        match part.key {
            TaskKey::GameRange { generation, first, count } => {
                range_games(&bytes, self.game, &self.config, generation, first..first + count).map(Games::Range)
            }
            TaskKey::Pairs { of, first, count } => {
                pair_games(&bytes, self.game, &self.config, of, first, count).map(Games::Pairs)
            }
        }
    }

    /// The cost of a result, as far as it is credible: no longer than the task has been open, on no more cores than the
    /// sender has announced, and with no more cache look-ups than `evaluations` explain. Statistics only: a run does not
    /// depend on them.
    fn credible(&self, part: &Part, state: &State, evaluations: u64) -> Cost {
        let Cost { seconds, cpu_seconds, lookups, hits } = part.cost;
        let seconds = seconds.min(state.tasks.open_seconds(&part.key));
        let threads = lock(&self.workers).threads_of(&part.worker);
        let lookups = lookups.min(evaluations.saturating_mul(LOOKUPS_PER_EVALUATION));
        Cost { seconds, cpu_seconds: cpu_seconds.min(seconds * threads as f64), lookups, hits: hits.min(lookups) }
    }

    fn store_range(&self, part: &Part, games: Vec<GameRecord>, own: Option<&str>) -> ResultStatus {
        let TaskKey::GameRange { generation, first, count } = part.key else { return ResultStatus::Unwanted };
        let plies: Vec<usize> = games.iter().map(|game| game.plies.len()).collect();
        let simulations: u64 = games.iter().map(|game| game.simulations).sum();
        let mut state = self.state();
        let cost = self.credible(part, &state, simulations + plies.iter().sum::<usize>() as u64);
        let Some(open) = state.generations.get_mut(&generation) else { return ResultStatus::Unwanted };
        if open.ledger.range(first..first + count).is_none() {
            // The lock is held during the disk write: every waiter needs its result.
            if let Err(error) = open.ledger.store(games) {
                drop(state);
                self.fail_by(Failure { reason: error.to_string(), source: Some(Arc::new(error)) });
                return ResultStatus::Pending;
            }
            open.new_simulations += simulations;
            open.cache += CacheStats { lookups: cost.lookups, hits: cost.hits };
            if own != Some(part.worker.as_str()) {
                open.cpu_seconds_elsewhere += cost.cpu_seconds;
            }
            open.unreported.extend(plies);
            state.record_answer(part, cost.seconds);
            lock(&self.workers).did(&part.worker, count.into(), 0);
        }
        drop(state);
        self.changed.notify_all();
        ResultStatus::Stored
    }
}

/// What a result holds.
enum Games {
    Range(Vec<GameRecord>),
    Pairs(Vec<GameResult>),
}

impl State {
    /// The result of which `part` is a part is stored, or on its way to who waits for it.
    fn record_answer(&mut self, part: &Part, seconds: f64) {
        self.tasks.close(&part.key);
        self.answered.insert(part.key, Answer { digest: part.digest.clone(), worker: part.worker.clone() });
        self.tasks.record_time(seconds);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
