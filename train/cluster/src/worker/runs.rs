//! Which runs a worker plays for: how it finds them, and why it leaves them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::joined::Joined;
use super::{Worker, WorkerNews};
use crate::error::{ClusterError, RejectReason};
use crate::names::{ENDS, Names, RUNS};
use crate::outbox::Payload;
use crate::wire::{Announcement, WorkerState};

/// How long answers are waited for.
const ANSWERS: Duration = Duration::from_millis(700);
/// How long a run may be silent, with its tasks gone, before it is left.
const SILENCE: Duration = Duration::from_secs(60);

impl Worker {
    /// What the learners there are say of their runs.
    pub(super) async fn announcements(&self) -> Vec<Announcement> {
        let inbox = self.client.new_inbox();
        let Ok(mut answers) = self.client.subscribe(inbox.clone()).await else { return Vec::new() };
        if self.client.publish_with_reply(RUNS, inbox, "".into()).await.is_err() {
            return Vec::new();
        }
        let mut found = Vec::new();
        while let Ok(Some(message)) = tokio::time::timeout(ANSWERS, answers.next()).await {
            found.extend(serde_json::from_slice::<Announcement>(&message.payload).ok());
        }
        found
    }

    /// Joins the run, unless that is done, or cannot be.
    pub(super) async fn consider(self: Arc<Self>, announcement: &Announcement) -> Result<(), ClusterError> {
        let Announcement { run, owner, game, .. } = announcement;
        if !self.options.runs.is_empty() && !self.options.runs.iter().any(|name| is_called(run, name)) {
            return Ok(());
        }
        {
            let mut state = self.state();
            state.heard.insert(run.clone(), Instant::now());
            if state.refused.get(run) == Some(owner)
                || state.joined.get(run).is_some_and(|joined| joined.owner == *owner)
            {
                return Ok(());
            }
        }
        match Joined::join(&self.jetstream, announcement, self.name(), &self.games).await {
            Ok(joined) => {
                let joined = Arc::new(joined);
                let left_over = {
                    let mut state = self.state();
                    // Deliveries that still use the previous connection continue with this one.
                    if let Some(before) = state.joined.insert(run.clone(), joined.clone()) {
                        before.end();
                    }
                    let (mine, others) = std::mem::take(&mut state.left_over)
                        .into_iter()
                        .partition(|(_, payload): &(PathBuf, Payload)| payload.run == *run);
                    state.left_over = others;
                    mine
                };
                (self.on_news)(&WorkerNews::Joined { run: run.clone(), game: game.clone() });
                for (path, payload) in left_over {
                    tokio::spawn(self.clone().bring_left_over(joined.clone(), path, payload));
                }
                Ok(())
            }
            Err(RejectReason::Server(reason)) => {
                tracing::debug!("{run} cannot be joined yet: {reason}");
                Ok(())
            }
            Err(RejectReason::Unreadable(unreadable)) => {
                tracing::debug!("{run} cannot be joined yet: {unreadable}");
                if let Some(names) = Names::announced(run) {
                    self.say_unreadable(&names, unreadable.object).await;
                }
                Ok(())
            }
            Err(RejectReason::Incompatible(reason)) => self.refuse(run, owner, reason.to_string()).await,
        }
    }

    /// Does not play for a run, and says so to its learner; an error if there is no other.
    pub(super) async fn refuse(&self, run: &str, owner: &str, reason: String) -> Result<(), ClusterError> {
        let is_last = {
            let mut state = self.state();
            state.refused.insert(run.to_owned(), owner.to_owned());
            state.joined.remove(run);
            let is_refused = |name: &String| state.refused.keys().any(|run| is_called(run, name));
            state.joined.is_empty() && !self.options.runs.is_empty() && self.options.runs.iter().all(is_refused)
        };
        (self.on_news)(&WorkerNews::Refused { run: run.to_owned(), reason: reason.clone() });
        if let Some(names) = Names::announced(run) {
            self.say(&names, WorkerState { refusal: Some(reason.clone()), ..self.introduction.clone() }).await;
        }
        if is_last { Err(ClusterError::Refused { reason: format!("{run}: {reason}") }) } else { Ok(()) }
    }

    /// Leaves runs as they end.
    pub(super) async fn hear_ends(&self) {
        let Ok(mut ends) = self.client.subscribe(ENDS).await else { return };
        while let Some(message) = ends.next().await {
            let Some(run) = str::from_utf8(&message.payload).ok() else { continue };
            self.leave_run(run, "its learner has ended it for now or for good");
        }
    }

    fn leave_run(&self, run: &str, reason: &str) {
        let left = {
            let mut state = self.state();
            state.refused.remove(run);
            state.joined.remove(run)
        };
        if let Some(joined) = left {
            joined.end();
            (self.on_news)(&WorkerNews::Left { run: run.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Leaves runs whose learner is gone and whose tasks are, too.
    pub(super) async fn leave_silent(&self) {
        let silent: Vec<Arc<Joined>> = {
            let state = self.state();
            let is_silent = |run: &String| state.heard.get(run).is_none_or(|heard| heard.elapsed() > SILENCE);
            state.joined.iter().filter(|(run, _)| is_silent(run)).map(|(_, joined)| joined.clone()).collect()
        };
        for joined in silent {
            let is_there = joined.tasks.get_info().await;
            if is_there.is_err() && self.client.connection_state() == async_nats::connection::State::Connected {
                self.leave_run(&joined.names.run, "nobody learns it any more");
            }
        }
    }
}

/// Whether the run is the one of the folder called `name`, or has that name in subjects.
fn is_called(run: &str, name: &str) -> bool {
    run == name || run.rsplit_once('-').is_some_and(|(folder, _)| folder == name)
}
