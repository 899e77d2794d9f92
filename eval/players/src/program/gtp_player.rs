//! A program that speaks GTP as a player: one process a game, which receives every turn and is asked for its own.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use selfplay_env::{Action, Position, Rules};

use super::config::ProgramConfig;
use super::gtp_session::{GtpError, GtpFault, GtpSession, NoAnswer};
use super::turn_word::{gtp_color, parse_turn, turns};
use crate::error::EvalError;
use crate::player::{Decision, MoveRequest, Player, check_running};
use crate::time_control::{ClockKind, TimeControl, TimeSpan};

/// From this many seconds on, times are sent in whole seconds, as the specification has them; below, in milliseconds.
const WHOLE_SECONDS_FROM_MS: u64 = 10_000;

/// Plays what a program answers to `genmove`.
///
/// Moves are the game's notation, a whole turn as one word ([`turn_word`](super::turn_word())); the size of the board is
/// its width. Where a match has a clock, the program receives it by `time_settings` and `time_left`, if it knows these. The
/// program starts between games, so that this takes nothing of its time. A program is kept for the next game when a game
/// is announced to be over ([`Player::end_game`]), and asked to quit when the player goes. The CPU time of a choice is the
/// system's count for the program's process group; none is given under a wall clock or where the system has no `/proc`.
pub struct GtpPlayer {
    rules: &'static dyn Rules,
    name: String,
    config: ProgramConfig,
    words: Vec<String>,
    tables: HashMap<usize, GtpGame>,
    /// Programs without a game.
    idle: Vec<GtpSession>,
}

/// One game in flight.
struct GtpGame {
    /// The program, or why there is none any more.
    session: Result<GtpSession, GtpError>,
    /// The moves that the program knows of: whole turns, its own last one included.
    known: Vec<Action>,
    /// The position after them.
    position: Box<dyn Position>,
    /// Whether the program received the match's clock.
    is_clock_told: bool,
}

impl GtpPlayer {
    /// A player of the game of `rules` called `name` that plays what the program of `config` answers.
    ///
    /// # Errors
    /// Those of [`ProgramConfig::words`].
    pub fn new(rules: &'static dyn Rules, name: String, config: &ProgramConfig) -> Result<Self, EvalError> {
        let words = config.words()?;
        Ok(GtpPlayer { rules, name, config: config.clone(), words, tables: HashMap::new(), idle: Vec::new() })
    }

    /// A table before the first move, with a program that is ready, or with the reason why it is not.
    fn new_table(&mut self) -> GtpGame {
        let deadline = Instant::now() + Duration::from_millis(self.config.start_ms);
        let session = self.idle.pop().map_or_else(|| GtpSession::start(&self.words, deadline), Ok);
        let prepare = |mut session: GtpSession| {
            session.require(&format!("boardsize {}", self.rules.shape().width), deadline)?;
            session.require("clear_board", deadline)?;
            Ok(session)
        };
        GtpGame {
            session: session.and_then(prepare),
            known: Vec::new(),
            position: self.rules.initial(),
            is_clock_told: false,
        }
    }
}

impl Player for GtpPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, _seed: u64) {
        self.end_game(table);
        let new = self.new_table();
        self.tables.insert(table, new);
    }

    fn end_game(&mut self, table: usize) {
        let ended = self.tables.remove(&table);
        self.idle.extend(ended.and_then(|table| table.session.ok()));
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        check_running(request, &self.name)?;
        if !self.tables.contains_key(&request.table) {
            self.new_game(request.table, 0);
        }
        let failed = |error: GtpError| EvalError::PlayerFailed {
            player: self.name.clone(),
            table: request.table,
            reason: error.to_string(),
        };
        let table = self.tables.get_mut(&request.table).ok_or_else(|| failed(GtpFault::NoGame.into()))?;
        let session = table.session.as_mut().map_err(|error| failed(error.clone()))?;
        // Counting takes some milliseconds, which a wall clock would see.
        let is_cpu_counted = request.time_left.is_none_or(|time| time.clock == ClockKind::Cpu);
        let cpu_time = |session: &GtpSession| if is_cpu_counted { session.cpu_time_so_far() } else { None };
        let cpu_before = cpu_time(session);
        match table.decide(request, self.config.turn_limit(request.time_left)) {
            Ok(action) => {
                let cpu_now = table.session.as_ref().ok().and_then(cpu_time);
                let spent = cpu_now.zip(cpu_before).map(|(now, before)| now.saturating_sub(before));
                Ok(Decision::from_program(action, spent.map(|time| time.as_millis() as u64)))
            }
            Err(error) => {
                if let Ok(session) = &mut table.session {
                    session.kill();
                }
                table.session = Err(error.clone());
                Err(failed(error))
            }
        }
    }
}

