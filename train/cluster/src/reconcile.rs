//! The learner's services beside results: it answers requests, recreates what is missing on the server, publishes late tasks
//! again and lists the workers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use selfplay_network::NetworkError;
use selfplay_network::checkpoint::bundle;

use crate::coordinator::{Coordinator, ObjectChanges, ObjectSource, Republish};
use crate::error::ObjectError;
use crate::jetstream_client::{JetStreamClient, StreamState};
use crate::names::RUNS;
use crate::networks::{fetch, put, store};
use crate::wire::{Announcement, Receipt, WorkerState};

/// Bytes of a worker's state, and of the subject of a reply, at most.
const MAX_STATE_BYTES: usize = 512 << 10;
const MAX_SUBJECT: usize = 256;
/// How often the server is checked.
const PERIOD: Duration = Duration::from_secs(2);

/// Answers requests about the learner, the run and results, and receives the reports of workers, until it is aborted.
pub async fn answer(client: JetStreamClient, coordinator: Arc<Coordinator>, announcement: Announcement) {
    let subjects = [RUNS.to_owned(), client.names.learner(), client.names.question(), client.names.state()];
    let mut heard = Vec::new();
    for subject in &subjects {
        match client.nats.subscribe(subject.clone()).await {
            Ok(subscription) => heard.push(subscription),
            Err(error) => return coordinator.fail(format!("{subject} cannot be heard: {error}")),
        }
    }
    let announced = serde_json::to_vec(&announcement).expect("plain data");
    let mut messages = futures_util::stream::select_all(heard);
    while let Some(message) = messages.next().await {
        let answer = match message.subject.as_str() {
            subject if subject == subjects[0] => Some(announced.clone()),
            subject if subject == subjects[1] => Some(client.owner.clone().into_bytes()),
            subject if subject == subjects[2] => answer_question(&coordinator, &message.payload),
            _ => {
                if let Some(state) = worker_state(&message.payload) {
                    coordinator.worker_reported(state);
                }
                None
            }
        };
        if let (Some(answer), Some(to)) = (answer, message.reply.filter(|to| is_inbox(to))) {
            let _ = client.nats.publish(to, answer.into()).await;
        }
    }
}

/// Whether a reply may go there. Requests come from clients that may publish less than the learner: in its name, a reply
/// could purge streams or look like a result.
fn is_inbox(subject: &str) -> bool {
    subject.starts_with("_INBOX.") && subject.len() <= MAX_SUBJECT && !subject.contains(['*', '>'])
}

/// The state of a worker; `None` if it is too large, or is not one.
fn worker_state(payload: &[u8]) -> Option<WorkerState> {
    if payload.len() > MAX_STATE_BYTES {
        return None;
    }
    let state: WorkerState = serde_json::from_slice(payload).ok()?;
    (crate::names::plain_worker(&state.worker) == state.worker && !state.worker.is_empty()).then_some(state)
}

fn answer_question(coordinator: &Coordinator, question: &[u8]) -> Option<Vec<u8>> {
    let Receipt { key, digest, .. } = serde_json::from_slice(question).ok()?;
    let status = coordinator.status(&key, &digest);
    serde_json::to_vec(&Receipt { key, digest, status }).ok()
}

/// Brings the server in line with the run every few seconds until it is aborted. `probe` is the object that joining workers
/// take.
pub async fn reconcile(client: JetStreamClient, coordinator: Arc<Coordinator>, probe: String) {
    loop {
        tokio::time::sleep(PERIOD).await;
        if let Err(problem) = reconcile_once(&client, &coordinator, &probe).await {
            tracing::debug!("reconciling the run with the server: {problem}");
        }
        coordinator.write_workers();
    }
}

async fn reconcile_once(client: &JetStreamClient, coordinator: &Coordinator, probe: &str) -> Result<(), ObjectError> {
    let found = client.ensure().await?;
    match found {
        StreamState::Intact => {}
        StreamState::TakenOver => {
            coordinator.fail("another learner has taken the run over".into());
            return Ok(());
        }
        StreamState::Recreated => tracing::warn!("the server has lost the run's streams: they are made again"),
    }
    put_missing(client, coordinator, probe).await?;
    let which = if found == StreamState::Recreated { Republish::All } else { Republish::Late };
    let tasks = coordinator.to_publish(which);
    Ok(client.publish(&tasks).await?)
}

/// Puts the objects that are needed and not there as they should be, and removes those that are not needed any more.
///
/// # Errors
/// If the server returns an error.
pub async fn put_missing(client: &JetStreamClient, coordinator: &Coordinator, probe: &str) -> Result<(), ObjectError> {
    let _one_at_a_time = client.putting.lock().await;
    let store = store(&client.jetstream, true).await?;
    let ObjectChanges { present, unreadable, unneeded } = coordinator.object_changes(probe);
    for (name, source) in present {
        let is_there = match unreadable.contains(&name) {
            false => store.info(&name).await.is_ok_and(|info| !info.deleted),
            // It may have been the way there.
            true => fetch(&store, &name).await.is_ok(),
        };
        if !is_there {
            put(&store, &name, &bytes_of(&source)?).await?;
        }
    }
    for name in unneeded {
        let _ = store.delete(&name).await;
    }
    Ok(())
}

/// Removes all objects of the run.
pub async fn remove_objects(client: &JetStreamClient) {
    let Ok(store) = store(&client.jetstream, false).await else { return };
    let Ok(mut objects) = store.list().await else { return };
    let mut mine = Vec::new();
    while let Some(Ok(object)) = objects.next().await {
        mine.extend(object.name.starts_with(&format!("{}/", client.names.run)).then_some(object.name));
    }
    for name in mine {
        let _ = store.delete(&name).await;
    }
}

/// What the object is made of.
///
/// # Errors
/// If the checkpoint cannot be read.
pub fn bytes_of(source: &ObjectSource) -> Result<Vec<u8>, NetworkError> {
    match source {
        ObjectSource::Checkpoint(folder) => Ok(postcard::to_stdvec(&bundle(folder)?).expect("plain data")),
        ObjectSource::Bytes(bytes) => Ok(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_go_to_inboxes_only() {
        assert!(is_inbox("_INBOX.nJ3p.1") && is_inbox("_INBOX.worker7.nJ3p.1"));
        let elsewhere =
            ["$JS.API.STREAM.PURGE.selfplay-x-tasks", "selfplay.x.result", "_INBOX", "_INBOX.*", "_INBOX.>", ""];
        assert!(!elsewhere.iter().any(|subject| is_inbox(subject)));
        assert!(!is_inbox(&format!("_INBOX.{}", "x".repeat(MAX_SUBJECT))));
    }

    #[test]
    fn states_are_small_and_have_a_plain_name() {
        let state = |worker: &str, refusal: &str| {
            let state = WorkerState { worker: worker.into(), refusal: Some(refusal.into()), ..WorkerState::default() };
            serde_json::to_vec(&state).unwrap()
        };
        assert!(worker_state(&state("w-1", "another kind of CPU")).is_some());
        for wrong in
            [state("", ""), state("a.b", ""), state("w", &"x".repeat(MAX_STATE_BYTES)), b"{}".to_vec(), b"x".to_vec()]
        {
            assert_eq!(worker_state(&wrong), None);
        }
    }
}
