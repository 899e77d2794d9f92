//! Networks, and games to restart in, in the server's object store: put there once, never changed, and believed only if their
//! bytes have the hash that their name tells.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::{Config, ObjectStore};
use async_nats::jetstream::stream::StorageType;
use selfplay_mcts::Network;
use selfplay_network::FusedEvaluator;
use selfplay_network::checkpoint::Bundle;
use selfplay_pipeline::RunConfig;
use selfplay_registry::GameRef;
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

use crate::error::{ObjectError, ServerError};
use crate::names::NETWORKS;

/// How long an object may take: one that was torn off never comes to its end.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of an object, at most.
const MAX_BYTES: usize = 1 << 30;
/// Networks that are kept open.
const KEPT: usize = 4;

/// The store, if it is there; the learner makes it.
pub async fn store(jetstream: &Context, is_learner: bool) -> Result<ObjectStore, ServerError> {
    match jetstream.get_object_store(NETWORKS).await {
        Ok(store) => Ok(store),
        Err(_) if is_learner => {
            let description = Some("Networks of selfplay's runs".into());
            let config = Config {
                bucket: NETWORKS.into(),
                description,
                storage: StorageType::File,
                num_replicas: 1,
                ..Config::default()
            };
            jetstream.create_object_store(config).await.map_err(ServerError::request)
        }
        Err(error) => Err(ServerError::request(error)),
    }
}

/// Puts `bytes` where they belong.
pub async fn put(store: &ObjectStore, object: &str, bytes: &[u8]) -> Result<(), ObjectError> {
    let mut rest = bytes;
    let put = tokio::time::timeout(TRANSFER_TIMEOUT, store.put(object, &mut rest)).await;
    put.map_err(|_| ObjectError::Late(TRANSFER_TIMEOUT))?.map_err(ServerError::request)?;
    Ok(())
}

/// The object called `object`, as it was put.
pub async fn fetch(store: &ObjectStore, object: &str) -> Result<Vec<u8>, ObjectError> {
    tokio::time::timeout(TRANSFER_TIMEOUT, read(store, object))
        .await
        .map_err(|_| ObjectError::Late(TRANSFER_TIMEOUT))?
}

async fn read(store: &ObjectStore, object: &str) -> Result<Vec<u8>, ObjectError> {
    let found = store.get(object).await.map_err(ServerError::request)?;
    let size = found.info().size;
    if size > MAX_BYTES {
        return Err(ObjectError::TooLong(size));
    }
    let mut bytes = Vec::new();
    found.take(MAX_BYTES as u64).read_to_end(&mut bytes).await?;
    if object.rsplit('-').next() == Some(&blake3::hash(&bytes).to_hex()) {
        Ok(bytes)
    } else {
        Err(ObjectError::WrongHash)
    }
}

/// The last few networks of a run, open.
#[derive(Default)]
pub struct OpenNetworks(Mutex<VecDeque<(String, Arc<dyn Network>)>>);

impl OpenNetworks {
    /// The network in `object`, to play the game of `config` as its run does.
    pub async fn open(
        &self,
        store: &ObjectStore,
        object: &str,
        game: GameRef,
        config: &RunConfig,
    ) -> Result<Arc<dyn Network>, ObjectError> {
        // Held while it is fetched: all threads of a worker want the same one at the same time.
        let mut open = self.0.lock().await;
        if let Some((_, network)) = open.iter().find(|(known, _)| known == object) {
            return Ok(network.clone());
        }
        let bytes = fetch(store, object).await?;
        let precision = config.precision.resolve();
        let opened = tokio::task::spawn_blocking(move || {
            let bundle: Bundle = postcard::from_bytes(&bytes)?;
            let weights = bundle.weights(game.shape())?;
            Ok::<_, ObjectError>(FusedEvaluator::checked(game, &weights, precision)?)
        });
        let network: Arc<dyn Network> = Arc::new(opened.await??);
        open.push_back((object.to_owned(), network.clone()));
        while open.len() > KEPT {
            open.pop_front();
        }
        Ok(network)
    }
}
