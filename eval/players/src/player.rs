//! The player interface: it receives new games and requests for actions, at one table or at many.

use std::collections::HashMap;
use std::time::Duration;

use selfplay_env::rng::{GameRng, rng_for};
use selfplay_env::{Action, CompleteGame, Position};
use selfplay_mcts::{CancelToken, SearchReport};

use crate::alphabeta_report::{AlphaBetaReport, Proof};
use crate::error::EvalError;
use crate::time_control::TimeControl;

/// Lines that players tell of a move, at most.
pub(crate) const TOLD_LINES: usize = 5;

/// A request for a move in one game in flight; `P` is the type of its positions, if that is known.
#[derive(Debug)]
pub struct MoveRequest<'a, P: ?Sized = dyn Position> {
    /// Number of the game among those the player has in flight.
    pub table: usize,
    /// The position to decide in; its game is not over.
    pub position: &'a P,
    /// All moves of the game so far, of both sides.
    pub history: &'a [Action],
    /// What the match has left for the player's turn, or for the rest of its game; `None` without a clock.
    /// A player's own limits hold as well.
    pub time_left: Option<TimeControl>,
}

impl<P: ?Sized> Clone for MoveRequest<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: ?Sized> Copy for MoveRequest<'_, P> {}

impl<'a> MoveRequest<'a> {
    /// The same request with its position of the game `G`, for a player that knows this game alone and is called `player`.
    ///
    /// # Errors
    /// [`EvalError::GameOver`], [`EvalError::WrongGame`].
    pub fn typed<G: CompleteGame>(&self, player: &str) -> Result<MoveRequest<'a, G>, EvalError> {
        check_running(self, player)?;
        let MoveRequest { table, position, history, time_left } = *self;
        match position.typed::<G>() {
            Some(position) => Ok(MoveRequest { table, position, history, time_left }),
            None => Err(EvalError::WrongGame {
                player: player.to_owned(),
                game: position.rules().id(),
                games: G::spec().id.to_owned(),
            }),
        }
    }
}

impl<'a, G: CompleteGame> MoveRequest<'a, G> {
    /// The same request without its type.
    pub fn untyped(&self) -> MoveRequest<'a> {
        let MoveRequest { table, position, history, time_left } = *self;
        MoveRequest { table, position, history, time_left }
    }
}

/// An action, and the analysis behind it.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The action.
    pub action: Action,
    /// What its player found.
    pub analysis: DecisionAnalysis,
}

/// What a player found before it made a move, by the kind of player.
#[derive(Clone, PartialEq, Default, Debug)]
#[non_exhaustive]
pub enum DecisionAnalysis {
    /// Nothing that it reports.
    #[default]
    None,
    /// That of a search over an evaluator.
    Search(SearchAnalysis),
    /// That of a search with random playouts.
    Playouts {
        /// The search.
        report: SearchReport,
        /// The lines that it expects after the moves that it likes best.
        lines: Vec<Vec<Action>>,
    },
    /// That of alpha-beta.
    AlphaBeta(AlphaBetaReport),
    /// That of a tablebase.
    Table {
        /// What the table says of each action, in the form of a search.
        report: SearchReport,
        /// The result under perfect play.
        proof: Proof,
    },
    /// That of a program outside.
    Program {
        /// CPU milliseconds that it used by the operating system's count.
        cpu_time_ms: u64,
    },
}

/// What a search over an evaluator found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchAnalysis {
    /// The search.
    pub report: SearchReport,
    /// The result of the position after the move, where alpha-beta has proven it.
    pub proof: Option<Proof>,
    /// The time that the player took by its own clock; `None` if it looked at none.
    pub time_used: Option<Duration>,
    /// The lines that it expects after the moves that it likes best; only of moves that are asked for alone.
    pub lines: Vec<Vec<Action>>,
}

impl Decision {
    /// The action alone.
    pub fn new(action: Action) -> Self {
        Decision { action, analysis: DecisionAnalysis::None }
    }

    /// The search behind it, or what a tablebase says in the form of one.
    pub fn report(&self) -> Option<&SearchReport> {
        match &self.analysis {
            DecisionAnalysis::Search(SearchAnalysis { report, .. })
            | DecisionAnalysis::Playouts { report, .. }
            | DecisionAnalysis::Table { report, .. } => Some(report),
            DecisionAnalysis::None | DecisionAnalysis::AlphaBeta(_) | DecisionAnalysis::Program { .. } => None,
        }
    }

    /// What alpha-beta found, for players that search with it alone.
    pub fn alpha_beta(&self) -> Option<&AlphaBetaReport> {
        match &self.analysis {
            DecisionAnalysis::AlphaBeta(report) => Some(report),
            _ => None,
        }
    }

