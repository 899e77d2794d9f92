//! What the learner of a run waits for, and what it makes of what comes: the one place where results turn into games.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selfplay_eval::GameResult;
use selfplay_kit::GameRef;
use selfplay_mcts::CacheStats;
use selfplay_run::RunConfig;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{GameRecord, LaneLedger};

use crate::assembly::Whole;
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
    failure: Option<String>,
}

struct OpenTask {
    task: Task,
    /// When it was published, or somebody said that he is at it; `None` if it is to be published at once.
    sign: Option<Instant>,
    pairs: Option<Sender<Vec<GameResult>>>,
}

/// A generation whose lanes are played.
pub struct OpenGeneration {
    pub ledger: LaneLedger,
    pub new_simulations: u64,
    pub cache: CacheStats,
    pub cpu_seconds_elsewhere: f64,
    games: Sender<usize>,
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
        self.state().failure.get_or_insert(reason);
        self.changed.notify_all();
    }

    /// Whether something has, and what.
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// Opens a generation with its ledger; the tasks of the missing lanes, and where the decisions of each game that is stored
    /// are told. Nothing if it is open already.
    pub fn open_generation(
        &self,
        generation: u32,
        ledger: LaneLedger,
        networks: &[NetworkName],
        earlier: Option<String>,
    ) -> (Vec<Task>, Receiver<usize>) {
        let (games, told) = channel();
        let mut state = self.state();
        let mut tasks = Vec::new();
        for lane in 0..self.config.selfplay.lanes {
            let key = TaskKey::Lane { generation, lane };
            match ledger.lane(lane) {
                Some(games) => {
                    // What was stored before is compared with what still comes like what is stored now.
                    let digest = digest(&shard_bytes(ledger.header(), games));
                    state.answer(key, digest, "an earlier call".into());
                }
                None => tasks.push(Task { key, networks: networks.to_vec(), earlier: earlier.clone() }),
            }
        }
        for game in ledger.found() {
            let _ = games.send(game.decisions.len());
        }
        state.open_tasks(&tasks, None);
        let opened = OpenGeneration {
            ledger,
            new_simulations: 0,
            cache: CacheStats::default(),
            cpu_seconds_elsewhere: 0.0,
            games,
        };
        state.generations.insert(generation, opened);
        (tasks, told)
    }

    /// Whether the generation is open.
    pub fn is_open(&self, generation: u32) -> bool {
        self.state().generations.contains_key(&generation)
    }

    /// Waits a moment for the generation; gives it once no lane is missing.
    ///
    /// # Errors
    /// The failure, if there was one.
    pub fn wait_for(&self, generation: u32, moment: Duration) -> Result<Option<OpenGeneration>, String> {
        let is_whole = |state: &State| state.generations[&generation].ledger.missing().next().is_none();
        let goes_on = |state: &mut State| state.failure.is_none() && !is_whole(state);
        let waited = self.changed.wait_timeout_while(self.state(), moment, goes_on);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None if is_whole(&state) => Ok(state.generations.remove(&generation)),
            None => Ok(None),
        }
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
            Some(answered) => Fate::Refused { reason: format!("{} sent another result", answered.worker) },
            None if state.open.contains_key(key) => Fate::Pending,
            None => Fate::Unwanted,
        }
    }

    /// Takes a whole result: stores it, or drops it, or puts it into quarantine. `own` is the worker of this process. Blocks
    /// while the disk writes.
    pub fn take<A>(&self, whole: &Whole<A>, own: Option<&str>) -> Fate {
        let Whole { part, packed, .. } = whole;
        let refused = |reason: String| {
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
            return refused("its sender has not shown that it computes as this run does".into());
        }
        if let Some((stored, worker)) = known {
            // The digest is only what the sender says, but nothing is made of it here.
            if stored == part.digest {
                return Fate::Stored;
            }
            if self.config.selfplay.mixed_machines {
                return Fate::Unwanted;
            }
            return refused(format!(
                "it differs from what {worker} sent, which is stored; one of the two computes wrongly"
            ));
        }
        let Some(task) = expected else { return Fate::Unwanted };
        match self.read(part, packed, &task) {
            Err(reason) => refused(reason),
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

    /// The games of a result for `task`; the sentence says why it is not believed.
    fn read(&self, part: &Part, packed: &[u8], task: &Task) -> Result<Games, String> {
        let expected: Vec<&String> = task.networks.iter().map(|network| &network.object).collect();
        if !expected.iter().copied().eq(&part.objects) {
            return Err("it was played with another network".into());
        }
        let bytes = unpack(packed)?;
        if digest(&bytes) != part.digest {
            return Err("its bytes do not have the hash that came with them".into());
        }
        let Cost { seconds, cpu_seconds, .. } = part.cost;
        if !(seconds.is_finite() && cpu_seconds.is_finite() && seconds >= 0.0 && cpu_seconds >= 0.0) {
            return Err("what it says that it cost is no time".into());
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
        if open.ledger.lane(lane).is_none() {
            // Held for as long as the disk takes: whoever waits, waits for this.
            if let Err(error) = open.ledger.store(lane, games) {
                drop(state);
                self.fail(error.to_string());
                return Fate::Pending;
            }
            open.new_simulations += simulations;
            open.cache += CacheStats { lookups: part.cost.lookups, hits: part.cost.hits };
            if own != Some(part.worker.as_str()) {
                open.cpu_seconds_elsewhere += part.cost.cpu_seconds;
            }
            for decisions in decisions {
                // Whoever waited may have failed.
                let _ = open.games.send(decisions);
            }
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
mod tests {
    use std::path::Path;

    use selfplay_env::{Outcome, Side};
    use selfplay_kit::Games;
    use selfplay_shipped::GAMES;
    use selfplay_train::{DecisionRecord, GameEnd, SearchTarget, ShardHeader};

    use super::*;
    use crate::packing::pack;

    const LANE: u32 = 1;

    fn config() -> RunConfig {
        let text = "game = \"tictactoe\"\nseed = 5\ngenerations = 2\n[selfplay]\ngames_per_generation = 6\nlanes = 3\n";
        RunConfig::parse(text, &Games::new(&GAMES)).unwrap()
    }

    /// A desk that waits for the lanes of generation 1.
    fn desk(folder: &Path) -> (Desk, Receiver<usize>) {
        let config = config();
        let game = Games::new(&GAMES).find("tictactoe").unwrap();
        let desk = Desk::new(game, config.clone(), folder);
        desk.admit("admitted".into());
        let ledger = LaneLedger::open(&folder.join("shard"), game, config.seed, 1, &config.selfplay).unwrap();
        let network = NetworkName { generation: 0, object: "network".into() };
        let (tasks, told) = desk.open_generation(1, ledger, &[network], None);
        assert_eq!(tasks.len(), 3);
        (desk, told)
    }

    fn games(lane: u32) -> Vec<GameRecord> {
        let target = SearchTarget { policy: vec![(4, 1)], win: 0.5, loss: 0.25, proven: None, surprise: 0.1 };
        let decisions = [0, 3, 1, 4, 2].map(|action| DecisionRecord { action, target: None }).to_vec();
        let end = GameEnd::by_rules(Outcome::Win(Side::First));
        let numbers = config().selfplay.games_of_lane(lane);
        let mut games: Vec<GameRecord> =
            numbers.map(|n| GameRecord { decisions: decisions.clone(), end, ..GameRecord::new(n) }).collect();
        games[0].decisions[0].target = Some(target);
        games
    }

    /// What a worker sends.
    fn whole(bytes: &[u8]) -> Whole<()> {
        let packed = pack(bytes);
        let part = Part {
            worker: "w".into(),
            admission: "admitted".into(),
            key: TaskKey::Lane { generation: 1, lane: LANE },
            objects: vec!["network".into()],
            digest: digest(bytes),
            cost: Cost { seconds: 1.0, cpu_seconds: 0.9, lookups: 4, hits: 1 },
            length: packed.len() as u32,
            index: 0,
            count: 1,
            bytes: Vec::new(),
        };
        Whole { part, packed, tickets: vec![] }
    }

    fn shard(games: &[GameRecord]) -> Vec<u8> {
        shard_bytes(&ShardHeader::new(Games::new(&GAMES).find("tictactoe").unwrap(), 5, 1), games)
    }

    fn changed(change: impl FnOnce(&mut Vec<GameRecord>)) -> Vec<u8> {
        let mut games = games(LANE);
        change(&mut games);
        shard(&games)
    }

    #[test]
    fn a_lane_is_stored_once_and_compared_when_it_comes_again() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, told) = desk(folder.path());
        let good = whole(&shard(&games(LANE)));
        let key = good.part.key;
        assert_eq!(desk.fate(&key, &good.part.digest), Fate::Pending);
        assert_eq!(desk.take(&good, None), Fate::Stored);
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [5, 5]);
        assert_eq!(desk.take(&good, None), Fate::Stored, "the same again");
        assert_eq!(desk.fate(&key, &good.part.digest), Fate::Stored);
        assert_eq!(told.try_iter().count(), 0, "it counts once");
        let other = whole(&changed(|games| games[0].simulations = 9));
        let fate = desk.take(&other, None);
        assert!(
            matches!(&fate, Fate::Refused { reason } if reason.contains("it differs from what w sent")),
            "{fate:?}"
        );
        assert_eq!(desk.to_publish(true).len(), 2);
        // What was stored before this process is known as well.
        let ledger = desk.state().generations.remove(&1).unwrap().ledger;
        drop(ledger);
        let (again, told) = {
            let game = desk.game;
            let ledger = LaneLedger::open(&folder.path().join("shard"), game, 5, 1, &config().selfplay).unwrap();
            let again = Desk::new(game, config(), folder.path());
            again.admit("admitted".into());
            let (tasks, told) = again.open_generation(1, ledger, &[], None);
            assert_eq!(tasks.len(), 2);
            (again, told)
        };
        assert_eq!(told.try_iter().count(), 2, "the games that were found");
        assert_eq!(again.take(&good, None), Fate::Stored);
    }

    #[test]
    fn nothing_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, told) = desk(folder.path());
        let good = shard(&games(LANE));
        let with = |change: fn(&mut Whole<()>)| {
            let mut sent = whole(&good);
            change(&mut sent);
            sent
        };
        let header = ShardHeader { run_seed: 6, ..ShardHeader::new(desk.game, 5, 1) };
        let damaged = |place: usize| {
            let mut bytes = good.clone();
            bytes[place] ^= 1;
            whole(&bytes)
        };
        let cases = [
            (with(|sent| sent.part.admission = "not".into()), "has not shown"),
            (with(|sent| sent.part.objects = vec!["other".into()]), "another network"),
            (with(|sent| sent.part.objects.clear()), "another network"),
            (with(|sent| sent.packed.truncate(9)), "not compressed"),
            (with(|sent| sent.part.digest = digest(b"other")), "do not have the hash"),
            (with(|sent| sent.part.cost.cpu_seconds = f64::NAN), "is no time"),
            (damaged(good.len() - 1), "checksums are wrong"),
            (damaged(3), "checksums are wrong"),
            (whole(&good[..good.len() - 4]), "checksums are wrong"),
            (whole(b""), "checksums are wrong"),
            (whole(&shard_bytes(&header, &games(LANE))), "expected tictactoe"),
            (whole(&shard(&games(2))), "not those of the lane"),
            (whole(&shard(&games(LANE)[..1])), "not those of the lane"),
            (whole(&changed(|games| games[0].decisions[1].action = 0)), "does not agree with the rules"),
            (whole(&changed(|games| games[0].decisions[1].action = 900)), "does not agree with the rules"),
            (whole(&changed(|games| games[1].end = GameEnd::by_rules(Outcome::Draw))), "does not agree with the rules"),
            (whole(&changed(|games| target(games).win = f32::NAN)), "does not agree with the rules"),
            (whole(&changed(|games| target(games).loss = 0.9)), "does not agree with the rules"),
            (whole(&changed(|games| target(games).surprise = f32::INFINITY)), "does not agree with the rules"),
            (whole(&changed(|games| target(games).proven = Some(2))), "does not agree with the rules"),
            (whole(&changed(|games| target(games).policy.clear())), "does not agree with the rules"),
        ];
        let count = cases.len();
        for (sent, expected) in cases {
            let fate = desk.take(&sent, None);
            assert!(matches!(&fate, Fate::Refused { reason } if reason.contains(expected)), "{expected}: {fate:?}");
            assert_eq!(
                desk.to_publish(false).len(),
                usize::from(sent.part.key == whole(&good).part.key),
                "asked again"
            );
        }
        let reasons = std::fs::read_to_string(folder.path().join("quarantine/reasons.jsonl")).unwrap();
        assert_eq!(reasons.lines().count(), count);
        assert_eq!(told.try_iter().count(), 0);
        let elsewhere = with(|sent| sent.part.key = TaskKey::Lane { generation: 7, lane: 0 });
        assert_eq!(desk.take(&elsewhere, None), Fate::Unwanted);
        assert_eq!(desk.take(&whole(&good), None), Fate::Stored, "after all of that");
    }

    fn target(games: &mut [GameRecord]) -> &mut SearchTarget {
        games[0].decisions[0].target.as_mut().unwrap()
    }
}
