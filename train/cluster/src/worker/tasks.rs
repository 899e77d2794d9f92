//! What a worker does with a task: it takes one while its threads have room, plays it and brings the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use selfplay_train::{GameCost, GameRecord};
use tokio::sync::oneshot;

use super::delivery::deliver;
use super::joined::Joined;
use super::scheduler::Room;
use super::{InHand, Worker, WorkerNews};
use crate::connection::jitter;
use crate::error::{ServerError, TaskError};
use crate::outbox::Payload;
use crate::packing::{MAX_PACKED, digest, pack};
use crate::playing::{Networks, TaskGames, games_result, play_pairs};
use crate::wire::{Cost, Part, ResultStatus, Task, TaskKey};

/// How often the server is notified that a task is still played; it gives the task to another after thrice that.
const STILL_PLAYING: Duration = Duration::from_secs(10);
/// Results that may wait for their receipts, for each thread: then nothing more is taken.
const WAITING_PER_THREAD: usize = 4;
/// A breath before something is tried again.
const PAUSE: Duration = Duration::from_millis(200);
/// Attempts to come by a task's networks before it is given back.
const ATTEMPTS: u32 = 4;

impl Worker {
    /// Takes tasks while the threads have room for more.
    pub(super) async fn fetch(self: Arc<Self>) {
        loop {
            let room = self.scheduler.room().await;
            while self.status().waiting >= WAITING_PER_THREAD * self.options.threads {
                tokio::time::sleep(PAUSE).await;
            }
            let (joined, message) = self.next_task().await;
            tokio::spawn(self.clone().do_task(joined, message, room));
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
                let next = async {
                    asked.await.map_err(ServerError::request)?.next().await.transpose().map_err(ServerError::request)
                };
                let wait = patience + Duration::from_secs(1);
                match tokio::time::timeout(wait, next).await {
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
    async fn do_task(self: Arc<Self>, joined: Arc<Joined>, message: Message, room: Room) {
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
        let done = self.play(&joined, &task, room).await;
        let ack = match done {
            Ok((path, payload)) => {
                if let Some(in_hand) = self.state().in_hand.get_mut(&number) {
                    in_hand.is_played = false;
                }
                self.bring(&joined, &path, &payload).await;
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
    async fn play(&self, joined: &Joined, task: &Task, room: Room) -> Result<(PathBuf, Payload), TaskError> {
        let mut attempt = 0;
        let (networks, earlier) = loop {
            match joined.gather(task).await {
                Ok(gathered) => break gathered,
                Err(unreadable) if attempt == ATTEMPTS => return Err(unreadable.into()),
                Err(unreadable) => {
                    attempt += 1;
                    tracing::debug!("{unreadable}");
                    self.say_unreadable(&joined.names, unreadable.object).await;
                }
            }
            tokio::time::sleep(Duration::from_secs(1 << attempt).mul_f64(0.5 + jitter())).await;
        };
        let key = task.key;
        let (bytes, cost) = self.play_task(joined, key, networks, earlier, room).await?;
        let packing = tokio::task::spawn_blocking(move || (digest(&bytes), pack(&bytes)));
        let (digest, packed) = packing.await?;
        if packed.len() > MAX_PACKED {
            return Err(TaskError::TooLarge { found_mib: packed.len() >> 20, most_mib: MAX_PACKED >> 20 });
        }
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
        let payload = Payload { run: joined.names.run.clone(), part, packed };
        let path = self.outbox.keep(&payload)?;
        Ok((path, payload))
    }

    /// Has the threads play a task, of which there is `room` for until they have it. Returns the result and what it cost.
    async fn play_task(
        &self,
        joined: &Joined,
        key: TaskKey,
        networks: Networks,
        earlier: Arc<Vec<GameRecord>>,
        room: Room,
    ) -> Result<(Vec<u8>, Cost), TaskError> {
        let (started, context) = (Instant::now(), joined.context.clone());
        let (bytes, GameCost { cpu_time, cache }) = match key {
            TaskKey::GameRange { generation, first, count } => {
                let numbers = first..first.saturating_add(count);
                let games = TaskGames::new(context.clone(), generation, &numbers, &networks, earlier)?;
                let played = self.scheduler.play(games, numbers);
                drop(room);
                let (games, cost) = played.await.map_err(|_| TaskError::Failed)?;
                (games_result(&context, generation, &games), cost)
            }
            TaskKey::Pairs { of, first, count } => {
                let (done, played) = oneshot::channel();
                self.scheduler.run(move || {
                    // The receiver is gone if the worker leaves.
                    let _ = done.send(play_pairs(&context, of, first..first.saturating_add(count), &networks));
                });
                drop(room);
                let (bytes, cpu_time) = played.await.map_err(|_| TaskError::Failed)??;
                (bytes, GameCost { cpu_time, ..GameCost::default() })
            }
        };
        let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_time.as_secs_f64());
        Ok((bytes, Cost { seconds, cpu_seconds, lookups: cache.lookups, hits: cache.hits }))
    }

    /// Brings a result of an earlier process, if it would be believed.
    pub(super) async fn bring_left_over(self: Arc<Self>, joined: Arc<Joined>, path: PathBuf, payload: Payload) {
        if payload.part.admission == joined.admission {
            let part = Part { worker: self.name().to_owned(), ..payload.part.clone() };
            let payload = Payload { part, ..payload };
            let number = self.take_in_hand(&joined, payload.part.key, None);
            if let Some(in_hand) = self.state().in_hand.get_mut(&number) {
                in_hand.is_played = false;
            }
            self.bring(&joined, &path, &payload).await;
            self.state().in_hand.remove(&number);
        } else {
            remove(&path);
        }
    }

    /// Brings a result to the run's learner and forgets it.
    async fn bring(&self, joined: &Arc<Joined>, path: &Path, payload: &Payload) {
        let mut joined = joined.clone();
        let status = loop {
            let status = deliver(&self.jetstream, &joined, payload).await;
            // The learner may have been started again meanwhile, and wants what it asked for before.
            let present = self.state().joined.get(&joined.names.run).cloned();
            match present {
                Some(present) if joined.is_over() && present.admission == payload.part.admission => joined = present,
                _ => break status,
            }
        };
        remove(path);
        let Part { key, cost: Cost { seconds, .. }, .. } = payload.part;
        let run = joined.names.run.clone();
        if status == ResultStatus::Stored {
            self.stored.fetch_add(1, Ordering::Relaxed);
        }
        (self.on_news)(&WorkerNews::Delivered { run: run.clone(), key, seconds, status: status.clone() });
        if joined.is_given_up_after(&status) {
            let reason = "the learner refuses what this machine plays; its quarantine/ says why".to_owned();
            // The lack of another run is reported when the worker looks for one.
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
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::warn!("{}: {error}", path.display());
    }
}
