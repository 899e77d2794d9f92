//! Many machines as the [`Executor`] of the run that this process learns.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use async_nats::jetstream;
use selfplay_arena::{ArenaError, GameResult, MatchReport, MatchSetting, RemoteExecutor, StopRule};
use selfplay_pipeline::run_folder::folder_name;
use selfplay_pipeline::run_match::in_two_parts;
use selfplay_pipeline::{Executor, Local, RunError, RunMatch, RunPlayers, SelfPlayWork, Training};
use selfplay_train::ENGINE_VERSION;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{GameLedger, GameRecord, PlayStats, Played, ShardHeader};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::connection::{ConnectionOptions, connect, jitter};
use crate::coordinator::{Coordinator, Failure, ObjectSource, OpenGeneration};
use crate::error::{ClusterError, ObjectError};
use crate::ingest::ingest;
use crate::jetstream_client::{JetStreamClient, StreamState};
use crate::names::{ENDS, Names};
use crate::probe::{admission, cpu_kind, probe};
use crate::reconcile::{answer, bytes_of, put_missing, reconcile, remove_objects};
use crate::wire::{Announcement, NetworkName, PROTOCOL, Probe, Task, TaskKey};
use crate::worker::{OnNews, Worker, WorkerNews, WorkerOptions, host_name};

/// How long another learner may take to say that it is there.
const OTHERS: Duration = Duration::from_secs(2);
/// Polling interval while waiting for games.
const MOMENT: Duration = Duration::from_millis(200);
/// How long the server may not take tasks before that is said.
const SERVER_TIMEOUT: Duration = Duration::from_secs(20);
/// Chunks of a match that are asked for at once: for each thread that plays, and at most.
const CHUNKS_PER_THREAD: usize = 2;
const MAX_CHUNKS: usize = 64;

/// How a run is shared with other machines.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Where the server is, and who asks.
    pub link: ConnectionOptions,
    /// Whether this process plays, too, on its machine's threads.
    pub plays: bool,
    /// Maximum size of the results that the server keeps (bytes). Workers wait when there is no room.
    pub results_bytes: u64,
}

/// The machines that play for the run of this process.
pub struct Cluster {
    runtime: Runtime,
    client: JetStreamClient,
    coordinator: Arc<Coordinator>,
    probe: String,
    /// The tasks of the runtime that serve the run.
    services: Vec<JoinHandle<()>>,
    own_worker: Option<OwnWorker>,
}

/// The worker of this process.
struct OwnWorker {
    stop: watch::Sender<bool>,
    working: JoinHandle<()>,
}

impl Cluster {
    /// Opens the run of `training` to other machines; its first network must be there.
    ///
    /// # Errors
    /// If the server cannot be used, another process learns the run, or a file cannot be read or written.
    pub fn start(options: ClusterOptions, training: &Training<'_>) -> Result<Self, ClusterError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(ClusterError::io(Path::new("threads")))?;
        // Contexts of JetStream start tasks of their own.
        let handle = runtime.handle().clone();
        let _entered = handle.enter();
        let client = runtime.block_on(connect_run(&options, training))?;
        // Before the run is on the server: an error leaves nothing there.
        let worker = options.plays.then(|| own_worker(&client, training)).transpose()?;
        let coordinator = Arc::new(Coordinator::new(training.game, training.config.clone(), training.run.path()));
        let announcement = announce(&runtime, &options, &client, &coordinator, training)?;
        let probe = announcement.probe.network.object.clone();
        let name = worker.as_ref().map(|worker| worker.name().to_owned());
        let services = vec![
            runtime.spawn(answer(client.clone(), coordinator.clone(), announcement)),
            runtime.spawn(ingest(client.clone(), coordinator.clone(), name)),
            runtime.spawn(reconcile(client.clone(), coordinator.clone(), probe.clone())),
        ];
        let own_worker = worker.map(|worker| OwnWorker::spawn(&runtime, worker));
        Ok(Cluster { runtime, client, coordinator, probe, services, own_worker })
    }

