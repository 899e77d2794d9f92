//! A worker: joins the runs that it finds, plays their tasks, brings the results, and leaves at any moment.

pub mod news;

mod joined;

mod delivery;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::{self, AckKind, Context, Message};
use futures_util::StreamExt;
use selfplay_kit::Games;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use self::delivery::deliver;
use self::joined::{Hindrance, Joined};
pub use self::news::WorkerNews;
use crate::error::{ClusterError, reason};
use crate::link::jitter;
use crate::names::{ENDS, Names, RUNS, plain_worker};
use crate::outbox::{Outbox, Parcel};
use crate::packing::{digest, pack};
use crate::playing::play;
use crate::probe::cpu_kind;
use crate::wire::{Announcement, Cost, Fate, Part, Task, TaskKey, WorkerState};

/// How often it is asked which runs there are: while there is none to play for, and else.
const LOOK_AROUND: Duration = Duration::from_secs(1);
const LOOK_AROUND_PLAYING: Duration = Duration::from_secs(10);
/// How long answers are waited for.
const ANSWERS: Duration = Duration::from_millis(700);
/// How long a run may be silent, with its tasks gone, before it is left.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a worker says what it does.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How often the server is told that a task is still played; it gives the task to another after thrice that.
const STILL_PLAYING: Duration = Duration::from_secs(10);
/// Results that may wait for their receipts, for each thread: then nothing more is played.
const WAITING_PER_THREAD: usize = 4;
/// A breath before something is tried again.
const PAUSE: Duration = Duration::from_millis(200);
/// Attempts to come by a task's networks before it is given back.
const ATTEMPTS: u32 = 4;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name; another worker of the same name on this machine gets a number.
    pub name: String,
    /// Tasks at once.
    pub threads: usize,
    /// The runs that it plays for, by the names of their folders; empty for all.
    pub runs: Vec<String>,
    /// How long it waits for something to do before it ends; `None` for ever.
    pub idle_exit: Option<Duration>,
    /// Where its results wait for their receipts.
    pub outbox: PathBuf,
}

/// What a worker is at, for whoever shows it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct WorkerStatus {
    /// The runs that it plays for.
    pub runs: Vec<String>,
    /// What it plays.
    pub playing: Vec<TaskKey>,
    /// Results that wait for their receipts.
    pub waiting: usize,
    /// Tasks done and stored.
    pub stored: u64,
}

/// Told what a worker does; from any thread.
pub type Told = Arc<dyn Fn(&WorkerNews) + Send + Sync>;

/// A worker at work.
pub struct Worker {
    options: WorkerOptions,
    games: Games,
    client: Client,
    jetstream: Context,
    told: Told,
    outbox: Outbox,
    /// What it says of itself whatever it does.
    introduction: WorkerState,
    threads: Arc<Semaphore>,
    room: Arc<Semaphore>,
    state: Mutex<State>,
    stored: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The runs that it plays for, by their names.
    joined: BTreeMap<String, Arc<Joined>>,
    /// When a run's learner answered last.
    heard: HashMap<String, Instant>,
    /// The runs that it does not play for, with their owners.
    refused: HashMap<String, String>,
    /// What it has in hand, by numbers.
    in_hand: HashMap<u64, InHand>,
    next: u64,
    /// Results of an earlier process.
    left_over: Vec<(PathBuf, Parcel)>,
    idle_since: Option<Instant>,
}

/// A task in hand.
struct InHand {
    run: String,
    key: TaskKey,
    /// Whether it is played; else its result waits for its receipt.
    is_played: bool,
    message: Option<Arc<Message>>,
}

