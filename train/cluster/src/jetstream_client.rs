//! The streams of a run on the server: its learner creates, fills, purges and removes them, and recreates those that are gone.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};

use crate::error::{ClusterError, ServerError, reason};
use crate::names::{LEARNER, Names, WORKERS};
use crate::wire::Task;

/// The server's version from which it answers as its client expects.
const MIN_VERSION: (i64, i64) = (2, 10);
/// After so long without a sign the server gives a task to another worker.
const TASK_SILENCE: Duration = Duration::from_secs(30);
/// After so long without an acknowledgement the server sends a result again.
const RESULT_SILENCE: Duration = Duration::from_secs(60);
/// Results on the server, at most, by number; by bytes as the user says.
const MAX_RESULTS: i64 = 50_000;
/// How long the server remembers which results came: longer than a worker needs to send one twice by mistake, shorter than it
/// waits before it does on purpose.
const DUPLICATES: Duration = Duration::from_secs(10);
/// Results that the learner has in hand, at most.
const IN_HAND: i64 = 256;
/// How long the server may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The learner's access to its run on the server.
#[derive(Clone)]
pub struct JetStreamClient {
    pub nats: Client,
    pub jetstream: Context,
    pub names: Names,
    /// Identifies this process.
    pub owner: String,
    /// Bytes of results that the server keeps, at most.
    pub results_bytes: i64,
    /// Locked while objects are put.
    pub putting: Arc<tokio::sync::Mutex<()>>,
}

/// What [`JetStreamClient::ensure`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamState {
    /// All as it should be.
    Intact,
    /// A stream was gone and is created again: its messages are lost.
    Recreated,
    /// Another process has taken the run over.
    TakenOver,
}

impl JetStreamClient {
    /// Takes the run over for this process and creates its streams.
    ///
    /// # Errors
    /// If the server returns an error.
    pub async fn take_over(&self) -> Result<(), ServerError> {
        let results = self.jetstream.create_or_update_stream(self.results_config()).await;
        results.map_err(ServerError::request)?;
        self.jetstream.create_or_update_stream(self.tasks_config()).await.map_err(ServerError::request)?;
        // Messages that the previous process had in hand would be redelivered only after a minute. A new consumer gets
        // all of them at once.
        let stream = self.jetstream.get_stream(self.names.results_stream()).await.map_err(ServerError::request)?;
        let _ = stream.delete_consumer(LEARNER).await;
        self.consumers().await
    }

