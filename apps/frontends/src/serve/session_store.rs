//! All sessions of the server, bounded in number, memory and thinking. The HTTP interface calls a session a table.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use selfplay_env::rng::derive_seed;
use selfplay_mcts::CancelToken;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::apart::{apart, within};
use super::catalogue::{AgentRequest, Catalogue, as_analyst};
use super::clock::ClockRequest;
use super::config::ServeConfig;
use super::dto::{AnalysisDto, SessionDto};
use super::error::{Refusal, ServeError};
use super::session::{AgentSeat, Session};

/// What a request for a new session says.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSession {
    /// Id of the game.
    pub(super) game: String,
    /// Who plays, first side first; `null` is a person.
    #[serde(default)]
    pub(super) seats: [Option<AgentRequest>; 2],
    /// The game so far: moves separated by spaces, then perhaps `= R`.
    #[serde(default)]
    pub(super) record: String,
    /// The clock of the game; without it, no side can lose on time.
    #[serde(default)]
    pub(super) clock: Option<ClockRequest>,
}

/// The sessions, and who may think.
pub(super) struct SessionStore {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) config: ServeConfig,
    sessions: Mutex<Sessions>,
    thinkers: Arc<Semaphore>,
    waiting: AtomicUsize,
}

#[derive(Default)]
struct Sessions {
    by_id: HashMap<String, Entry>,
    /// Counts uses; a later use has a greater number.
    uses: u64,
    created: u64,
}

struct Entry {
    session: Arc<Session>,
    last_used: u64,
    /// The last use by a thinking player; 0 if no player's memory is kept.
    last_thought: u64,
}

