//! One game in progress with its players.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use selfplay_env::Side;
use selfplay_mcts::CancelToken;
use selfplay_players::{ClockKind, Decision, MoveRequest, Playable, Player, PlayerSpec, TimeControl, TimeSpan};

use super::catalogue::{AgentRequest, Catalogue};
use super::clock::{Clock, ClockRequest};
use super::dto::{AnalysisDto, SessionDto};
use super::error::Refusal;
use super::game_history::GameHistory;

/// What a session's players call it; each has players of its own.
const TABLE: usize = 0;
/// Where a session keeps the player that analyses; before it are those of the sides.
const ANALYST: usize = 2;

/// The right to think in a session, given back when dropped.
pub(super) struct Claim(Arc<AtomicBool>);

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// An agent on one side.
#[derive(Clone, Debug)]
pub(super) struct AgentSeat {
    /// As it was asked for.
    pub(super) request: AgentRequest,
    /// What that means.
    pub(super) spec: PlayerSpec,
}

/// A player that is kept for the searches to come.
struct CachedPlayer {
    spec: PlayerSpec,
    player: Box<dyn Player>,
}

/// A game in progress.
pub(super) struct Session {
    game: &'static dyn Playable,
    catalogue: Arc<Catalogue>,
    seats: [Option<AgentSeat>; 2],
    seed: u64,
    game_history: Mutex<GameHistory>,
    /// The players of the sides and the analyst. A player is taken out while it searches.
    players: Mutex<[Option<CachedPlayer>; 3]>,
    is_thinking: Arc<AtomicBool>,
}

impl Session {
    /// A session with the game of `text` of `game` and these seats, `None` for a person. `seed` decides the players' lots.
    pub(super) fn new(
        game: &'static dyn Playable,
        catalogue: Arc<Catalogue>,
        seats: [Option<AgentSeat>; 2],
        text: &str,
        clock: Option<ClockRequest>,
        seed: u64,
    ) -> Result<Self, Refusal> {
        let clock = clock.map(Clock::new).transpose()?;
        let game_history = Mutex::new(GameHistory::read(game, text)?.with_clock(clock));
        let (players, is_thinking) = (Mutex::default(), Arc::default());
        Ok(Session { game, catalogue, seats, seed, game_history, players, is_thinking })
    }

