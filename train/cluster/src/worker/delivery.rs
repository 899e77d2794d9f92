//! Bringing a result to the learner: published until the server has it, and kept until the learner says that it has.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::Context;

use super::joined::Joined;
use crate::connection::jitter;
use crate::error::ServerError;
use crate::outbox::Payload;
use crate::packing::{digest, parts};
use crate::wire::{Part, Receipt, ResultStatus};

/// Pauses before a part is published again.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// How long the server may take to confirm a part.
const SERVER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a receipt is waited for before the learner is asked.
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(4);
/// How often the learner may answer that a result is not there before it is sent once more.
const MAX_PENDING: u32 = 4;
/// How often a result may be rejected. What was rejected may have been a copy that was damaged on its way.
const MAX_REFUSED: u32 = 3;

/// Sends `payload` to the run's learner until that says what becomes of it, or the run is over.
pub async fn deliver(jetstream: &Context, joined: &Joined, payload: &Payload) -> ResultStatus {
    let Part { key, digest, .. } = &payload.part;
    let mut refused = 0;
    loop {
        let mut receipt = Some(joined.receipt(*key, digest));
        publish(jetstream, joined, payload).await;
        let mut pending = 0;
        while pending < MAX_PENDING {
            if joined.is_over() {
                return ResultStatus::Unwanted;
            }
            let timeout = RECEIPT_TIMEOUT.mul_f64(0.75 + 0.5 * jitter());
            let told = match &mut receipt {
                Some(receipt) => tokio::time::timeout(timeout, receipt).await.ok(),
                None => {
                    tokio::time::sleep(timeout).await;
                    None
                }
            };
            match told {
                Some(Ok(status @ ResultStatus::Refused { .. })) => {
                    refused += 1;
                    if refused >= MAX_REFUSED {
                        return status;
                    }
                    receipt = Some(joined.receipt(*key, digest));
                }
                Some(Ok(status)) => return status,
                // Somebody else waits for the same now: the question below is answered all the same.
                Some(Err(_)) => receipt = None,
                None => {}
            }
            match ask(jetstream, joined, &payload.part).await {
                Some(ResultStatus::Pending) => pending += 1,
                Some(status) => return status,
                None => {}
            }
        }
    }
}

/// Asks the learner for the status of a result; `None` if there is no answer.
async fn ask(jetstream: &Context, joined: &Joined, part: &Part) -> Option<ResultStatus> {
    let question = Receipt { key: part.key, digest: part.digest.clone(), status: ResultStatus::Pending };
    let question = serde_json::to_vec(&question).expect("plain data");
    let answer = jetstream.client().request(joined.names.question(), question.into()).await.ok()?;
    serde_json::from_slice::<Receipt>(&answer.payload).ok().map(|receipt| receipt.status)
}

/// Publishes all parts; a part that the server does not take, since there is no room or no server, is tried again for as long as
/// that is so.
async fn publish(jetstream: &Context, joined: &Joined, payload: &Payload) {
    let subject = joined.names.result(&payload.part.key);
    for part in parts(&payload.packed, &payload.part) {
        let mut pause = FIRST_PAUSE;
        let mut is_told = false;
        while let Err(reason) = publish_part(jetstream, &joined.names.run, &subject, &part).await {
            if joined.is_over() {
                return;
            }
            if !is_told {
                tracing::warn!("{} waits: {reason}", part.key);
                is_told = true;
            }
            tokio::time::sleep(pause.mul_f64(0.5 + jitter())).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

async fn publish_part(jetstream: &Context, run: &str, subject: &str, part: &Part) -> Result<(), ServerError> {
    // The result's own hash is in it: another result of the same task must not be taken for this one.
    let id = digest(format!("{run} {} {} {}", part.key.token(), part.index, part.digest).as_bytes());
    let mut headers = HeaderMap::new();
    headers.insert(NATS_MESSAGE_ID, id);
    let bytes = postcard::to_stdvec(part).expect("plain data");
    let sent = async {
        let confirmed = jetstream.publish_with_headers(subject.to_owned(), headers, bytes.into()).await;
        confirmed.map_err(ServerError::request)?.await.map_err(ServerError::request)
    };
    let sent = tokio::time::timeout(SERVER_TIMEOUT, sent).await;
    sent.map_err(|_| ServerError::NoAnswer)?.map(|_| ())
}