    /// The network of `generation`: its name on the server, and what it is made of.
    fn network(&self, players: &RunPlayers<'_>, generation: u32) -> Result<(NetworkName, ObjectSource), RunError> {
        let folder =
            players.folder(generation).ok_or_else(|| failed_because("the networks of this run are nowhere"))?;
        let source = ObjectSource::Checkpoint(folder);
        let bytes = bytes_of(&source).map_err(failed_because)?;
        Ok((NetworkName { generation, object: self.client.names.object("network", generation, &bytes) }, source))
    }

    /// Puts objects on the server that tasks will take.
    fn put(&self, objects: impl IntoIterator<Item = (String, ObjectSource)>) -> Result<(), RunError> {
        for (name, source) in objects {
            self.coordinator.keep_object(&name, source);
        }
        self.have_done(put_missing(&self.client, &self.coordinator, &self.probe))
    }

    /// Publishes tasks.
    fn publish(&self, tasks: &[Task]) -> Result<(), RunError> {
        self.have_done(self.client.publish(tasks))
    }

    /// Waits for a server operation and logs its failure. The run's services retry later what fails now.
    fn have_done(&self, work: impl Future<Output = Result<(), impl Display>>) -> Result<(), RunError> {
        match self.runtime.block_on(async { tokio::time::timeout(SERVER_TIMEOUT, work).await }) {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => tracing::warn!("the server does not do what it should now: {problem}"),
            Err(_) => tracing::warn!("the server does not answer"),
        }
        self.coordinator.failure().map_or(Ok(()), |failure| Err(failed(failure)))
    }

    fn begin(&self, work: SelfPlayWork<'_>) -> Result<(), RunError> {
        let SelfPlayWork { game, run, config, machine, generation, network, earlier, .. } = work;
        let ledger = GameLedger::open(&run.shard(generation), game, config.seed, generation, &config.selfplay)?;
        let (name, source) = self.network(&RunPlayers::for_run(game, run, config, machine, None), network)?;
        let mut objects = vec![(name.object.clone(), source)];
        let mut restarts = None;
        if config.selfplay.starts.go_exploit_prob > 0.0 && !earlier.is_empty() {
            let games: Vec<GameRecord> = earlier.iter().map(|&game| game.clone()).collect();
            let bytes = shard_bytes(&ShardHeader::new(game, config.seed, generation - 1), &games);
            let object = self.client.names.object("games", generation - 1, &bytes);
            objects.push((object.clone(), ObjectSource::Bytes(Arc::new(bytes))));
            restarts = Some(object);
        }
        let tasks = self.coordinator.open_generation(generation, ledger, &[name], restarts);
        if tasks.is_empty() {
            return Ok(());
        }
        self.put(objects)?;
        self.publish(&tasks)
    }

    /// Plays matches that any machine can play.
    fn play_portable(
        &self,
        players: &RunPlayers<'_>,
        matches: &[RunMatch],
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<MatchReport>, RunError> {
        let mut chunks = Chunks { cluster: self, matches: Vec::new() };
        for which in matches {
            let networks = which.networks().map(|generation| self.network(players, generation));
            let networks = networks.collect::<Result<Vec<(NetworkName, ObjectSource)>, RunError>>()?;
            self.put(networks.iter().map(|(name, source)| (name.object.clone(), source.clone())))?;
            chunks.matches.push((*which, networks.into_iter().map(|(name, _)| name).collect()));
        }
        let setting = MatchSetting { stop, remote: Some(&chunks), ..MatchSetting::default() };
        let reports = players.play(matches, &setting, on_game)?;
        for &which in matches {
            self.runtime.block_on(self.client.purge(&TaskKey::match_token(which)));
        }
        Ok(reports)
    }
}

impl Executor for Cluster {
    fn play_games(&self, work: SelfPlayWork<'_>, on_game: &(dyn Fn(usize) + Sync)) -> Result<Played, RunError> {
        let generation = work.generation;
        if !self.coordinator.is_open(generation) {
            self.begin(work)?;
        }
        let open = loop {
            let (stored, open) = self.coordinator.wait_for(generation, MOMENT).map_err(failed)?;
            stored.into_iter().for_each(on_game);
            if let Some(open) = open {
                break open;
            }
        };
        self.runtime.block_on(self.client.purge(&TaskKey::games_token(generation)));
        let OpenGeneration { ledger, new_simulations, cache, cpu_seconds_elsewhere, .. } = open;
        let stats = PlayStats { cache, ..PlayStats::default() };
        Ok(Played { records: ledger.finish()?, new_simulations, stats, cpu_seconds_elsewhere })
    }

