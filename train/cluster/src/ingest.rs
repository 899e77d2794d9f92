//! From the stream of results to the coordinator: parts are assembled, checked, stored and acknowledged, and their senders
//! get receipts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use futures_util::StreamExt;

use crate::assembly::{Assembled, Assembler, CompleteResult};
use crate::coordinator::Coordinator;
use crate::error::{InvalidResult, ServerError};
use crate::jetstream_client::JetStreamClient;
use crate::wire::{Part, Receipt, ResultStatus};

/// Messages asked for at once, and how long the server waits for the first.
const BATCH: usize = 32;
const WAIT: Duration = Duration::from_secs(2);
/// A breath before something is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// Takes results until it is aborted. `own` is the worker of this process.
pub async fn ingest(client: JetStreamClient, coordinator: Arc<Coordinator>, own: Option<String>) {
    let mut assembler = Assembler::new();
    loop {
        if let Err(problem) = take_some(&client, &coordinator, own.as_deref(), &mut assembler).await {
            tracing::debug!("results: {problem}");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Takes results until the server fails, or the run has failed.
async fn take_some(
    client: &JetStreamClient,
    coordinator: &Arc<Coordinator>,
    own: Option<&str>,
    assembler: &mut Assembler<Message>,
) -> Result<(), ServerError> {
    let consumer = tokio::time::timeout(10 * PAUSE, client.results()).await.map_err(|_| ServerError::NoAnswer)??;
    loop {
        let asked = consumer.fetch().max_messages(BATCH).expires(WAIT).messages();
        let mut messages = asked.await.map_err(ServerError::request)?;
        loop {
            // A server that is gone says nothing at all.
            match tokio::time::timeout(2 * WAIT, messages.next()).await {
                Ok(Some(Ok(message))) => take(client, coordinator, own, assembler, message).await,
                Ok(Some(Err(error))) => return Err(ServerError::request(error)),
                Ok(None) => break,
                Err(_) => return Err(ServerError::Silent),
            }
        }
        for message in assembler.give_up_silent(Instant::now()) {
            acknowledge(&message).await;
        }
        // A consumer that is gone gives nothing for ever.
        if coordinator.failure().is_some() {
            return Ok(());
        }
        if consumer.get_info().await.is_err() {
            return Err(ServerError::ConsumerGone);
        }
    }
}

/// Takes one message.
async fn take(
    client: &JetStreamClient,
    coordinator: &Arc<Coordinator>,
    own: Option<&str>,
    assembler: &mut Assembler<Message>,
    message: Message,
) {
    let Ok(part) = postcard::from_bytes::<Part>(&message.payload) else {
        coordinator.quarantine.keep("unknown", None, &InvalidResult::NotAPart.to_string(), &message.payload);
        acknowledge(&message).await;
        return;
    };
    let (sender, key, bytes) = (part.worker.clone(), part.key, message.payload.clone());
    // Before it is held: parts of results that nobody may send would keep others out.
    if !coordinator.is_admitted(&part) {
        let reason = InvalidResult::NotAdmitted.to_string();
        coordinator.quarantine.keep(&sender, Some(&key), &reason, &bytes);
        acknowledge(&message).await;
        send_receipt(client, &sender, Receipt { key, digest: part.digest, status: ResultStatus::Refused { reason } })
            .await;
        return;
    }
    let whole = match assembler.take(part, message) {
        Assembled::Complete(whole) => whole,
        // Their results are sent again when their workers ask for them.
        Assembled::Incomplete(free) => {
            for message in &free {
                acknowledge(message).await;
            }
            return;
        }
        Assembled::Invalid(fault, message) => {
            coordinator.quarantine.keep(&sender, Some(&key), &fault.to_string(), &bytes);
            acknowledge(&message).await;
            return;
        }
    };
    let (there, own) = (coordinator.clone(), own.map(str::to_owned));
    let judged = tokio::task::spawn_blocking(move || {
        let status = there.take(&whole, own.as_deref());
        (whole, status)
    });
    let Ok((whole, status)) = judged.await else {
        coordinator.fail("a result could not be judged".into());
        return;
    };
    let CompleteResult { part, tickets, .. } = *whole;
    // The write failed: what is not acknowledged comes again.
    if status == ResultStatus::Pending {
        return;
    }
    for message in &tickets {
        acknowledge(message).await;
    }
    send_receipt(client, &part.worker, Receipt { key: part.key, digest: part.digest, status }).await;
}

/// Notifies the sender. A receipt that is lost is asked for.
async fn send_receipt(client: &JetStreamClient, worker: &str, receipt: Receipt) {
    let bytes = serde_json::to_vec(&receipt).expect("plain data");
    if let Some(subject) = receipt_subject(client, worker) {
        let _ = client.nats.publish(subject, bytes.into()).await;
    }
}

/// Where the sender is notified; nowhere if what it calls itself cannot be a name.
fn receipt_subject(client: &JetStreamClient, worker: &str) -> Option<String> {
    let is_name = !worker.is_empty() && crate::names::plain_worker(worker) == worker;
    is_name.then(|| client.names.receipt(worker))
}

async fn acknowledge(message: &Message) {
    // One that is lost comes again, and is known then.
    if let Err(error) = message.ack().await {
        tracing::debug!("an acknowledgement: {error}");
    }
}