impl Worker {
    /// A worker that is connected as `client`; `told` hears what it does.
    ///
    /// # Errors
    /// If its outbox refuses.
    pub fn new(client: Client, options: WorkerOptions, games: Games, told: Told) -> Result<Arc<Self>, ClusterError> {
        let (outbox, left_over) = Outbox::open(&options.outbox, &options.name)?;
        let state = State { left_over, ..State::default() };
        let (worker, threads) = (outbox.name().to_owned(), options.threads);
        let introduction = WorkerState { worker, threads, cpu: cpu_kind(), ..WorkerState::default() };
        Ok(Arc::new(Worker {
            threads: Arc::new(Semaphore::new(options.threads)),
            room: Arc::new(Semaphore::new(WAITING_PER_THREAD * options.threads)),
            jetstream: jetstream::new(client.clone()),
            client,
            options,
            games,
            told,
            outbox,
            introduction,
            state: Mutex::new(state),
            stored: AtomicU64::new(0),
        }))
    }

    /// Its name, as others see it.
    pub fn name(&self) -> &str {
        self.outbox.name()
    }

    /// What it is at.
    pub fn status(&self) -> WorkerStatus {
        let state = self.state();
        WorkerStatus {
            runs: state.joined.keys().cloned().collect(),
            playing: state.in_hand.values().filter(|task| task.is_played).map(|task| task.key).collect(),
            waiting: state.in_hand.values().filter(|task| !task.is_played).count(),
            stored: self.stored.load(Ordering::Relaxed),
        }
    }

