//! The referee of the Pentago-Swap course's games, byte-compatible with its server.
//!
//! Two clients sit down in the order in which they connect, without those who stay silent; the first is Player-0, White. A line that is no move is
//! passed over and so is one out of turn; an illegal move loses. Once a move's time is over, the next line of the
//! player in turn, whatever it is, is replaced by a random move; one second later the game is lost.

use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use selfplay_config::{InvalidKey, check};
use selfplay_env::game_text::format_game;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, Game, Outcome, Side};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::program::quoted;
use serde::{Deserialize, Serialize};

use super::handshake_queue::HandshakeQueue;
use super::seat::{ConnectedClient, Event, LINES_WAITING, is_timeout};
use super::wire::{GameOver, MoveLine, game_over_line, player_name};
use selfplay_frontends::PlayError;

/// The limits of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PentagoServerConfig {
    /// Milliseconds for each player's first move, 1 to 86,400,000. Default 30,000.
    pub first_move_ms: u64,
    /// Milliseconds for every other move, 1 to 86,400,000. Default 2,000.
    pub move_ms: u64,
    /// Milliseconds between the end of a move's time and the loss of the game, 1 to 86,400,000. Default 1,000.
    pub grace_ms: u64,
    /// Milliseconds for a client that has connected to say `START`, 1 to 86,400,000; after them it is let go. Default 10,000.
    pub start_ms: u64,
    /// Seed of the moves that are made for late players. Default 0.
    pub seed: u64,
}

impl Default for PentagoServerConfig {
    fn default() -> Self {
        PentagoServerConfig { first_move_ms: 30_000, move_ms: 2_000, grace_ms: 1_000, start_ms: 10_000, seed: 0 }
    }
}

impl PentagoServerConfig {
    /// Checks the times.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first that is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let times = [
            ("first_move_ms", self.first_move_ms),
            ("move_ms", self.move_ms),
            ("grace_ms", self.grace_ms),
            ("start_ms", self.start_ms),
        ];
        for (key, ms) in times {
            check((1..=86_400_000).contains(&ms), key, ms, "1 to 86,400,000 milliseconds")?;
        }
        Ok(())
    }
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct PentagoGame {
    /// What Player-0 and Player-1 call themselves.
    pub names: [String; 2],
    /// The moves, with those made for late players.
    pub actions: Vec<Action>,
    /// The result.
    pub result: GameOver,
    /// Why, if not by the rules: the text between `GAMEOVER` and the result.
    pub reason: String,
    /// The slowest answer of each, from `PLAY` sent to the move read.
    pub slowest_reply: [Duration; 2],
}

impl PentagoGame {
    /// The game in our text: its moves and its result by the rules, `*` if it ended otherwise.
    pub fn text(&self) -> String {
        format_game::<PentagoSwap>(&self.actions, PentagoSwap::after(&self.actions).outcome())
    }
}

/// Referees one game between the next two clients of `listener`; `number` tells the games of a seed apart.
///
/// # Errors
/// If the config does not hold together, or connections cannot be accepted. Nothing that a client does is an error.
pub fn referee(listener: &TcpListener, config: &PentagoServerConfig, number: u64) -> Result<PentagoGame, PlayError> {
    referee_next(&mut HandshakeQueue::new(listener, Duration::from_millis(config.start_ms))?, config, number)
}

fn referee_next(
    queue: &mut HandshakeQueue<'_>,
    config: &PentagoServerConfig,
    number: u64,
) -> Result<PentagoGame, PlayError> {
    config.validate()?;
    let mut seats = [queue.next()?, queue.next()?];
    let (sender, events) = sync_channel(LINES_WAITING);
    for side in Side::BOTH {
        let seat = &mut seats[side.index()];
        seat.send(&format!("START {} {}", player_name(side), seat.name));
        seat.listen(side, sender.clone());
    }
    drop(sender);
    let position = PentagoSwap::initial();
    let (actions, slowest_reply) = (Vec::new(), [Duration::ZERO; 2]);
    let mut game = RunningGame { config, number, seats, events, position, actions, slowest_reply };
    let (reason, result) = game.play();
    game.broadcast(&game_over_line(&reason, result));
    let names = game.seats.each_ref().map(|seat| quoted(&seat.name));
    Ok(PentagoGame { names, actions: game.actions, result, reason, slowest_reply: game.slowest_reply })
}

struct RunningGame<'a> {
    config: &'a PentagoServerConfig,
    number: u64,
    seats: [ConnectedClient; 2],
    events: Receiver<Event>,
    position: PentagoSwap,
    actions: Vec<Action>,
    slowest_reply: [Duration; 2],
}

/// A reason and a result.
type End = (String, GameOver);

