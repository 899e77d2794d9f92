//! A run that a worker plays for: whether it may, and what it takes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt;
use selfplay_mcts::EvaluationCache;
use selfplay_pipeline::RunConfig;
use selfplay_registry::Games;
use selfplay_train::ENGINE_VERSION;
use selfplay_train::shard::from_shard_bytes;
use selfplay_train::{GameRecord, ShardHeader};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::error::{GameVersions, Incompatible, ObjectError, RejectReason, ServerError, UnreadableObject};
use crate::judge::max_game_bytes;
use crate::names::{Names, WORKERS};
use crate::networks::{OpenNetworks, fetch, store};
use crate::playing::{Networks, RunContext};
use crate::probe::{admission, cpu_kind, probe};
use crate::wire::{Announcement, NetworkName, PROTOCOL, Receipt, ResultStatus, Task, TaskKey};

/// Results in a row that a run may reject before its worker gives up.
const MAX_REFUSALS: u32 = 3;

/// Senders to the tasks that wait for the receipts of results, by their tasks and hashes.
type Waiting = Arc<Mutex<HashMap<(TaskKey, String), oneshot::Sender<ResultStatus>>>>;

/// A run that a worker plays for.
pub struct Joined {
    /// Its names.
    pub names: Names,
    /// Whose it was when it was joined.
    pub owner: String,
    /// What every result must carry.
    pub admission: String,
    /// What is played.
    pub context: Arc<RunContext>,
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

impl Joined {
    /// Joins the run of `announcement` as `worker`, if this program may play for it.
    pub async fn join(
        jetstream: &Context,
        announcement: &Announcement,
        worker: &str,
        games: &Games,
    ) -> Result<Self, RejectReason> {
        let context = Arc::new(run_context(announcement, games)?);
        let names = Names::announced(&announcement.run);
        let names = names.ok_or(Incompatible::Name)?;
        let store = store(jetstream, false).await.map_err(ObjectError::from)?;
        let networks = OpenNetworks::default();
        let NetworkName { object, .. } = &announcement.probe.network;
        let network = networks.open(&store, object, context.game, &context.config).await;
        let network = network.map_err(|source| UnreadableObject { object: object.clone(), source })?;
        let there = context.clone();
        let found = tokio::task::spawn_blocking(move || probe(there.game, &there.config, &*network));
        let found = found.await.map_err(ObjectError::from)?;
        let is_mixed = context.config.selfplay.mixed_machines;
        if !is_mixed && found != announcement.probe.digest {
            let learner = announcement.cpu.clone();
            return Err(Incompatible::Numerics { learner, worker: cpu_kind() }.into());
        }
        let tasks = jetstream.get_consumer_from_stream(WORKERS, names.tasks_stream()).await;
        let tasks = tasks.map_err(|error| ObjectError::from(ServerError::request(error)))?;
        let receipts = jetstream.client().subscribe(names.receipt(worker)).await;
        let mut receipts = receipts.map_err(|error| ObjectError::from(ServerError::request(error)))?;
        let waiting = Waiting::default();
        let told = waiting.clone();
        let listener = tokio::spawn(async move {
            while let Some(message) = receipts.next().await {
                let Ok(Receipt { key, digest, status }) = serde_json::from_slice(&message.payload) else { continue };
                if let Some(waits) = told.lock().unwrap_or_else(PoisonError::into_inner).remove(&(key, digest)) {
                    let _ = waits.send(status);
                }
            }
        });
        Ok(Joined {
            names,
            owner: announcement.owner.clone(),
            admission: admission(announcement, &found, is_mixed),
            context,
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
    /// The first object that cannot be read.
    pub async fn gather(&self, task: &Task) -> Result<(Networks, Arc<Vec<GameRecord>>), UnreadableObject> {
        let mut networks = Networks::new();
        for NetworkName { generation, object } in &task.networks {
            let RunContext { game, config, .. } = &*self.context;
            let network = self.networks.open(&self.store, object, *game, config).await;
            networks
                .insert(*generation, network.map_err(|source| UnreadableObject { object: object.clone(), source })?);
        }
        let Some(object) = &task.earlier else { return Ok((networks, Arc::default())) };
        let mut known = self.earlier.lock().await;
        if let Some((_, games)) = known.as_ref().filter(|(name, _)| name == object) {
            return Ok((networks, games.clone()));
        }
        let unreadable = |source| UnreadableObject { object: object.clone(), source };
        let bytes = fetch(&self.store, object).await.map_err(unreadable)?;
        let RunContext { game, config, .. } = &*self.context;
        let games_at_most = config.selfplay.games_per_generation as usize;
        let (_, games) = from_shard_bytes(&bytes, games_at_most, max_game_bytes(*game, config))
            .ok_or_else(|| unreadable(ObjectError::NotGames))?;
        let games = Arc::new(games);
        *known = Some((object.clone(), games.clone()));
        Ok((networks, games))
    }

    /// Waits for the receipt of a result; asked for before the result is sent.
    pub fn receipt(&self, key: TaskKey, digest: &str) -> oneshot::Receiver<ResultStatus> {
        let (tell, told) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert((key, digest.to_owned()), tell);
        told
    }

    /// Marks the run as over: its results are no longer needed.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether [`end`](Self::end) was called.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Counts what becomes of results; whether so many were rejected that there is no sense in going on.
    pub fn is_given_up_after(&self, status: &ResultStatus) -> bool {
        match status {
            ResultStatus::Refused { .. } => self.refused_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_REFUSALS,
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
fn run_context(announcement: &Announcement, games: &Games) -> Result<RunContext, Incompatible> {
    let Announcement { protocol, version, game, encoding_version, engine_version, config, .. } = announcement;
    if (*protocol, version.as_str()) != (PROTOCOL, env!("CARGO_PKG_VERSION")) {
        return Err(Incompatible::Program { version: version.clone(), protocol: *protocol });
    }
    let found = games.find(game)?;
    let learner = GameVersions { encoding: *encoding_version, engine: *engine_version };
    let worker = GameVersions { encoding: found.shape().encoding_version, engine: ENGINE_VERSION };
    if learner != worker {
        return Err(Incompatible::Versions { game: game.clone(), learner, worker });
    }
    let config = RunConfig::parse(config, games)?;
    // Whatever the config says, the header of its games must be one that both write.
    debug_assert_eq!(ShardHeader::new(found, config.seed, 1).encoding_version, *encoding_version);
    let cache = EvaluationCache::new(config.selfplay.cache_mib);
    Ok(RunContext { game: found, config, cache })
}