    // No code leaves a history or a set of players half changed, so they are sound after a panic.
    fn game_history(&self) -> MutexGuard<'_, GameHistory> {
        let mut game_history = self.game_history.lock().unwrap_or_else(PoisonError::into_inner);
        game_history.look_at_clock();
        game_history
    }

    fn players(&self) -> MutexGuard<'_, [Option<CachedPlayer>; 3]> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the player at `place`, whom people call `name`, choose in the position after `ply` moves and the moves of
    /// `variation`; nothing is locked meanwhile. The value found is noted unless other moves lead to that position's place by
    /// then.
    fn choose(
        &self,
        place: usize,
        name: &str,
        spec: &PlayerSpec,
        ply: usize,
        variation: &[String],
        cancel: &CancelToken,
    ) -> Result<(Decision, Option<AnalysisDto>), Refusal> {
        let (position, history, time_left) = {
            let game_history = self.game_history();
            let branch = game_history.branch(ply, variation)?;
            let position = branch.newest().boxed();
            // The analyst has no clock.
            let clock = game_history.clock().filter(|_| place != ANALYST);
            let left = clock.map(|clock| clock.left(position.side_to_move(), Instant::now()));
            let time_left = left.map(|left| TimeControl {
                ms: left.as_millis() as u64,
                span: TimeSpan::Game,
                clock: ClockKind::Wall,
            });
            (position, branch.history().to_vec(), time_left)
        };
        if position.outcome().is_some() {
            return Err(Refusal::conflict("the game is over in this position", "a position before its end"));
        }
        let known = self.players()[place].take().filter(|kept| kept.spec == *spec);
        let mut kept = match known {
            Some(kept) => kept,
            None => {
                let mut player = self.catalogue.player(self.game, spec)?;
                player.new_game(TABLE, self.seed.wrapping_add(place as u64));
                CachedPlayer { spec: spec.clone(), player }
            }
        };
        let seat = MoveRequest { table: TABLE, position: &*position, history: &history, time_left };
        kept.player.set_cancel_token(Some(cancel.clone()));
        let choice = kept.player.choose(&seat).map_err(|error| Refusal::failure(error.to_string()))?;
        self.players()[place] = Some(kept);
        if cancel.is_cancelled() {
            // The search ended early, so its choice is worth nothing.
            return Err(Refusal::conflict("the request was cancelled", "the same request again"));
        }
        let analysis = AnalysisDto::from_choice(&*position, history.len(), name, &choice);
        let mut game_history = self.game_history();
        if let Some(value) = analysis.as_ref().and_then(AnalysisDto::value)
            && variation.is_empty()
            && game_history.history().get(..ply) == Some(&history)
        {
            game_history.note_value(ply, value);
        }
        Ok((choice, analysis))
    }

    /// The session after `ply` moves, or as it stands, and the moves of `variation`, but for its id.
    pub(super) fn dto(&self, ply: Option<usize>, variation: &[String]) -> Result<SessionDto, Refusal> {
        let seat = |seat: &Option<AgentSeat>| seat.as_ref().map(|agent| agent.request.clone());
        let game_history = self.game_history();
        game_history.dto(
            ply.unwrap_or(game_history.len()),
            variation,
            self.seats.each_ref().map(seat),
            self.is_thinking(),
        )
    }

    /// Makes a move in the game that stands after `ply` moves.
    pub(super) fn decide(&self, name: &str, ply: usize) -> Result<(), Refusal> {
        let mut game_history = self.game_history();
        game_history.check_running_at(ply)?;
        game_history.decide(name)
    }

    /// Takes back all but the first `ply` moves.
    pub(super) fn undo_to(&self, ply: usize) -> Result<(), Refusal> {
        self.game_history().undo_to(ply)
    }

    /// Ends the game as lost for `side`.
    pub(super) fn resign(&self, side: Side) -> Result<(), Refusal> {
        self.game_history().resign(side)
    }

    /// Reserves the session's one place for a thinking player.
    pub(super) fn claim(&self) -> Result<Claim, Refusal> {
        match self.is_thinking.swap(true, Ordering::AcqRel) {
            false => Ok(Claim(Arc::clone(&self.is_thinking))),
            true => Err(Refusal::conflict("a player is already thinking at this table", "one request at a time")),
        }
    }

    /// Whether that place is taken.
    pub(super) fn is_thinking(&self) -> bool {
        self.is_thinking.load(Ordering::Acquire)
    }

    /// Lets the agent to move decide in the game that stands after `ply` moves; takes the time the agent takes.
    pub(super) fn let_agent_decide(&self, ply: usize, cancel: &CancelToken) -> Result<Option<AnalysisDto>, Refusal> {
        let (side, version) = {
            let game_history = self.game_history();
            game_history.check_running_at(ply)?;
            (game_history.newest().side_to_move().index(), game_history.version())
        };
        let Some(agent) = &self.seats[side] else {
            let name = self.game.side_names()[side];
            return Err(Refusal::conflict(format!("{name} is a person"), "a move of the person's"));
        };
        let (choice, analysis) = self.choose(side, &agent.request.agent, &agent.spec, ply, &[], cancel)?;
        let mut game_history = self.game_history();
        if game_history.clock().is_some_and(|clock| clock.fallen().is_some()) {
            // It has thought for too long; the game is over.
            return Ok(analysis);
        }
        if game_history.version() != version {
            return Err(Refusal::conflict("the game changed while the agent was thinking", "the state as it is now"));
        }
        game_history.play(choice.action)?;
        Ok(analysis)
    }

    /// Searches the position after `ply` moves and the moves of `variation`, as the player called `name` with `spec` does;
    /// takes its time.
    pub(super) fn analyse(
        &self,
        ply: usize,
        variation: &[String],
        name: &str,
        spec: &PlayerSpec,
        cancel: &CancelToken,
    ) -> Result<AnalysisDto, Refusal> {
        let (_, analysis) = self.choose(ANALYST, name, spec, ply, variation, cancel)?;
        analysis.ok_or_else(|| {
            Refusal::bad_request(format!("the agent `{name}` does not analyse"), "an agent that analyses")
        })
    }

    /// Forgets the memory of the players' searches.
    pub(super) fn release_players(&self) {
        *self.players() = Default::default();
    }
}