    fn begin_games(&self, work: SelfPlayWork<'_>) -> Result<(), RunError> {
        if self.coordinator.is_open(work.generation) { Ok(()) } else { self.begin(work) }
    }

    fn play_matches(
        &self,
        players: &RunPlayers<'_>,
        matches: &[RunMatch],
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<MatchReport>, RunError> {
        in_two_parts(
            matches,
            |which| which.is_portable(players.config()),
            |matches| self.play_portable(players, matches, stop, on_game),
            |matches| Local.play_matches(players, matches, stop, on_game),
        )
    }
}

/// Connects to the server as the learner of the run.
async fn connect_run(options: &ClusterOptions, training: &Training<'_>) -> Result<JetStreamClient, ClusterError> {
    let names = Names::new(&folder_name(training.run.path()), &training.config);
    let nats = connect(&options.link, &format!("selfplay learner of {}", names.run), Some(SERVER_TIMEOUT)).await?;
    let (host, process) = (host_name(), std::process::id());
    let client = JetStreamClient {
        jetstream: jetstream::new(nats.clone()),
        nats,
        names,
        owner: format!("{host}, process {process}, {:08x}", (jitter() * f64::from(u32::MAX)) as u32),
        results_bytes: options.results_bytes.min(i64::MAX as u64) as i64,
        putting: Arc::default(),
    };
    client.check(&options.link.url).await?;
    let asked = client.nats.request(client.names.learner(), "".into());
    match tokio::time::timeout(OTHERS, asked).await {
        Ok(Ok(answer)) => {
            Err(ClusterError::OtherLearner { other: String::from_utf8_lossy(&answer.payload).into_owned() })
        }
        _ => Ok(client),
    }
}

/// Plays the probe, takes the run over on the server and puts the first network there. Returns the message to workers.
fn announce(
    runtime: &Runtime,
    options: &ClusterOptions,
    client: &JetStreamClient,
    coordinator: &Coordinator,
    training: &Training<'_>,
) -> Result<Announcement, ClusterError> {
    let Training { run, config, machine, game, .. } = training;
    let server = |error: ObjectError| ClusterError::Server { url: options.link.url.clone(), reason: error.to_string() };
    let source = ObjectSource::Checkpoint(run.network(0));
    let bytes = bytes_of(&source).map_err(|error| server(error.into()))?;
    let object = client.names.object("network", 0, &bytes);
    let network = RunPlayers::for_run(*game, run, config, *machine, None).network(0);
    let network = network.map_err(|error| ClusterError::Run { reason: error.to_string() })?;
    let digest = probe(*game, config, &*network);
    let announcement = Announcement {
        protocol: PROTOCOL,
        run: client.names.run.clone(),
        owner: client.owner.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        game: game.id().into(),
        encoding_version: game.shape().encoding_version,
        engine_version: ENGINE_VERSION,
        config: config.to_toml(),
        cpu: cpu_kind(),
        probe: Probe { network: NetworkName { generation: 0, object: object.clone() }, digest: digest.clone() },
    };
    coordinator.admit(admission(&announcement, &digest, config.selfplay.mixed_machines));
    coordinator.keep_object(&object, source);
    let prepared = async {
        client.take_over().await?;
        put_missing(client, coordinator, &object).await
    };
    runtime.block_on(prepared).map_err(server)?;
    Ok(announcement)
}

/// A worker of this process, which plays for this run alone.
fn own_worker(client: &JetStreamClient, training: &Training<'_>) -> Result<Arc<Worker>, ClusterError> {
    let on_news: OnNews = Arc::new(|news: &WorkerNews| {
        if let WorkerNews::Refused { .. } = news {
            tracing::warn!("this machine does not play: {news}");
        }
    });
    let options = WorkerOptions {
        name: format!("{}-learner", host_name()),
        threads: training.machine.threads,
        runs: vec![client.names.run.clone()],
        idle_exit: None,
        outbox: training.run.path().join("outbox"),
    };
    Worker::new(client.nats.clone(), options, training.games.clone(), on_news)
}

impl OwnWorker {
    fn spawn(runtime: &Runtime, worker: Arc<Worker>) -> Self {
        let (stop, stopped) = watch::channel(false);
        let working = runtime.spawn(async move {
            if let Err(error) = worker.work(stopped).await {
                tracing::warn!("this machine plays no more: {error}");
            }
        });
        OwnWorker { stop, working }
    }
}

/// Matches whose chunks are tasks.
struct Chunks<'a> {
    cluster: &'a Cluster,
    /// Each match, and the networks that play it.
    matches: Vec<(RunMatch, Vec<NetworkName>)>,
}

impl RemoteExecutor for Chunks<'_> {
    fn at_once(&self) -> usize {
        (CHUNKS_PER_THREAD * self.cluster.coordinator.threads()).clamp(CHUNKS_PER_THREAD, MAX_CHUNKS)
    }