    /// Works until `stop` says so, and gives back at once what it has not finished.
    ///
    /// # Errors
    /// If all runs that it is to play for refuse it.
    pub async fn work(self: Arc<Self>, mut stop: watch::Receiver<bool>) -> Result<(), ClusterError> {
        let worker = self.clone();
        let fetching = tokio::spawn(async move { worker.fetch().await });
        let worker = self.clone();
        let ending = tokio::spawn(async move { worker.hear_ends().await });
        let worker = self.clone();
        let beating = tokio::spawn(async move {
            loop {
                worker.say_state(false).await;
                tokio::time::sleep(HEARTBEAT).await;
            }
        });
        let ended = tokio::select! {
            ended = self.clone().look_around() => ended,
            _ = stop.wait_for(|&stops| stops) => Ok(()),
        };
        fetching.abort();
        ending.abort();
        beating.abort();
        self.leave().await;
        ended
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds runs, and notices that there is nothing to do.
    async fn look_around(self: Arc<Self>) -> Result<(), ClusterError> {
        let mut next_look = Instant::now();
        loop {
            if Instant::now() >= next_look {
                for announcement in self.announcements().await {
                    self.clone().consider(&announcement).await?;
                }
                self.leave_silent().await;
                let pause = if self.state().joined.is_empty() { LOOK_AROUND } else { LOOK_AROUND_PLAYING };
                next_look = Instant::now() + pause.mul_f64(0.75 + 0.5 * jitter());
            }
            if self.is_idle_too_long() {
                return Ok(());
            }
            let rest = next_look.saturating_duration_since(Instant::now());
            tokio::time::sleep(rest.min(HEARTBEAT)).await;
        }
    }

    /// What the learners there are say of their runs.
    async fn announcements(&self) -> Vec<Announcement> {
        let inbox = self.client.new_inbox();
        let Ok(mut answers) = self.client.subscribe(inbox.clone()).await else { return Vec::new() };
        if self.client.publish_with_reply(RUNS, inbox, "".into()).await.is_err() {
            return Vec::new();
        }
        let mut found = Vec::new();
        while let Ok(Some(message)) = tokio::time::timeout(ANSWERS, answers.next()).await {
            found.extend(serde_json::from_slice::<Announcement>(&message.payload).ok());
        }
        found
    }

    /// Joins the run, unless that is done, or cannot be.
    async fn consider(self: Arc<Self>, announcement: &Announcement) -> Result<(), ClusterError> {
        let Announcement { run, owner, game, .. } = announcement;
        if !self.options.runs.is_empty() && !self.options.runs.iter().any(|name| is_called(run, name)) {
            return Ok(());
        }
        {
            let mut state = self.state();
            state.heard.insert(run.clone(), Instant::now());
            if state.refused.get(run) == Some(owner)
                || state.joined.get(run).is_some_and(|joined| joined.owner == *owner)
            {
                return Ok(());
            }
        }
        match Joined::join(&self.jetstream, announcement, self.name(), &self.games).await {
            Ok(joined) => {
                let joined = Arc::new(joined);
                let left_over = {
                    let mut state = self.state();
                    state.joined.insert(run.clone(), joined.clone());
                    let (mine, others) = std::mem::take(&mut state.left_over)
                        .into_iter()
                        .partition(|(_, parcel): &(PathBuf, Parcel)| parcel.run == *run);
                    state.left_over = others;
                    mine
                };
                (self.told)(&WorkerNews::Joined { run: run.clone(), game: game.clone() });
                for (path, parcel) in left_over {
                    tokio::spawn(self.clone().bring_left_over(joined.clone(), path, parcel));
                }
                Ok(())
            }
            Err(Hindrance::NotYet(reason)) => {
                tracing::debug!("{run} cannot be joined yet: {reason}");
                Ok(())
            }
            Err(Hindrance::Unreadable { object, reason }) => {
                tracing::debug!("{run} cannot be joined yet: {object}: {reason}");
                if let Some(names) = Names::announced(run) {
                    self.say_unreadable(&names, object).await;
                }
                Ok(())
            }
            Err(Hindrance::Refusal(reason)) => self.refuse(run, owner, reason).await,
        }
    }

    /// Does not play for a run, and says so to its learner; an error if there is no other.
    async fn refuse(&self, run: &str, owner: &str, reason: String) -> Result<(), ClusterError> {
        let is_last = {
            let mut state = self.state();
            state.refused.insert(run.to_owned(), owner.to_owned());
            state.joined.remove(run);
            let is_refused = |name: &String| state.refused.keys().any(|run| is_called(run, name));
            state.joined.is_empty() && !self.options.runs.is_empty() && self.options.runs.iter().all(is_refused)
        };
        (self.told)(&WorkerNews::Refused { run: run.to_owned(), reason: reason.clone() });
        if let Some(names) = Names::announced(run) {
            self.say(&names, WorkerState { refusal: Some(reason.clone()), ..self.introduction.clone() }).await;
        }
        if is_last { Err(ClusterError::Refused { reason: format!("{run}: {reason}") }) } else { Ok(()) }
    }

    /// Leaves runs as they end.
    async fn hear_ends(&self) {
        let Ok(mut ends) = self.client.subscribe(ENDS).await else { return };
        while let Some(message) = ends.next().await {
            let Some(run) = str::from_utf8(&message.payload).ok() else { continue };
            self.leave_run(run, "its learner has ended it for now or for good");
        }
    }

    fn leave_run(&self, run: &str, reason: &str) {
        let left = {
            let mut state = self.state();
            state.refused.remove(run);
            state.joined.remove(run)
        };
        if let Some(joined) = left {
            joined.end();
            (self.told)(&WorkerNews::Left { run: run.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Leaves runs whose learner is gone and whose tasks are, too.
    async fn leave_silent(&self) {
        let silent: Vec<Arc<Joined>> = {
            let state = self.state();
            let is_silent = |run: &String| state.heard.get(run).is_none_or(|heard| heard.elapsed() > SILENCE);
            state.joined.iter().filter(|(run, _)| is_silent(run)).map(|(_, joined)| joined.clone()).collect()
        };
        for joined in silent {
            let is_there = joined.tasks.get_info().await;
            if is_there.is_err() && self.client.connection_state() == async_nats::connection::State::Connected {
                self.leave_run(&joined.names.run, "nobody learns it any more");
            }
        }
    }

    /// Tells each run what is done for it.
    async fn say_state(&self, leaves: bool) {
        let states: Vec<(Names, WorkerState)> = {
            let state = self.state();
            let of_run = |(run, joined): (&String, &Arc<Joined>)| {
                let tasks = state.in_hand.values().filter(|task| task.run == *run);
                let playing = tasks.map(|task| task.key).collect();
                (joined.names.clone(), WorkerState { playing, leaves, ..self.introduction.clone() })
            };
            state.joined.iter().map(of_run).collect()
        };
        for (names, state) in states {
            self.say(&names, state).await;
        }
    }

    /// Tells a run's learner something about this worker.
    async fn say(&self, names: &Names, state: WorkerState) {
        let bytes = serde_json::to_vec(&state).expect("plain data");
        // What is lost is said again soon.
        let _ = self.client.publish(names.state(), bytes.into()).await;
    }

    /// Tells the learner that an object cannot be read here.
    async fn say_unreadable(&self, names: &Names, object: String) {
        self.say(names, WorkerState { unreadable: vec![object], ..self.introduction.clone() }).await;
    }

    fn is_idle_too_long(&self) -> bool {
        let Some(limit) = self.options.idle_exit else { return false };
        let mut state = self.state();
        if !state.in_hand.is_empty() {
            state.idle_since = None;
            return false;
        }
        state.idle_since.get_or_insert_with(Instant::now).elapsed() >= limit
    }

    /// Takes tasks as threads become free.
    async fn fetch(self: Arc<Self>) {
        loop {
            let (Ok(room), Ok(thread)) =
                (self.room.clone().acquire_owned().await, self.threads.clone().acquire_owned().await)
            else {
                return;
            };
            let (joined, message) = self.next_task().await;
            tokio::spawn(self.clone().do_task(joined, message, thread, room));
        }
    }

    /// The next task of any run.
    async fn next_task(&self) -> (Arc<Joined>, Message) {
        loop {
            let runs: Vec<Arc<Joined>> = self.state().joined.values().cloned().collect();
            // With several runs none may keep the others waiting.
            let patience = Duration::from_millis(if runs.len() > 1 { 200 } else { 2000 });
            for joined in &runs {
                let asked = joined.tasks.fetch().max_messages(1).expires(patience).messages();
                let next = async { asked.await.map_err(|error| error.to_string())?.next().await.transpose() };
                let wait = patience + Duration::from_secs(1);
                match tokio::time::timeout(wait, async { next.await.map_err(|error| error.to_string()) }).await {
                    Ok(Ok(Some(message))) => return (joined.clone(), message),
                    Ok(Ok(None)) | Err(_) => {}
                    Ok(Err(error)) => {
                        tracing::debug!("{}: {error}", joined.names.run);
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
            if runs.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Plays a task and brings its result.
    async fn do_task(
        self: Arc<Self>,
        joined: Arc<Joined>,
        message: Message,
        thread: OwnedSemaphorePermit,
        _room: OwnedSemaphorePermit,
    ) {
        let Ok(task) = serde_json::from_slice::<Task>(&message.payload) else {
            let _ = message.ack_with(AckKind::Term).await;
            return;
        };
        let message = Arc::new(message);
        let number = self.take_in_hand(&joined, task.key, Some(message.clone()));
        let still_playing = tokio::spawn({
            let message = message.clone();
            async move {
                loop {
                    tokio::time::sleep(STILL_PLAYING).await;
                    let _ = message.ack_with(AckKind::Progress).await;
                }
            }
        });
        let done = self.play(&joined, &task).await;
        drop(thread);
        let ack = match done {
            Ok((path, parcel)) => {
                if let Some(in_hand) = self.state().in_hand.get_mut(&number) {
                    in_hand.is_played = false;
                }
                self.bring(&joined, &path, &parcel).await;
                AckKind::Ack
            }
            Err(reason) => {
                tracing::warn!("{}, {}: {reason}", joined.names.run, task.key);
                AckKind::Nak(Some(Duration::from_secs(5)))
            }
        };
        still_playing.abort();
        let _ = message.ack_with(ack).await;
        self.state().in_hand.remove(&number);
    }

    /// The result of a task, in a file of the outbox.
    async fn play(&self, joined: &Joined, task: &Task) -> Result<(PathBuf, Parcel), String> {
        let mut attempt = 0;
        let (networks, earlier) = loop {
            match joined.gather(task).await {
                Ok(gathered) => break gathered,
                Err((object, reason)) if attempt == ATTEMPTS => return Err(format!("{object}: {reason}")),
                Err((object, reason)) => {
                    attempt += 1;
                    tracing::debug!("{object}: {reason}");
                    self.say_unreadable(&joined.names, object).await;
                }
            }
            tokio::time::sleep(Duration::from_secs(1 << attempt).mul_f64(0.5 + jitter())).await;
        };
        let (ground, key) = (joined.ground.clone(), task.key);
        let played = tokio::task::spawn_blocking(move || {
            let (bytes, cost) = play(&ground, key, &networks, &earlier)?;
            Ok::<_, String>((digest(&bytes), pack(&bytes), cost))
        });
        let (digest, packed, cost) = played.await.map_err(|error| error.to_string())??;
        let part = Part {
            worker: self.name().to_owned(),
            admission: joined.admission.clone(),
            key,
            objects: task.networks.iter().map(|network| network.object.clone()).collect(),
            digest,
            cost,
            length: 0,
            index: 0,
            count: 0,
            bytes: Vec::new(),
        };
        let parcel = Parcel { run: joined.names.run.clone(), part, packed };
        let path = self.outbox.keep(&parcel).map_err(|error| reason(&error))?;
        Ok((path, parcel))
    }

    /// Brings a result of an earlier process, if it would be believed.
    async fn bring_left_over(self: Arc<Self>, joined: Arc<Joined>, path: PathBuf, parcel: Parcel) {
        if parcel.part.admission == joined.admission {
            let part = Part { worker: self.name().to_owned(), ..parcel.part.clone() };
            let parcel = Parcel { part, ..parcel };
            let number = self.take_in_hand(&joined, parcel.part.key, None);
            if let Some(in_hand) = self.state().in_hand.get_mut(&number) {
                in_hand.is_played = false;
            }
            self.bring(&joined, &path, &parcel).await;
            self.state().in_hand.remove(&number);
        } else {
            remove(&path);
        }
    }

    /// Brings a result to the run's learner and forgets it.
    async fn bring(&self, joined: &Arc<Joined>, path: &Path, parcel: &Parcel) {
        let fate = deliver(&self.jetstream, joined, parcel).await;
        remove(path);
        let Part { key, cost: Cost { seconds, .. }, .. } = parcel.part;
        let run = joined.names.run.clone();
        if fate == Fate::Stored {
            self.stored.fetch_add(1, Ordering::Relaxed);
        }
        (self.told)(&WorkerNews::Delivered { run: run.clone(), key, seconds, fate: fate.clone() });
        if joined.is_given_up_after(&fate) {
            let reason = "the learner refuses what this machine plays; its quarantine/ says why".to_owned();
            // That there is no other run is told when it is looked for one.
            let _ = self.refuse(&run, &joined.owner, reason).await;
        }
    }

    fn take_in_hand(&self, joined: &Joined, key: TaskKey, message: Option<Arc<Message>>) -> u64 {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.idle_since = None;
        let run = joined.names.run.clone();
        state.in_hand.insert(number, InHand { run, key, is_played: true, message });
        number
    }

    /// Gives back what is not finished, and says goodbye.
    async fn leave(&self) {
        let messages: Vec<Arc<Message>> =
            self.state().in_hand.values().filter_map(|task| task.message.clone()).collect();
        for message in messages {
            let _ = message.ack_with(AckKind::Nak(None)).await;
        }
        self.say_state(true).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
    }
}

/// Whether the run is the one of the folder called `name`, or has that name in subjects.
fn is_called(run: &str, name: &str) -> bool {
    run == name || run.rsplit_once('-').is_some_and(|(folder, _)| folder == name)
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::warn!("{}: {error}", path.display());
    }
}

/// What this machine is called.
pub fn host_name() -> String {
    plain_worker(&gethostname::gethostname().to_string_lossy())
}
