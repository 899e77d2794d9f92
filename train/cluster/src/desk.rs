//! What the learner of a run waits for, and what it makes of what comes: the one place where results turn into games.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selfplay_arena::GameResult;
use selfplay_mcts::CacheStats;
use selfplay_pipeline::RunConfig;
use selfplay_registry::GameRef;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{GameLedger, GameRecord, TrainError};

use crate::assembly::Whole;
use crate::error::InvalidResult;
use crate::judge::{lane_games, pair_games};
use crate::packing::{digest, unpack};
use crate::quarantine::Quarantine;
use crate::roster::Roster;
use crate::wire::{Cost, Fate, NetworkName, Part, Task, TaskKey};

/// A task that nobody has answered for so many times what a task takes is published again.
const PATIENCE: f64 = 8.0;
/// The least and the most such patience, and what it is before any task was done.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);
const MOST_PATIENCE: Duration = Duration::from_secs(3600);
const FIRST_PATIENCE: Duration = Duration::from_secs(120);
/// Tasks from which the usual time of one is taken.
const REMEMBERED: usize = 65;
/// How long an object stays on the server that no task takes.
const UNNEEDED: Duration = Duration::from_secs(120);
/// Answered tasks that are remembered, to be compared with what comes again.
const MOST_ANSWERED: usize = 20_000;

/// The learner's side of a run.
pub struct Desk {
    pub game: GameRef,
    pub config: RunConfig,
    pub quarantine: Quarantine,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// What every result must carry.
    admission: String,
    open: HashMap<TaskKey, OpenTask>,
    generations: HashMap<u32, OpenGeneration>,
    answered: HashMap<TaskKey, Answered>,
    /// Their order.
    answers: VecDeque<TaskKey>,
    seconds: VecDeque<f64>,
    roster: Roster,
    /// Objects that open tasks take or took, with what they are made of and when they were needed last.
    objects: HashMap<String, (ObjectSource, Instant)>,
    /// Objects that a worker could not read.
    unreadable: HashSet<String>,
    failure: Option<Failure>,
}

/// Why nothing can go on.
#[derive(Clone, Debug)]
pub struct Failure {
    pub reason: String,
    /// The disk's, which may have room later.
    pub source: Option<Arc<TrainError>>,
}

struct OpenTask {
    task: Task,
    /// When it was published, or somebody said that he is at it; `None` if it is to be published at once.
    sign: Option<Instant>,
    pairs: Option<Sender<Vec<GameResult>>>,
}

/// A generation whose lanes are played.
pub struct OpenGeneration {
    pub ledger: GameLedger,
    pub new_simulations: u64,
    pub cache: CacheStats,
    pub cpu_seconds_elsewhere: f64,
    /// Decisions of each game that was stored since this was asked last.
    untold: Vec<usize>,
}

struct Answered {
    digest: String,
    worker: String,
}

/// What an object is made of, should it have to be put again.
#[derive(Clone)]
pub enum ObjectSource {
    /// The checkpoint in a folder.
    Checkpoint(PathBuf),
    /// These bytes.
    Bytes(Arc<Vec<u8>>),
}

