//! A worker: joins the runs that it finds, plays their tasks, brings the results, and leaves at any moment.

pub mod news;

mod joined;

mod delivery;

mod runs;
mod scheduler;
mod tasks;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::{self, AckKind, Context, Message};
use selfplay_registry::Games;
use tokio::sync::watch;

use self::joined::Joined;
pub use self::news::WorkerNews;
use self::scheduler::Scheduler;
use crate::connection::jitter;
use crate::error::ClusterError;
use crate::names::{Names, plain_worker};
use crate::outbox::{Outbox, Payload};
use crate::probe::cpu_kind;
use crate::wire::{TaskKey, WorkerState};

/// How often it is asked which runs there are: while there is none to play for, and else.
const LOOK_AROUND: Duration = Duration::from_secs(1);
const LOOK_AROUND_PLAYING: Duration = Duration::from_secs(10);
/// How often a worker says what it does.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name; another worker of the same name on this machine gets a number.
    pub name: String,
    /// Threads that play.
    pub threads: usize,
    /// The runs that it plays for, by the names of their folders; empty for all.
    pub runs: Vec<String>,
    /// How long it waits for something to do before it ends; `None` for ever.
    pub idle_exit: Option<Duration>,
    /// Where its results wait for their receipts.
    pub outbox: PathBuf,
}

/// A worker's current status, for display.
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

/// Called with what a worker does, from any thread.
pub type OnNews = Arc<dyn Fn(&WorkerNews) + Send + Sync>;

/// A worker at work.
pub struct Worker {
    options: WorkerOptions,
    games: Games,
    client: Client,
    jetstream: Context,
    on_news: OnNews,
    outbox: Outbox,
    /// What it says of itself whatever it does.
    introduction: WorkerState,
    scheduler: Arc<Scheduler>,
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
    left_over: Vec<(PathBuf, Payload)>,
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
    /// A worker that is connected as `client`; `on_news` hears what it does.
    ///
    /// # Errors
    /// If its outbox cannot be used, or a thread cannot be started.
    pub fn new(
        client: Client,
        options: WorkerOptions,
        games: Games,
        on_news: OnNews,
    ) -> Result<Arc<Self>, ClusterError> {
        let (outbox, left_over) = Outbox::open(&options.outbox, &options.name)?;
        let state = State { left_over, ..State::default() };
        let (worker, threads) = (outbox.name().to_owned(), options.threads);
        let introduction = WorkerState { worker, threads, cpu: cpu_kind(), ..WorkerState::default() };
        Ok(Arc::new(Worker {
            scheduler: Scheduler::start(options.threads).map_err(ClusterError::Threads)?,
            jetstream: jetstream::new(client.clone()),
            client,
            options,
            games,
            on_news,
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
    /// If all runs that it is to play for reject it.
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
        self.scheduler.end();
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

/// What this machine is called.
pub fn host_name() -> String {
    plain_worker(&gethostname::gethostname().to_string_lossy())
}
