//! A run that a worker plays for: whether it may, and what it takes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt;
use selfplay_pipeline::RunConfig;
use selfplay_registry::Games;
use selfplay_train::record::ENGINE_VERSION;
use selfplay_train::shard::from_shard_bytes;
use selfplay_train::{GameRecord, ShardHeader};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::error::reason;
use crate::names::{Names, WORKERS};
use crate::networks::{OpenNetworks, fetch, store};
use crate::playing::{Ground, Networks};
use crate::probe::{admission, cpu_kind, probe_alone};
use crate::wire::{Announcement, Fate, NetworkName, PROTOCOL, Receipt, Task, TaskKey};

/// Results in a row that a run may refuse before its worker gives up.
const MOST_REFUSALS: u32 = 3;

/// Whoever waits for the receipts of results, by their tasks and hashes.
type Waiting = Arc<Mutex<HashMap<(TaskKey, String), oneshot::Sender<Fate>>>>;

/// A run that a worker plays for.
pub struct Joined {
    /// Its names.
    pub names: Names,
    /// Whose it was when it was joined.
    pub owner: String,
    /// What every result must carry.
    pub admission: String,
    /// What is played.
    pub ground: Arc<Ground>,
    /// Where tasks come from.
    pub tasks: Consumer<pull::Config>,
    store: ObjectStore,
    networks: OpenNetworks,
    earlier: tokio::sync::Mutex<Option<(String, Arc<Vec<GameRecord>>)>>,
    waiting: Waiting,
    refused_in_a_row: AtomicU32,
    is_over: AtomicBool,
    listener: JoinHandle<()>,
}

/// Why a run is not joined.
pub enum Hindrance {
    /// It never will be: the sentence is for both sides.
    Refusal(String),
    /// Something is missing that may come.
    NotYet(String),
    /// The network of the probe cannot be read.
    Unreadable {
        /// The network.
        object: String,
        /// Why.
        reason: String,
    },
}

impl Joined {
    /// Joins the run of `announcement` as `worker`, if this program may play for it.
    pub async fn join(
        jetstream: &Context,
        announcement: &Announcement,
        worker: &str,
        games: &Games,
    ) -> Result<Self, Hindrance> {
        let ground = Arc::new(ground(announcement, games).map_err(Hindrance::Refusal)?);
        let names = Names::announced(&announcement.run);
        let names = names.ok_or_else(|| Hindrance::Refusal("its name cannot be one".into()))?;
        let not_yet = Hindrance::NotYet;
        let store = store(jetstream, false).await.map_err(not_yet)?;
        let networks = OpenNetworks::default();
        let NetworkName { object, .. } = &announcement.probe.network;
        let network = networks.open(&store, object, ground.game, &ground.config).await;
        let network = network.map_err(|reason| Hindrance::Unreadable { object: object.clone(), reason })?;
        let there = ground.clone();
        let found = tokio::task::spawn_blocking(move || probe_alone(there.game, &there.config, &*network));
        let found = found.await.map_err(|error| not_yet(error.to_string()))?;
        let is_mixed = ground.config.selfplay.mixed_machines;
        if !is_mixed && found != announcement.probe.digest {
            return Err(Hindrance::Refusal(format!(
                "it computes otherwise: the learner has {}, this machine {}; selfplay.mixed_machines = true in the run's \
                 config allows that, and gives up that the run is the same bit for bit",
                announcement.cpu,
                cpu_kind(),
            )));
        }
        let tasks = jetstream.get_consumer_from_stream(WORKERS, names.tasks_stream()).await;
        let tasks = tasks.map_err(|error| not_yet(reason(&error)))?;
        let receipts = jetstream.client().subscribe(names.receipt(worker)).await;
        let mut receipts = receipts.map_err(|error| not_yet(reason(&error)))?;
        let waiting = Waiting::default();
        let told = waiting.clone();
        let listener = tokio::spawn(async move {
            while let Some(message) = receipts.next().await {
                let Ok(Receipt { key, digest, fate }) = serde_json::from_slice(&message.payload) else { continue };
                if let Some(waits) = told.lock().unwrap_or_else(PoisonError::into_inner).remove(&(key, digest)) {
                    let _ = waits.send(fate);
                }
            }
        });
        Ok(Joined {
            names,
            owner: announcement.owner.clone(),
            admission: admission(announcement, &found, is_mixed),
            ground,
            tasks,
            store,
            networks,
            earlier: tokio::sync::Mutex::default(),
            waiting,
            refused_in_a_row: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
            listener,
        })
    }

    /// What a task takes: its networks, and the games of the generation before.
    ///
    /// # Errors
    /// The object that cannot be read, and why.
    pub async fn gather(&self, task: &Task) -> Result<(Networks, Arc<Vec<GameRecord>>), (String, String)> {
        let mut networks = Networks::new();
        for NetworkName { generation, object } in &task.networks {
            let Ground { game, config } = &*self.ground;
            let network = self.networks.open(&self.store, object, *game, config).await;
            networks.insert(*generation, network.map_err(|reason| (object.clone(), reason))?);
        }
        let Some(object) = &task.earlier else { return Ok((networks, Arc::default())) };
        let mut known = self.earlier.lock().await;
        if let Some((_, games)) = known.as_ref().filter(|(name, _)| name == object) {
            return Ok((networks, games.clone()));
        }
        let bytes = fetch(&self.store, object).await.map_err(|reason| (object.clone(), reason))?;
        let damaged = || (object.clone(), "these are no games".to_owned());
        let (_, games) = from_shard_bytes(&bytes).ok_or_else(damaged)?;
        let games = Arc::new(games);
        *known = Some((object.clone(), games.clone()));
        Ok((networks, games))
    }

    /// Waits for the receipt of a result; asked for before the result is sent.
    pub fn receipt(&self, key: TaskKey, digest: &str) -> oneshot::Receiver<Fate> {
        let (tell, told) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert((key, digest.to_owned()), tell);
        told
    }

    /// Nobody waits for its results any more.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether [`end`](Self::end) was called.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Counts what becomes of results; whether so many were refused that there is no sense in going on.
    pub fn is_given_up_after(&self, fate: &Fate) -> bool {
        match fate {
            Fate::Refused { .. } => self.refused_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_REFUSALS,
            _ => {
                self.refused_in_a_row.store(0, Ordering::Relaxed);
                false
            }
        }
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// The run's game and config, if this program can play them as the learner would.
fn ground(announcement: &Announcement, games: &Games) -> Result<Ground, String> {
    let Announcement { protocol, version, game, encoding_version, engine_version, config, .. } = announcement;
    let mine = env!("CARGO_PKG_VERSION");
    if (*protocol, version.as_str()) != (PROTOCOL, mine) {
        return Err(format!(
            "the learner is selfplay {version} (protocol {protocol}), this worker selfplay {mine} (protocol {PROTOCOL}); \
             give both the same program"
        ));
    }
    let found = games.find(game).map_err(|error| format!("this program does not have the run's game: {error}"))?;
    let here = (found.shape().encoding_version, ENGINE_VERSION);
    if (*encoding_version, *engine_version) != here {
        return Err(format!(
            "the learner's {game} has encoding {encoding_version} and self-play {engine_version}, this worker's {} and {}; \
             give both the same program",
            here.0, here.1,
        ));
    }
    let config = RunConfig::parse(config, games).map_err(|error| format!("its config cannot be read here: {error}"))?;
    // Whatever the config says, the header of its games must be one that both write.
    debug_assert_eq!(ShardHeader::new(found, config.seed, 1).encoding_version, *encoding_version);
    Ok(Ground { game: found, config })
}