impl RunningGame<'_> {
    fn play(&mut self) -> End {
        loop {
            match self.position.outcome() {
                Some(Outcome::Draw) => return (String::new(), GameOver::Draw),
                Some(Outcome::Win(side)) => return (String::new(), GameOver::Winner(side)),
                None => {}
            }
            match self.ask() {
                Ok((line, action)) => {
                    self.broadcast(&line.to_string());
                    self.position.play(action);
                    self.actions.push(action);
                }
                Err(end) => return end,
            }
        }
    }

    /// Asks the player in turn for a move and returns the legal one that is to be executed.
    fn ask(&mut self) -> Result<(MoveLine, Action), End> {
        let side = self.position.side_to_move();
        let is_first = self.actions.len() < Side::BOTH.len();
        self.seats[side.index()].send(&format!("PLAY {}", player_name(side)));
        let asked = Instant::now();
        let limit_ms = if is_first { self.config.first_move_ms } else { self.config.move_ms };
        let late = asked + Duration::from_millis(limit_ms);
        let lost = late + Duration::from_millis(self.config.grace_ms);
        loop {
            let event = match self.events.recv_timeout(lost.saturating_duration_since(Instant::now())) {
                Ok(event) => event,
                Err(error) if is_timeout(error) => return Err(("TIMEOUT".into(), GameOver::Winner(side.opponent()))),
                // Both threads that read are gone, which each has told before.
                Err(_) => return Err((String::new(), GameOver::Undecided)),
            };
            let Some(text) = event.line else {
                let reason = format!("DISCONNECTION {}", player_name(event.side));
                return Err((reason, GameOver::Winner(event.side.opponent())));
            };
            // Whoever talks without end, in turn or not, does not stop the clock.
            if event.at >= lost {
                return Err(("TIMEOUT".into(), GameOver::Winner(side.opponent())));
            }
            if event.side != side {
                continue;
            }
            let slowest = &mut self.slowest_reply[side.index()];
            if event.at >= late {
                *slowest = (*slowest).max(event.at - asked);
                let action = self.random_move();
                return Ok((MoveLine::new(action, side), action));
            }
            let Some(line) = MoveLine::read(&text) else { continue };
            *slowest = (*slowest).max(event.at.saturating_duration_since(asked));
            let legal = line.action().filter(|&action| self.position.is_legal(action) && line.side() == Some(side));
            let illegal = || (format!("ILLEGAL MOVE: {}", line.pretty()), GameOver::Winner(side.opponent()));
            return legal.map(|action| (line, action)).ok_or_else(illegal);
        }
    }

    /// A move for a player that is late.
    fn random_move(&self) -> Action {
        let mut legal = Vec::new();
        self.position.legal_actions(&mut legal);
        let mut rng = rng_for(&[self.config.seed, self.number, self.actions.len() as u64]);
        legal[rng.random_range(0..legal.len())]
    }

    fn broadcast(&mut self, line: &str) {
        self.seats.iter_mut().for_each(|seat| seat.send(line));
    }
}

/// What came of a number of games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PentagoSheet {
    /// The games, in their order.
    pub games: Vec<PentagoGame>,
}

impl PentagoSheet {
    /// A line for each game and one for each name, for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut totals: Vec<(&str, [u32; 3])> = Vec::new();
        for (index, game) in self.games.iter().enumerate() {
            let result = game_over_line(&game.reason, game.result);
            let [first, second] = game.slowest_reply.map(|time| time.as_millis());
            text.push_str(&format!(
                "game {}: {} – {}, {} moves, {}, slowest replies {first} ms and {second} ms\n",
                index + 1,
                game.names[0],
                game.names[1],
                game.actions.len(),
                result.trim_start_matches("GAMEOVER ")
            ));
            for side in Side::BOTH {
                let name = game.names[side.index()].as_str();
                let at = totals.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                    totals.push((name, [0; 3]));
                    totals.len() - 1
                });
                let column = match game.result {
                    GameOver::Winner(winner) if winner == side => 0,
                    GameOver::Winner(_) => 2,
                    GameOver::Draw | GameOver::Undecided => 1,
                };
                totals[at].1[column] += 1;
            }
        }
        for (name, [won, drawn, lost]) in totals {
            text.push_str(&format!("{name}: {won} won, {drawn} drawn, {lost} lost\n"));
        }
        text
    }
}

/// Referees `games` games one after the other, each between the next two clients. Every game is written to `log` when
/// it is over: a line that starts with `#` and says who played and how it ended, then the game in our text.
///
/// # Errors
/// What [`referee`] returns, and if `log` cannot be written.
pub fn serve_pentago(
    listener: &TcpListener,
    config: &PentagoServerConfig,
    games: u64,
    log: &mut dyn Write,
) -> Result<PentagoSheet, PlayError> {
    let mut sheet = PentagoSheet::default();
    // Who has come early waits here for the next game.
    let mut queue = HandshakeQueue::new(listener, Duration::from_millis(config.start_ms))?;
    for number in 0..games {
        let game = referee_next(&mut queue, config, number)?;
        let [first, second] = &game.names;
        writeln!(log, "# {first} – {second}, {}", game_over_line(&game.reason, game.result))?;
        writeln!(log, "{}", game.text())?;
        log.flush()?;
        sheet.games.push(game);
    }
    Ok(sheet)
}
