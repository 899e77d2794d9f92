//! One game of a match in flight: whose turn it is, what time is left, and what each answer leads to.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::time::Duration;

use selfplay_env::{Action, Outcome, Position, Rules, Side};

use super::config::MatchConfig;
use super::game_result::{GameResult, Termination, more_time_left};
use selfplay_players::player::{Decision, MoveRequest};
use selfplay_players::time_control::{TimeControl, TimeSpan};

/// A game in flight; its number in the match is its table.
pub(super) struct GameInFlight<'a> {
    config: &'a MatchConfig,
    position: Box<dyn Position>,
    result: GameResult,
    is_over: bool,
    /// Whether the first and the second player have ended a turn of their own.
    has_decided: [bool; 2],
    /// What the side to move has used of the turn that it is making.
    turn_used: Duration,
}

impl<'a> GameInFlight<'a> {
    /// Game `number` after its opening.
    pub(super) fn begin(rules: &dyn Rules, number: usize, opening: &[Action], config: &'a MatchConfig) -> Self {
        let result = GameResult {
            opening: number / 2,
            opening_len: opening.len(),
            a_side: Side::BOTH[number % 2],
            actions: opening.to_vec(),
            outcome: None,
            termination: Termination::Capped,
            move_times: Vec::new(),
            time_used: [Duration::ZERO; 2],
        };
        // An opening longer than asked for can reach the cap by itself.
        let is_over = opening.len() >= config.max_plies;
        GameInFlight {
            config,
            position: rules.after(opening),
            result,
            is_over,
            has_decided: [false; 2],
            turn_used: Duration::ZERO,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.result.number()
    }

    pub(super) fn is_running(&self) -> bool {
        !self.is_over
    }

    pub(super) fn result(&self) -> &GameResult {
        &self.result
    }

    pub(super) fn into_result(self) -> GameResult {
        self.result
    }

    /// 0 if player A is to decide, 1 if B is.
    pub(super) fn player_to_move(&self) -> usize {
        usize::from(self.position.side_to_move() != self.result.a_side)
    }

    /// What the player who is to decide sees.
    pub(super) fn request(&self) -> MoveRequest<'_> {
        let time_left = self.time_left().map(|(control, left)| TimeControl { ms: left.as_millis() as u64, ..control });
        MoveRequest { table: self.number(), position: &*self.position, history: &self.result.actions, time_left }
    }

    /// The match's time control and what is left of it for the side to move.
    fn time_left(&self) -> Option<(TimeControl, Duration)> {
        let control = self.config.time?;
        let side = self.position.side_to_move().index();
        let left = match control.span {
            TimeSpan::Game => Duration::from_millis(control.ms).saturating_sub(self.result.time_used[side]),
            TimeSpan::Turn => {
                let first = self.config.first_move_ms.filter(|_| !self.has_decided[side]);
                Duration::from_millis(first.unwrap_or(control.ms)).saturating_sub(self.turn_used)
            }
        };
        Some((control, left))
    }

    /// Takes what the player to move answered and what the answer cost it, if that was measured.
    ///
    /// Time comes first: a move that comes too late is not made, whatever it is. A move that the rules forbid,
    /// and none at all, lose the game.
    ///
    /// # Errors
    /// Whatever else the player reports: it is not for the game to bear.
    pub(super) fn take(
        &mut self,
        answer: Result<Decision, EvalError>,
        spent: Option<Duration>,
    ) -> Result<(), ArenaError> {
        if let Some(late) = spent.and_then(|spent| self.spend(spent)) {
            self.forfeit(late);
            return Ok(());
        }
        let action = match answer {
            Ok(choice) => choice.action,
            Err(EvalError::PlayerFailed { reason, .. }) => {
                self.forfeit(Termination::PlayerFailed { reason });
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let before = self.position.clone();
        if let Err(error) = self.position.try_play(action) {
            self.forfeit(Termination::IllegalMove { reason: error.to_string() });
            return Ok(());
        }
        if self.position.starts_turn() {
            self.has_decided[before.side_to_move().index()] = true;
            self.turn_used = Duration::ZERO;
        }
        self.result.actions.push(before.canonical_action(action));
        if let Some(outcome) = self.position.outcome() {
            let is_by_time = outcome == Outcome::Draw && self.config.time_breaks_draws;
            let saver = if is_by_time { more_time_left(&self.result.time_used) } else { None };
            match saver {
                Some(winner) => self.end(Termination::MoreTimeLeft, Some(Outcome::Win(winner))),
                None => self.end(Termination::Rules, Some(outcome)),
            }
        } else if self.result.actions.len() >= self.config.max_plies {
            self.end(Termination::Capped, None);
        }
        Ok(())
    }

    /// Books the time of a move; the forfeit if it was too much.
    fn spend(&mut self, spent: Duration) -> Option<Termination> {
        // Whole microseconds, so that a stored game is the game.
        let spent = Duration::from_micros(spent.as_micros() as u64);
        let limit = self.time_left();
        let side = self.position.side_to_move().index();
        self.result.move_times.push(spent);
        self.result.time_used[side] += spent;
        self.turn_used += spent;
        let (control, left) = limit?;
        let is_late = match control.span {
            // The Pente course: "If time left reaches zero or negative, your agent loses the game."
            TimeSpan::Game => spent >= left,
            TimeSpan::Turn => spent > left + Duration::from_millis(self.config.tolerance_under(&control)),
        };
        let (used, allowed) = match control.span {
            TimeSpan::Game => (self.result.time_used[side], Duration::from_millis(control.ms)),
            TimeSpan::Turn => (self.turn_used, left + self.turn_used - spent),
        };
        let [used_ms, allowed_ms] = [used, allowed].map(|time| time.as_millis() as u64);
        is_late.then_some(Termination::TimeForfeit { used_ms, allowed_ms })
    }

    fn forfeit(&mut self, termination: Termination) {
        let loser = self.position.side_to_move();
        self.end(termination, Some(Outcome::Win(loser.opponent())));
    }

    fn end(&mut self, termination: Termination, outcome: Option<Outcome>) {
        self.result.termination = termination;
        self.result.outcome = outcome;
        self.is_over = true;
    }
}