impl SessionStore {
    pub(super) fn new(catalogue: Catalogue, config: ServeConfig) -> Result<Self, ServeError> {
        config.validate()?;
        let thinkers = Arc::new(Semaphore::new(config.max_thinkers));
        let waiting = AtomicUsize::new(0);
        Ok(SessionStore { catalogue: Arc::new(catalogue), config, sessions: Mutex::default(), thinkers, waiting })
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets up a session; that unused for longest gives way where there are too many.
    pub(super) fn create(&self, request: NewSession) -> Result<SessionDto, Refusal> {
        let mut seats = [None, None];
        for (seat, asked) in seats.iter_mut().zip(request.seats) {
            *seat = asked.map(|request_of_seat| self.agent(&request.game, request_of_seat)).transpose()?;
        }
        let number = {
            let mut sessions = self.sessions();
            sessions.created += 1;
            sessions.created
        };
        let seed = derive_seed(&[self.config.seed, number]);
        let game = self.catalogue.game(&request.game)?;
        let session =
            Arc::new(Session::new(game, Arc::clone(&self.catalogue), seats, &request.record, request.clock, seed)?);
        let dto = session.dto(None, &[])?;
        let id = fresh_id();
        let mut sessions = self.sessions();
        if sessions.by_id.len() >= self.config.max_tables {
            let idle = sessions.by_id.iter().filter(|(_, entry)| !entry.session.is_thinking());
            let Some(oldest) = idle.min_by_key(|(_, entry)| entry.last_used).map(|(id, _)| id.clone()) else {
                return Err(Refusal::busy("all tables are in use by thinking players"));
            };
            sessions.by_id.remove(&oldest);
        }
        sessions.uses += 1;
        let entry = Entry { session, last_used: sessions.uses, last_thought: 0 };
        sessions.by_id.insert(id.clone(), entry);
        Ok(SessionDto { id, ..dto })
    }

    /// The session called `id`.
    pub(super) fn session(&self, id: &str) -> Result<Arc<Session>, Refusal> {
        let mut sessions = self.sessions();
        sessions.uses += 1;
        let now = sessions.uses;
        let entry = sessions.by_id.get_mut(id).ok_or_else(no_session)?;
        entry.last_used = now;
        Ok(Arc::clone(&entry.session))
    }

    /// The session called `id` as it stands, or after `ply` moves, and the moves of `variation`.
    pub(super) fn dto(&self, id: &str, ply: Option<usize>, variation: &[String]) -> Result<SessionDto, Refusal> {
        Ok(SessionDto { id: id.to_owned(), ..self.session(id)?.dto(ply, variation)? })
    }

    /// Forgets a session.
    pub(super) fn remove(&self, id: &str) -> Result<(), Refusal> {
        self.sessions().by_id.remove(id).map(|_| ()).ok_or_else(no_session)
    }

    /// Lets the agent to move in session `id` decide.
    pub(super) async fn let_agent_decide(&self, id: &str, ply: usize) -> Result<Option<AnalysisDto>, Refusal> {
        self.think(id, move |session, cancel| session.let_agent_decide(ply, cancel)).await
    }

    /// Analyses the position of session `id`, where `game` is played, after `ply` moves and the moves of `variation`, as the
    /// agent of `request` does.
    pub(super) async fn analyse(
        &self,
        id: &str,
        game: &str,
        ply: usize,
        variation: Vec<String>,
        request: AgentRequest,
    ) -> Result<AnalysisDto, Refusal> {
        let AgentSeat { request, spec } = self.agent(game, request)?;
        let spec = as_analyst(spec);
        self.think(id, move |session, cancel| session.analyse(ply, &variation, &request.agent, &spec, cancel)).await
    }

    fn agent(&self, game: &str, request: AgentRequest) -> Result<AgentSeat, Refusal> {
        let spec = self.catalogue.spec(game, &request, &self.config)?;
        Ok(AgentSeat { request, spec })
    }

    /// Runs `job` in session `id` on a thread of its own once a thinker is free. Cancels the job's token if the request is dropped,
    /// so that the thinker is free for other requests.
    async fn think<T: Send + 'static>(
        &self,
        id: &str,
        job: impl FnOnce(&Session, &CancelToken) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let session = self.session(id)?;
        let claim = session.claim()?;
        let permit = match Arc::clone(&self.thinkers).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _place = Waiting::enter(&self.waiting, self.config.max_waiting)?;
                let patience = Duration::from_millis(self.config.waiting_ms);
                let free = within(patience, Arc::clone(&self.thinkers).acquire_owned());
                let busy = || Refusal::busy(format!("waited {} ms for other players", self.config.waiting_ms));
                free.await.ok_or_else(busy)?.map_err(|_| Refusal::busy("the server is closing"))?
            }
        };
        self.mark_thought(id);
        // Dropped with the request, when its connection breaks off, or when it is answered.
        let asking = Asking::default();
        let cancel = asking.0.clone();
        let done = apart(move || {
            let done = job(&session, &cancel);
            drop((claim, permit));
            done
        });
        done.await.unwrap_or_else(|| Err(Refusal::failure("the agent failed")))
    }

    /// Notes that players think in session `id`, and has the sessions where that was longest ago forget their searches.
    fn mark_thought(&self, id: &str) {
        let mut sessions = self.sessions();
        let now = sessions.uses;
        if let Some(entry) = sessions.by_id.get_mut(id) {
            entry.last_thought = now;
        }
        let mut kept: Vec<&mut Entry> = sessions.by_id.values_mut().filter(|entry| entry.last_thought > 0).collect();
        kept.sort_by_key(|entry| std::cmp::Reverse(entry.last_thought));
        for entry in kept.into_iter().skip(self.config.max_players) {
            entry.session.release_players();
            entry.last_thought = 0;
        }
    }
}

/// A request that waits for a player. Dropping it cancels the search.
#[derive(Default)]
struct Asking(CancelToken);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A place among the requests that wait for a thinker.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Refusal> {
        let place = Waiting(waiting);
        if waiting.fetch_add(1, Ordering::AcqRel) < most {
            return Ok(place);
        }
        let error = format!("{most} requests are already waiting for a player");
        Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, error, "fewer requests at the same time"))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn no_session() -> Refusal {
    Refusal::not_found("there is no such table; it may have been replaced by newer ones", "the `id` of a new table")
}

/// 128 unpredictable bits: the standard library seeds its hash tables from the operating system's randomness.
fn fresh_id() -> String {
    let half = || RandomState::new().hash_one(0_u64);
    format!("{:016x}{:016x}", half(), half())
}