    async fn consumers(&self) -> Result<(), ServerError> {
        self.results().await?;
        let stream = self.jetstream.get_stream(self.names.tasks_stream()).await.map_err(ServerError::request)?;
        let workers = pull::Config {
            durable_name: Some(WORKERS.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: TASK_SILENCE,
            max_ack_pending: -1,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        stream.get_or_create_consumer(WORKERS, workers).await.map(|_| ()).map_err(ServerError::request)
    }

    /// Where results come from.
    ///
    /// # Errors
    /// If the server returns an error.
    pub async fn results(&self) -> Result<Consumer<pull::Config>, ServerError> {
        let stream = self.jetstream.get_stream(self.names.results_stream()).await.map_err(ServerError::request)?;
        let learner = pull::Config {
            durable_name: Some(LEARNER.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: RESULT_SILENCE,
            max_ack_pending: IN_HAND,
            ..pull::Config::default()
        };
        stream.get_or_create_consumer(LEARNER, learner).await.map_err(ServerError::request)
    }

    /// Checks that all streams exist and belong to this process, and recreates those that are gone.
    ///
    /// # Errors
    /// If the server does not answer, or fails.
    pub async fn ensure(&self) -> Result<StreamState, ServerError> {
        let looked = async {
            let mut found = StreamState::Intact;
            match self.jetstream.get_stream(self.names.results_stream()).await {
                Ok(stream) if !self.is_mine(&stream) => return Ok(StreamState::TakenOver),
                Ok(_) => {}
                Err(error) if is_missing(&error) => found = StreamState::Recreated,
                Err(error) => return Err(ServerError::request(error)),
            }
            match self.jetstream.get_stream(self.names.tasks_stream()).await {
                Ok(stream) if stream.consumer_info(WORKERS).await.is_ok() => {}
                Ok(_) => found = StreamState::Recreated,
                Err(error) if is_missing(&error) => found = StreamState::Recreated,
                Err(error) => return Err(ServerError::request(error)),
            }
            if found == StreamState::Recreated {
                self.take_over().await?;
            }
            Ok(found)
        };
        tokio::time::timeout(ANSWER_TIMEOUT, looked).await.map_err(|_| ServerError::NoAnswer)?
    }

    fn is_mine(&self, stream: &Stream) -> bool {
        stream.cached_info().config.description.as_deref() == Some(&self.owner)
    }

    /// Publishes tasks; one that is there already is replaced.
    ///
    /// # Errors
    /// If the server does not take them all: they can be published again.
    pub async fn publish(&self, tasks: &[Task]) -> Result<(), ServerError> {
        let mut sent = Vec::new();
        for task in tasks {
            let bytes = serde_json::to_vec(task).expect("plain data");
            let published = self.jetstream.publish(self.names.task(&task.key.token()), bytes.into()).await;
            sent.push(published.map_err(ServerError::request)?);
        }
        for confirmed in sent {
            let confirmed = tokio::time::timeout(ANSWER_TIMEOUT, async { confirmed.await }).await;
            confirmed.map_err(|_| ServerError::NoAnswer)?.map_err(ServerError::request)?;
        }
        Ok(())
    }

    /// Removes the tasks whose tokens begin with `token` and a dot; they are no longer needed.
    pub async fn purge(&self, token: &str) {
        let Ok(stream) = self.jetstream.get_stream(self.names.tasks_stream()).await else { return };
        // What stays is played in vain, and no harm is done.
        let _ = stream.purge().filter(self.names.task(&format!("{token}.>"))).await;
    }

    /// Removes all of the run from the server.
    pub async fn remove(&self) {
        for stream in [self.names.tasks_stream(), self.names.results_stream()] {
            let _ = tokio::time::timeout(ANSWER_TIMEOUT, self.jetstream.delete_stream(stream)).await;
        }
    }

    /// Looks whether the server is one to work with.
    ///
    /// # Errors
    /// [`ClusterError::Server`] if it is too old or has no JetStream.
    pub async fn check(&self, url: &str) -> Result<(), ClusterError> {
        let error = |reason: String| ClusterError::Server { url: url.to_owned(), reason };
        let (major, minor) = MIN_VERSION;
        if !self.nats.is_server_compatible(major, minor, 0) {
            let version = self.nats.server_info().version;
            return Err(error(format!("the server is version {version}: {major}.{minor} or newer is needed")));
        }
        let account = self.jetstream.query_account().await;
        account.map(|_| ()).map_err(|problem| {
            error(format!("it has no JetStream for this user ({}); start it with -js", reason(&problem)))
        })
    }

    fn tasks_config(&self) -> Config {
        Config {
            name: self.names.tasks_stream(),
            subjects: vec![self.names.task(">")],
            retention: RetentionPolicy::WorkQueue,
            // The learner knows what it asked for: what is lost here is asked for again.
            storage: StorageType::Memory,
            discard: DiscardPolicy::Old,
            // A task that is published again takes its own place.
            max_messages_per_subject: 1,
            description: Some(self.owner.clone()),
            num_replicas: 1,
            ..Config::default()
        }
    }

    fn results_config(&self) -> Config {
        Config {
            name: self.names.results_stream(),
            subjects: vec![self.names.results()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            max_bytes: self.results_bytes,
            max_messages: MAX_RESULTS,
            duplicate_window: DUPLICATES,
            description: Some(self.owner.clone()),
            num_replicas: 1,
            ..Config::default()
        }
    }
}

/// Whether there is no such stream, as the server says for certain.
fn is_missing(error: &async_nats::jetstream::context::GetStreamError) -> bool {
    use async_nats::jetstream::ErrorCode;
    use async_nats::jetstream::context::GetStreamErrorKind;
    match error.kind() {
        GetStreamErrorKind::JetStream(refusal) => refusal.error_code() == ErrorCode::STREAM_NOT_FOUND,
        _ => false,
    }
}
