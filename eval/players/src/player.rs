//! What a player is: it is told of new games and asked for decisions, at one table or at many.

use std::collections::HashMap;
use std::time::Duration;

use selfplay_env::rng::{GameRng, rng_for};
use selfplay_env::{Action, Position, WholeGame};
use selfplay_mcts::{CancelToken, SearchReport};

use crate::alphabeta_report::{AlphaBetaReport, Proof};
use crate::error::EvalError;
use crate::time_control::TimeControl;

/// Lines that players tell of a decision, at most.
pub(crate) const TOLD_LINES: usize = 5;

/// One game in flight, seen by the player who is to decide; `P` is the type of its positions, if that is known.
#[derive(Debug)]
pub struct Seat<'a, P: ?Sized = dyn Position> {
    /// Number of the game among those the player has in flight.
    pub table: usize,
    /// The position to decide in; its game is not over.
    pub position: &'a P,
    /// All decisions of the game so far, of both sides.
    pub history: &'a [Action],
    /// What the match has left for the player's turn, or for the rest of its game; `None` without a clock.
    /// A player's own limits hold as well.
    pub time_left: Option<TimeControl>,
}

impl<P: ?Sized> Clone for Seat<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: ?Sized> Copy for Seat<'_, P> {}

impl<'a> Seat<'a> {
    /// The same seat of the game `G`, for a player that knows this game alone and is called `player`.
    ///
    /// # Errors
    /// [`EvalError::GameOver`], [`EvalError::WrongGame`].
    pub fn of_game<G: WholeGame>(&self, player: &str) -> Result<Seat<'a, G>, EvalError> {
        check_running(self, player)?;
        let Seat { table, position, history, time_left } = *self;
        match position.typed::<G>() {
            Some(position) => Ok(Seat { table, position, history, time_left }),
            None => Err(EvalError::WrongGame {
                player: player.to_owned(),
                game: position.rules().id(),
                games: G::spec().id.to_owned(),
            }),
        }
    }
}

impl<'a, G: WholeGame> Seat<'a, G> {
    /// The same seat without its type.
    pub fn of_any_game(&self) -> Seat<'a> {
        let Seat { table, position, history, time_left } = *self;
        Seat { table, position, history, time_left }
    }
}

/// A decision, and what its player thought if it tells.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The decision.
    pub action: Action,
    /// The search behind it; `None` for players that do not search a tree of visits.
    pub report: Option<SearchReport>,
    /// CPU milliseconds that a program outside used by the operating system's count; `None` where the arena's own clock
    /// is right.
    pub cpu_time_ms: Option<u64>,
    /// The result of the position after the decision, where alpha-beta has proven it.
    pub proof: Option<Proof>,
    /// The time that the player took for the decision by its own clock; `None` if it looked at none.
    pub time_used: Option<Duration>,
    /// What alpha-beta found, for players that search with it alone.
    pub alpha_beta: Option<AlphaBetaReport>,
    /// What players that search a tree of visits expect to be played, after each of the moves that they like best; told only
    /// of decisions that are asked for alone.
    pub lines: Vec<Vec<Action>>,
}

impl Choice {
    /// The decision alone.
    pub fn of(action: Action) -> Self {
        Choice {
            action,
            report: None,
            cpu_time_ms: None,
            proof: None,
            time_used: None,
            alpha_beta: None,
            lines: Vec::new(),
        }
    }
}

/// Makes decisions, in any number of games of one kind at the same time.
///
/// A decision is a function of the seed of its table, the position and the history, unless the player is limited by
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

    /// Ends the searches of later decisions early once `token` is cancelled; `None` lets them run. Players that do not search
    /// ignore it.
    fn set_cancel_token(&mut self, _token: Option<CancelToken>) {}

    /// The decision for one seat.
    ///
    /// # Errors
    /// [`EvalError::GameOver`], or [`EvalError::PlayerFailed`] for a program outside that gives no decision.
    fn choose(&mut self, seat: &Seat) -> Result<Choice, EvalError>;

    /// The decisions for several seats at different tables, in their order. A player that gains by thinking about them
    /// together overrides this.
    fn choose_all(&mut self, seats: &[Seat]) -> Vec<Result<Choice, EvalError>> {
        seats.iter().map(|seat| self.choose(seat)).collect()
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

    /// The generator of one decision: the same whatever was asked before.
    pub fn rng<P: ?Sized>(&self, seat: &Seat<P>) -> GameRng {
        let seed = self.0.get(&seat.table).copied().unwrap_or(0);
        rng_for(&[seed, seat.history.len() as u64])
    }
}

/// Asks `player` in many positions together, each given with all decisions that led to it, as if its game had been taken
/// up there: at a table of its own that has just been announced with `seed`.
pub fn choose_afresh<'a>(
    player: &mut dyn Player,
    games: impl Iterator<Item = (&'a dyn Position, &'a [Action])>,
    seed: u64,
) -> Vec<Result<Choice, EvalError>> {
    let seat = |(table, (position, history))| Seat { table, position, history, time_left: None };
    let seats: Vec<Seat> = games.enumerate().map(seat).collect();
    seats.iter().for_each(|seat| player.new_game(seat.table, seed));
    player.choose_all(&seats)
}

/// Checks that the game at `seat` is running.
///
/// # Errors
/// [`EvalError::GameOver`] for the player called `player`.
pub fn check_running(seat: &Seat, player: &str) -> Result<(), EvalError> {
    match seat.position.outcome() {
        None => Ok(()),
        Some(_) => Err(EvalError::GameOver { player: player.to_owned(), table: seat.table }),
    }
}