impl GtpGame {
    /// The move at `request`: what is left of the program's turn, or else the first move of its next.
    fn decide(&mut self, request: &MoveRequest, limit: Duration) -> Result<Action, GtpError> {
        if let Some(action) = self.known.strip_prefix(request.history).and_then(|rest| rest.first()) {
            return Ok(*action);
        }
        let deadline = Instant::now() + limit;
        self.follow(request, deadline)?;
        if *self.position != *request.position {
            return Err(GtpFault::OtherPosition.into());
        }
        let color = gtp_color(request.position.rules(), request.position.side_to_move());
        if let Some(time_left) = request.time_left {
            self.tell_time(color, time_left, deadline)?;
        }
        let command = format!("genmove {color}");
        let session = self.session.as_mut().map_err(|error| error.clone())?;
        let word = session.require(&command, deadline)?;
        if word.eq_ignore_ascii_case("resign") {
            return Err(GtpFault::Resigned.into());
        }
        let turn = parse_turn(&*self.position, &word).map_err(|error| {
            let source = Box::new(error);
            session.with_last_words(GtpFault::BadTurn { command, word, source })
        })?;
        for &action in &turn {
            self.position.play(action);
            self.known.push(action);
        }
        Ok(turn[0])
    }

    /// Sends the program the turns it does not have; all if it has another game.
    fn follow(&mut self, request: &MoveRequest, deadline: Instant) -> Result<(), GtpError> {
        let session = self.session.as_mut().map_err(|error| error.clone())?;
        if !request.history.starts_with(&self.known) {
            session.require("clear_board", deadline)?;
            (self.known, self.position) = (Vec::new(), request.position.rules().initial());
        }
        let (turns, position) = turns(&*self.position, &request.history[self.known.len()..]).map_err(GtpFault::from)?;
        for (side, word) in turns {
            let command = format!("play {} {word}", gtp_color(request.position.rules(), side));
            session.require(&command, deadline)?;
        }
        (self.known, self.position) = (request.history.to_vec(), position);
        Ok(())
    }

    /// Tells the program what time it has, as far as it understands.
    fn tell_time(&mut self, color: &str, time_left: TimeControl, deadline: Instant) -> Result<(), GtpError> {
        let seconds = seconds(time_left.ms);
        let [settings, left] = match time_left.span {
            TimeSpan::Game => [format!("time_settings {seconds} 0 0"), format!("time_left {color} {seconds} 0")],
            TimeSpan::Turn => [format!("time_settings 0 {seconds} 1"), format!("time_left {color} {seconds} 1")],
        };
        let session = self.session.as_mut().map_err(|error| error.clone())?;
        let mut tell = |name: &str, command: &str| match session.knows(name).then(|| session.ask(command, deadline)) {
            // A program that takes no times, or not these, plays without.
            None | Some(Ok(_) | Err(NoAnswer::Refused(_))) => Ok(()),
            Some(Err(NoAnswer::Broken(error))) => Err(error),
        };
        if !self.is_clock_told {
            tell("time_settings", &settings)?;
            self.is_clock_told = true;
        }
        tell("time_left", &left)
    }
}

/// Seconds as GTP writes them, never more than there are.
fn seconds(ms: u64) -> String {
    if ms >= WHOLE_SECONDS_FROM_MS || ms.is_multiple_of(1000) {
        (ms / 1000).to_string()
    } else {
        format!("{}.{:03}", ms / 1000, ms % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_whole_where_there_are_many() {
        assert_eq!([100_900, 9_500, 2_000, 5].map(seconds), ["100", "9.500", "2", "0.005"]);
    }
}