    fn play(
        &self,
        fixture: usize,
        pairs: Range<usize>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<GameResult>>, ArenaError> {
        let Chunks { cluster, matches } = self;
        let (which, networks) = &matches[fixture];
        let elsewhere = |reason: String| ArenaError::Remote { reason };
        let key = TaskKey::Pairs { of: *which, first: pairs.start, count: pairs.len() };
        let task = Task { key, networks: networks.clone(), earlier: None };
        let games = cluster.coordinator.open_pairs(&task);
        cluster.publish(&[task]).map_err(|error| elsewhere(error.to_string()))?;
        loop {
            match games.recv_timeout(MOMENT) {
                Ok(games) => return Ok(Some(games)),
                Err(RecvTimeoutError::Timeout) if is_cancelled() => {
                    cluster.coordinator.close(&key);
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(elsewhere(format!("{key} was given up"))),
            }
            if let Some(failure) = cluster.coordinator.failure() {
                return Err(elsewhere(failure.reason));
            }
        }
    }
}

fn failed_because(reason: impl ToString) -> RunError {
    RunError::Executor { reason: reason.to_string(), source: None }
}

fn failed(Failure { reason, source }: Failure) -> RunError {
    RunError::Executor { reason, source }
}

impl Drop for Cluster {
    /// Tells the workers that they are not needed any more, and removes what is on the server: all that counts is on the disk.
    fn drop(&mut self) {
        for service in &self.services {
            service.abort();
        }
        let (client, own) = (self.client.clone(), self.own_worker.take());
        let ended = async {
            if let Some(OwnWorker { stop, working }) = own {
                let _ = stop.send(true);
                let _ = tokio::time::timeout(OTHERS, working).await;
            }
            match client.ensure().await {
                Ok(StreamState::TakenOver) => {}
                _ => {
                    client.remove().await;
                    remove_objects(&client).await;
                    let _ = client.nats.publish(ENDS, client.names.run.clone().into()).await;
                    let _ = client.nats.flush().await;
                }
            }
        };
        let ended = self.runtime.block_on(async { tokio::time::timeout(SERVER_TIMEOUT, ended).await });
        if ended.is_err() {
            tracing::warn!(
                "the server does not answer: what is left on it of {} can be deleted",
                self.client.names.run
            );
        }
        self.coordinator.clear_workers();
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("run", &self.client.names.run).finish_non_exhaustive()
    }
}