impl Desk {
    /// With nothing on it.
    pub fn new(game: GameRef, config: RunConfig, folder: &std::path::Path) -> Self {
        let state = State {
            admission: String::new(),
            open: HashMap::new(),
            generations: HashMap::new(),
            answered: HashMap::new(),
            answers: VecDeque::new(),
            seconds: VecDeque::new(),
            roster: Roster::new(folder),
            objects: HashMap::new(),
            unreadable: HashSet::new(),
            failure: None,
        };
        let quarantine = Quarantine::of(folder);
        Desk { game, config, quarantine, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what every result must carry.
    pub fn admit(&self, admission: String) {
        self.state().admission = admission;
    }

    /// Something has happened after which nothing can go on.
    pub fn fail(&self, reason: String) {
        self.fail_by(Failure { reason, source: None });
    }

    fn fail_by(&self, failure: Failure) {
        self.state().failure.get_or_insert(failure);
        self.changed.notify_all();
    }

    /// Whether something has, and what.
    pub fn failure(&self) -> Option<Failure> {
        self.state().failure.clone()
    }

    /// Opens a generation with its ledger; the tasks of the missing lanes.
    pub fn open_generation(
        &self,
        generation: u32,
        ledger: GameLedger,
        networks: &[NetworkName],
        earlier: Option<String>,
    ) -> Vec<Task> {
        let mut state = self.state();
        let mut tasks = Vec::new();
        for lane in 0..self.config.selfplay.lanes {
            let key = TaskKey::Lane { generation, lane };
            match ledger.range(lane) {
                Some(games) => {
                    // What was stored before is compared with what still comes like what is stored now.
                    let digest = digest(&shard_bytes(ledger.header(), games));
                    state.answer(key, digest, "an earlier call".into());
                }
                None => tasks.push(Task { key, networks: networks.to_vec(), earlier: earlier.clone() }),
            }
        }
        state.open_tasks(&tasks, None);
        let opened = OpenGeneration {
            untold: ledger.found().map(|game| game.decisions.len()).collect(),
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

    /// Waits a moment for the generation; the decisions of each of its games that was stored meanwhile, and the generation once
    /// no lane is missing.
    ///
    /// # Errors
    /// The failure, if there was one. After one of the disk the generation is closed: it may be opened again, with what the disk
    /// holds.
    pub fn wait_for(&self, generation: u32, moment: Duration) -> Result<(Vec<usize>, Option<OpenGeneration>), Failure> {
        let is_whole = |state: &State| state.generations[&generation].ledger.missing().next().is_none();
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
        let stored = state.generations.get_mut(&generation).map(|open| std::mem::take(&mut open.untold));
        let open = if whole { state.generations.remove(&generation) } else { None };
        Ok((stored.unwrap_or_default(), open))
    }

    /// Opens a task of the gate; its games come through the channel.
    pub fn open_pairs(&self, task: &Task) -> Receiver<Vec<GameResult>> {
        let (tell, told) = channel();
        let mut state = self.state();
        // A match that is played again, since the call that played it before died, is played anew.
        state.answered.remove(&task.key);
        state.open_tasks(std::slice::from_ref(task), Some(tell));
        told
    }

    /// Nobody waits for the task any more.
    pub fn close(&self, key: &TaskKey) {
        self.state().open.remove(key);
    }

    /// Tasks that the workers present can do at once.
    pub fn threads(&self) -> usize {
        self.state().roster.threads()
    }

    /// The tasks that are open, all of them or those that were not heard of for too long; they count as published now.
    pub fn to_publish(&self, is_all: bool) -> Vec<Task> {
        let mut state = self.state();
        let patience = state.patience();
        let now = Instant::now();
        let is_late = |sign: Option<Instant>| sign.is_none_or(|sign| now.duration_since(sign) > patience);
        let late = state.open.values_mut().filter(|open| is_all || is_late(open.sign));
        late.map(|open| {
            open.sign = Some(now);
            open.task.clone()
        })
        .collect()
    }

    /// Says what an object is made of that tasks take.
    pub fn keep_object(&self, name: &str, source: ObjectSource) {
        self.state().objects.insert(name.to_owned(), (source, Instant::now()));
    }

    /// The objects that workers could not read since this was asked last.
    pub fn unreadable(&self) -> HashSet<String> {
        std::mem::take(&mut self.state().unreadable)
    }

    /// The objects that are needed, and `always`, with what they are made of; and those that nobody has needed for some time:
    /// forgotten with this.
    pub fn objects(&self, always: &str) -> (Vec<(String, ObjectSource)>, Vec<String>) {
        let mut state = self.state();
        let mut needed: HashSet<String> = HashSet::from([always.to_owned()]);
        for open in state.open.values() {
            needed.extend(open.task.networks.iter().map(|network| network.object.clone()));
            needed.extend(open.task.earlier.clone());
        }
        let now = Instant::now();
        for (name, (_, last)) in &mut state.objects {
            if needed.contains(name) {
                *last = now;
            }
        }
        let gone = state.objects.extract_if(|_, (_, last)| now.duration_since(*last) > UNNEEDED);
        let gone = gone.map(|(name, _)| name).collect();
        let known = state.objects.iter().map(|(name, (source, _))| (name.clone(), source.clone())).collect();
        (known, gone)
    }

    /// A worker says what it does.
    pub fn heard(&self, said: crate::wire::WorkerState) {
        let mut state = self.state();
        let now = Instant::now();
        for key in &said.playing {
            if let Some(open) = state.open.get_mut(key) {
                open.sign = Some(now);
            }
        }
        state.unreadable.extend(said.unreadable.iter().cloned());
        let (worker, refusal, threads) = (said.worker.clone(), said.refusal.clone(), said.threads);
        if state.roster.heard(said) {
            match refusal {
                Some(reason) => tracing::warn!("worker {worker:?} is refused: {reason}"),
                None => tracing::info!("worker {worker:?} plays with {threads} threads"),
            }
        }
    }

    /// Shows the workers to whoever looks.
    pub fn write_roster(&self) {
        self.state().roster.write();
    }

    /// Nobody plays any more.
    pub fn clear_roster(&self) {
        self.state().roster.clear();
    }

    /// What became of a result.
    pub fn fate(&self, key: &TaskKey, digest: &str) -> Fate {
        let state = self.state();
        match state.answered.get(key) {
            Some(answered) if answered.digest == digest => Fate::Stored,
            Some(_) if self.config.selfplay.mixed_machines => Fate::Unwanted,
            Some(answered) => Fate::Refused { reason: format!("{} sent another result", answered.worker) },
            None if state.open.contains_key(key) => Fate::Pending,
            None => Fate::Unwanted,
        }
    }

    /// Takes a whole result: stores it, or drops it, or puts it into quarantine. `own` is the worker of this process. Blocks
    /// while the disk writes.
    pub fn take<A>(&self, whole: &Whole<A>, own: Option<&str>) -> Fate {
        let Whole { part, packed, .. } = whole;
        let refused = |invalid: InvalidResult| {
            let reason = invalid.to_string();
            // Not the sender is judged, whose name anybody can write, but what came. The task is published again.
            if let Some(open) = self.state().open.get_mut(&part.key) {
                open.sign = None;
            }
            self.quarantine.keep(&part.worker, Some(&part.key), &reason, packed);
            Fate::Refused { reason }
        };
        let (is_admitted, known, expected) = {
            let state = self.state();
            let task = state.open.get(&part.key).map(|open| open.task.clone());
            let known =
                state.answered.get(&part.key).map(|answered| (answered.digest.clone(), answered.worker.clone()));
            (part.admission == state.admission, known, task)
        };
        if !is_admitted {
            return refused(InvalidResult::NotAdmitted);
        }
        if let Some((stored, worker)) = known {
            // The digest is only what the sender says, but nothing is made of it here.
            if stored == part.digest {
                return Fate::Stored;
            }
            if self.config.selfplay.mixed_machines {
                return Fate::Unwanted;
            }
            return refused(InvalidResult::Differs { worker });
        }
        let Some(task) = expected else { return Fate::Unwanted };
        match self.read(part, packed, &task) {
            Err(invalid) => refused(invalid),
            Ok(Games::Lane(games)) => self.store_lane(part, games, own),
            Ok(Games::Pairs(games)) => {
                let mut state = self.state();
                // Another copy may have come meanwhile.
                if let Some(open) = state.open.remove(&part.key) {
                    let pairs = games.len() as u64 / 2;
                    state.done(part, 0, pairs);
                    // Whoever waited may have stopped.
                    open.pairs.map(|tell| tell.send(games));
                }
                Fate::Stored
            }
        }
    }

    /// The games of a result for `task`.
    fn read(&self, part: &Part, packed: &[u8], task: &Task) -> Result<Games, InvalidResult> {
        let expected: Vec<&String> = task.networks.iter().map(|network| &network.object).collect();
        if !expected.iter().copied().eq(&part.objects) {
            return Err(InvalidResult::OtherNetwork);
        }
        let bytes = unpack(packed)?;
        if digest(&bytes) != part.digest {
            return Err(InvalidResult::WrongHash);
        }
        let Cost { seconds, cpu_seconds, .. } = part.cost;
        if !(seconds.is_finite() && cpu_seconds.is_finite() && seconds >= 0.0 && cpu_seconds >= 0.0) {
            return Err(InvalidResult::ImpossibleCost);
        }
        match part.key {
            TaskKey::Lane { generation, lane } => {
                lane_games(&bytes, self.game, &self.config, generation, lane).map(Games::Lane)
            }
            TaskKey::Pairs { of, first, count } => {
                pair_games(&bytes, self.game, &self.config, of, first, count).map(Games::Pairs)
            }
        }
    }

    fn store_lane(&self, part: &Part, games: Vec<GameRecord>, own: Option<&str>) -> Fate {
        let TaskKey::Lane { generation, lane } = part.key else { return Fate::Unwanted };
        let decisions: Vec<usize> = games.iter().map(|game| game.decisions.len()).collect();
        let simulations: u64 = games.iter().map(|game| game.simulations).sum();
        let mut state = self.state();
        let Some(open) = state.generations.get_mut(&generation) else { return Fate::Unwanted };
        if open.ledger.range(lane).is_none() {
            // Held for as long as the disk takes: whoever waits, waits for this.
            if let Err(error) = open.ledger.store(lane, games) {
                drop(state);
                self.fail_by(Failure { reason: error.to_string(), source: Some(Arc::new(error)) });
                return Fate::Pending;
            }
            open.new_simulations += simulations;
            open.cache += CacheStats { lookups: part.cost.lookups, hits: part.cost.hits };
            if own != Some(part.worker.as_str()) {
                open.cpu_seconds_elsewhere += part.cost.cpu_seconds;
            }
            open.untold.extend(decisions);
            state.done(part, 1, 0);
        }
        drop(state);
        self.changed.notify_all();
        Fate::Stored
    }
}

/// What a result holds.
enum Games {
    Lane(Vec<GameRecord>),
    Pairs(Vec<GameResult>),
}

impl State {
    fn open_tasks(&mut self, tasks: &[Task], pairs: Option<Sender<Vec<GameResult>>>) {
        for task in tasks {
            let open = OpenTask { task: task.clone(), sign: Some(Instant::now()), pairs: pairs.clone() };
            self.open.insert(task.key, open);
        }
    }

    /// A task was done by whoever sent `part`.
    fn done(&mut self, part: &Part, lanes: u64, pairs: u64) {
        self.open.remove(&part.key);
        self.answer(part.key, part.digest.clone(), part.worker.clone());
        self.roster.did(&part.worker, lanes, pairs);
        self.seconds.push_back(part.cost.seconds);
        while self.seconds.len() > REMEMBERED {
            self.seconds.pop_front();
        }
    }

    fn answer(&mut self, key: TaskKey, digest: String, worker: String) {
        if self.answered.insert(key, Answered { digest, worker }).is_none() {
            self.answers.push_back(key);
        }
        while self.answers.len() > MOST_ANSWERED {
            let forgotten = self.answers.pop_front();
            forgotten.map(|key| self.answered.remove(&key));
        }
    }

    /// How long a task may be silent.
    fn patience(&self) -> Duration {
        let mut seconds: Vec<f64> = self.seconds.iter().copied().collect();
        seconds.sort_by(f64::total_cmp);
        match seconds.get(seconds.len() / 2) {
            None => FIRST_PATIENCE,
            Some(median) => Duration::from_secs_f64((PATIENCE * median).min(1e6)).clamp(LEAST_PATIENCE, MOST_PATIENCE),
        }
    }
}

#[cfg(test)]
mod tests;
