//! What the learner does beside taking results: answers who asks, looks whether all is on the server that should be, publishes
//! again what nobody is at, and shows who plays.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use selfplay_network::NetworkError;
use selfplay_network::checkpoint::bundle;

use crate::desk::{Desk, ObjectSource};
use crate::error::ObjectError;
use crate::line::{Found, Line};
use crate::names::RUNS;
use crate::networks::{fetch, put, store};
use crate::wire::{Announcement, Receipt, WorkerState};

/// How often it looks.
const PERIOD: Duration = Duration::from_secs(2);

/// Answers until it is aborted: who learns, which runs there are, what became of a result; and hears what workers say.
pub async fn answer(line: Line, desk: Arc<Desk>, announcement: Announcement) {
    let subjects = [RUNS.to_owned(), line.names.learner(), line.names.question(), line.names.state()];
    let mut heard = Vec::new();
    for subject in &subjects {
        match line.client.subscribe(subject.clone()).await {
            Ok(subscription) => heard.push(subscription),
            Err(error) => return desk.fail(format!("{subject} cannot be heard: {error}")),
        }
    }
    let announced = serde_json::to_vec(&announcement).expect("plain data");
    let mut messages = futures_util::stream::select_all(heard);
    while let Some(message) = messages.next().await {
        let answer = match message.subject.as_str() {
            subject if subject == subjects[0] => Some(announced.clone()),
            subject if subject == subjects[1] => Some(line.owner.clone().into_bytes()),
            subject if subject == subjects[2] => answer_question(&desk, &message.payload),
            _ => {
                if let Ok(state) = serde_json::from_slice::<WorkerState>(&message.payload) {
                    desk.heard(state);
                }
                None
            }
        };
        if let (Some(answer), Some(to)) = (answer, message.reply) {
            let _ = line.client.publish(to, answer.into()).await;
        }
    }
}

fn answer_question(desk: &Desk, question: &[u8]) -> Option<Vec<u8>> {
    let Receipt { key, digest, .. } = serde_json::from_slice(question).ok()?;
    let fate = desk.fate(&key, &digest);
    serde_json::to_vec(&Receipt { key, digest, fate }).ok()
}

/// Looks after the run on the server until it is aborted. `probe` is the object that joining workers take.
pub async fn tend(line: Line, desk: Arc<Desk>, probe: String) {
    loop {
        tokio::time::sleep(PERIOD).await;
        if let Err(problem) = look(&line, &desk, &probe).await {
            tracing::debug!("looking after the run: {problem}");
        }
        desk.write_roster();
    }
}

async fn look(line: &Line, desk: &Desk, probe: &str) -> Result<(), ObjectError> {
    let found = line.ensure().await?;
    match found {
        Found::Whole => {}
        Found::Taken => {
            desk.fail("another learner has taken the run over".into());
            return Ok(());
        }
        Found::MadeAgain => tracing::warn!("the server has lost the run's streams: they are made again"),
    }
    put_missing(line, desk, probe).await?;
    let tasks = desk.to_publish(found == Found::MadeAgain);
    Ok(line.publish(&tasks).await?)
}

/// Puts the objects that are needed and not there as they should be, and removes those that are not needed any more.
///
/// # Errors
/// If the server refuses.
pub async fn put_missing(line: &Line, desk: &Desk, probe: &str) -> Result<(), ObjectError> {
    let _one_at_a_time = line.putting.lock().await;
    let store = store(&line.jetstream, true).await?;
    let unreadable = desk.unreadable();
    let (needed, gone) = desk.objects(probe);
    for (name, source) in needed {
        let is_there = match unreadable.contains(&name) {
            false => store.info(&name).await.is_ok_and(|info| !info.deleted),
            // It may have been the way there.
            true => fetch(&store, &name).await.is_ok(),
        };
        if !is_there {
            put(&store, &name, &bytes_of(&source)?).await?;
        }
    }
    for name in gone {
        let _ = store.delete(&name).await;
    }
    Ok(())
}

/// Removes all objects of the run.
pub async fn remove_objects(line: &Line) {
    let Ok(store) = store(&line.jetstream, false).await else { return };
    let Ok(mut objects) = store.list().await else { return };
    let mut mine = Vec::new();
    while let Some(Ok(object)) = objects.next().await {
        mine.extend(object.name.starts_with(&format!("{}/", line.names.run)).then_some(object.name));
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
