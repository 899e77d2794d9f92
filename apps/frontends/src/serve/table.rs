//! One game in progress with its players.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use selfplay_env::Side;
use selfplay_mcts::CancelToken;
use selfplay_players::{Choice, ClockKind, Playable, Player, PlayerSpec, Seat, TimeControl, TimeSpan};

use super::catalogue::{AgentRequest, Catalogue};
use super::clock::{Clock, ClockRequest};
use super::error::Refusal;
use super::forms::{AnalysisForm, TableForm};
use super::line::Line;

/// What a table's players call it; each has players of its own.
const TABLE: usize = 0;
/// Where a table keeps the player that analyses; before it are those of the sides.
const ANALYST: usize = 2;

/// The right to think at a table, given back when dropped.
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
struct Kept {
    spec: PlayerSpec,
    player: Box<dyn Player>,
}

/// A game in progress.
pub(super) struct Table {
    game: &'static dyn Playable,
    catalogue: Arc<Catalogue>,
    seats: [Option<AgentSeat>; 2],
    seed: u64,
    line: Mutex<Line>,
    /// The players of the sides and the analyst; whoever thinks is taken out.
    players: Mutex<[Option<Kept>; 3]>,
    is_thinking: Arc<AtomicBool>,
}

impl Table {
    /// A table with the game of `text` of `game` and these seats, `None` for a person. `seed` decides the players' lots.
    pub(super) fn new(
        game: &'static dyn Playable,
        catalogue: Arc<Catalogue>,
        seats: [Option<AgentSeat>; 2],
        text: &str,
        clock: Option<ClockRequest>,
        seed: u64,
    ) -> Result<Self, Refusal> {
        let clock = clock.map(Clock::new).transpose()?;
        let line = Mutex::new(Line::read(game, text)?.with_clock(clock));
        let (players, is_thinking) = (Mutex::default(), Arc::default());
        Ok(Table { game, catalogue, seats, seed, line, players, is_thinking })
    }

    // Nobody leaves a line or a set of players half changed, so what a panic left behind is sound.
    fn line(&self) -> MutexGuard<'_, Line> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.look_at_clock();
        line
    }

    fn players(&self) -> MutexGuard<'_, [Option<Kept>; 3]> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the player at `place`, whom people call `name`, choose in the position after `ply` decisions and `moves` beside the
    /// game; nothing is locked meanwhile. The value found is noted unless other decisions lead to that position's place by
    /// then.
    fn choose(
        &self,
        place: usize,
        name: &str,
        spec: &PlayerSpec,
        ply: usize,
        moves: &[String],
        cancel: &CancelToken,
    ) -> Result<(Choice, Option<AnalysisForm>), Refusal> {
        let (position, history, time_left) = {
            let line = self.line();
            let branch = line.branch(ply, moves)?;
            let position = branch.newest().boxed();
            // Who analyses is on nobody's clock.
            let clock = line.clock().filter(|_| place != ANALYST);
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
                Kept { spec: spec.clone(), player }
            }
        };
        let seat = Seat { table: TABLE, position: &*position, history: &history, time_left };
        kept.player.set_cancel_token(Some(cancel.clone()));
        let choice = kept.player.choose(&seat).map_err(|error| Refusal::failure(error.to_string()))?;
        self.players()[place] = Some(kept);
        if cancel.is_cancelled() {
            // The search ended early, so its choice is worth nothing.
            return Err(Refusal::conflict("the request was given up", "the same request again"));
        }
        let analysis = AnalysisForm::of(&*position, history.len(), name, &choice);
        let mut line = self.line();
        if let Some(value) = analysis.as_ref().and_then(AnalysisForm::value)
            && moves.is_empty()
            && line.history().get(..ply) == Some(&history)
        {
            line.note_value(ply, value);
        }
        Ok((choice, analysis))
    }

    /// The table after `ply` decisions, or as it stands, and `moves` beside the game, but for its id.
    pub(super) fn form(&self, ply: Option<usize>, moves: &[String]) -> Result<TableForm, Refusal> {
        let seat = |seat: &Option<AgentSeat>| seat.as_ref().map(|agent| agent.request.clone());
        let line = self.line();
        line.form(ply.unwrap_or(line.len()), moves, self.seats.each_ref().map(seat), self.is_thinking())
    }

    /// Makes a decision in the game that stands after `ply` decisions.
    pub(super) fn decide(&self, decision: &str, ply: usize) -> Result<(), Refusal> {
        let mut line = self.line();
        line.check_running_at(ply)?;
        line.decide(decision)
    }

    /// Takes back all but the first `ply` decisions.
    pub(super) fn undo_to(&self, ply: usize) -> Result<(), Refusal> {
        self.line().undo_to(ply)
    }

    /// Ends the game as lost for `side`.
    pub(super) fn resign(&self, side: Side) -> Result<(), Refusal> {
        self.line().resign(side)
    }

    /// Reserves the table's one place for a thinking player.
    pub(super) fn claim(&self) -> Result<Claim, Refusal> {
        match self.is_thinking.swap(true, Ordering::AcqRel) {
            false => Ok(Claim(Arc::clone(&self.is_thinking))),
            true => Err(Refusal::conflict("a player thinks at this table already", "one thought at a time")),
        }
    }

    /// Whether that place is taken.
    pub(super) fn is_thinking(&self) -> bool {
        self.is_thinking.load(Ordering::Acquire)
    }

    /// Lets the agent to move decide in the game that stands after `ply` decisions; takes the time the agent takes.
    pub(super) fn let_agent_decide(&self, ply: usize, cancel: &CancelToken) -> Result<Option<AnalysisForm>, Refusal> {
        let (side, version) = {
            let line = self.line();
            line.check_running_at(ply)?;
            (line.newest().side_to_move().index(), line.version())
        };
        let Some(agent) = &self.seats[side] else {
            let name = self.game.side_names()[side];
            return Err(Refusal::conflict(format!("{name} is a person"), "a decision of the person's"));
        };
        let (choice, analysis) = self.choose(side, &agent.request.agent, &agent.spec, ply, &[], cancel)?;
        let mut line = self.line();
        if line.clock().is_some_and(|clock| clock.fallen().is_some()) {
            // It has thought for too long; the game is over.
            return Ok(analysis);
        }
        if line.version() != version {
            return Err(Refusal::conflict("the game was changed while the agent thought", "the state as it is now"));
        }
        line.play(choice.action)?;
        Ok(analysis)
    }

    /// Searches the position after `ply` decisions and `moves` beside the game, as the player called `name` with `spec` does;
    /// takes its time.
    pub(super) fn analyse(
        &self,
        ply: usize,
        moves: &[String],
        name: &str,
        spec: &PlayerSpec,
        cancel: &CancelToken,
    ) -> Result<AnalysisForm, Refusal> {
        let (_, analysis) = self.choose(ANALYST, name, spec, ply, moves, cancel)?;
        analysis.ok_or_else(|| {
            Refusal::bad_request(format!("the agent `{name}` tells no values"), "an agent that analyses")
        })
    }

    /// Forgets the memory of the players' searches.
    pub(super) fn release_players(&self) {
        *self.players() = Default::default();
    }
}