    /// The proven result of the position after the move.
    pub fn proof(&self) -> Option<Proof> {
        match &self.analysis {
            DecisionAnalysis::Search(search) => search.proof,
            DecisionAnalysis::Table { proof, .. } => Some(*proof),
            _ => None,
        }
    }

    /// The lines that a search expects after the moves that it likes best.
    pub fn lines(&self) -> &[Vec<Action>] {
        match &self.analysis {
            DecisionAnalysis::Search(SearchAnalysis { lines, .. }) | DecisionAnalysis::Playouts { lines, .. } => lines,
            _ => &[],
        }
    }

    /// The time that a search took by its own clock.
    pub fn time_used(&self) -> Option<Duration> {
        match &self.analysis {
            DecisionAnalysis::Search(search) => search.time_used,
            _ => None,
        }
    }

    /// CPU milliseconds that a program outside used by the operating system's count; `None` where the arena's own clock is
    /// right.
    pub fn cpu_time_ms(&self) -> Option<u64> {
        match self.analysis {
            DecisionAnalysis::Program { cpu_time_ms } => Some(cpu_time_ms),
            _ => None,
        }
    }

    /// The move of a program outside, and the CPU milliseconds that it used, if the system counts them.
    pub fn from_program(action: Action, cpu_time_ms: Option<u64>) -> Self {
        let program = |cpu_time_ms| DecisionAnalysis::Program { cpu_time_ms };
        Decision { action, analysis: cpu_time_ms.map_or(DecisionAnalysis::None, program) }
    }
}

/// Makes moves, in any number of games of one kind at the same time.
///
/// A move is a function of the seed of its table, the position and the history, unless the player is limited by
/// time; it does not depend on what happens at other tables (up to rounding in the evaluator).
pub trait Player: Send {
    /// What result tables call this player.
    fn name(&self) -> String;

    /// How many threads of this process the player computes with, at least 1. With one, the calling one, its CPU time is
    /// that thread's.
    fn threads(&self) -> usize {
        1
    }

    /// A new game begins at `table`; whatever was played there is over. `seed` decides all random choices in it. A
    /// table that was never announced plays as with seed 0.
    fn new_game(&mut self, table: usize, seed: u64);

    /// The game at `table` is over: what the player keeps for it, such as a running program, can be let go. A table
    /// whose end is never announced is kept until its next game begins.
    fn end_game(&mut self, _table: usize) {}

    /// Ends the searches of later moves early once `token` is cancelled; `None` lets them run. Players that do not search
    /// ignore it.
    fn set_cancel_token(&mut self, _token: Option<CancelToken>) {}

    /// The move for one request.
    ///
    /// # Errors
    /// [`EvalError::GameOver`], or [`EvalError::PlayerFailed`] for a program outside that gives no move.
    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError>;

    /// The moves for several requests at different tables, in their order. A player that gains by thinking about them
    /// together overrides this.
    fn choose_all(&mut self, requests: &[MoveRequest]) -> Vec<Result<Decision, EvalError>> {
        requests.iter().map(|request| self.choose(request)).collect()
    }
}

/// The seeds of the games in flight.
#[derive(Clone, Default, Debug)]
pub struct TableSeeds(HashMap<usize, u64>);

impl TableSeeds {
    /// A game with this seed begins at `table`.
    pub fn new_game(&mut self, table: usize, seed: u64) {
        self.0.insert(table, seed);
    }

    /// The generator of one move: the same whatever was asked before.
    pub fn rng<P: ?Sized>(&self, request: &MoveRequest<P>) -> GameRng {
        let seed = self.0.get(&request.table).copied().unwrap_or(0);
        rng_for(&[seed, request.history.len() as u64])
    }
}

/// Asks `player` in many positions together, each given with all moves that led to it, as if its game had been taken
/// up there: at a table of its own that has just been announced with `seed`.
pub fn choose_afresh<'a>(
    player: &mut dyn Player,
    games: impl Iterator<Item = (&'a dyn Position, &'a [Action])>,
    seed: u64,
) -> Vec<Result<Decision, EvalError>> {
    let request = |(table, (position, history))| MoveRequest { table, position, history, time_left: None };
    let requests: Vec<MoveRequest> = games.enumerate().map(request).collect();
    requests.iter().for_each(|request| player.new_game(request.table, seed));
    player.choose_all(&requests)
}

/// Checks that the game at `request` is running.
///
/// # Errors
/// [`EvalError::GameOver`] for the player called `player`.
pub fn check_running(request: &MoveRequest, player: &str) -> Result<(), EvalError> {
    match request.position.outcome() {
        None => Ok(()),
        Some(_) => Err(EvalError::GameOver { player: player.to_owned(), table: request.table }),
    }
}
