//! A player at the Pentago-Swap course's server.

use std::io::{self, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use selfplay_config::{InvalidKey, check};
use selfplay_env::{Action, Game, Side};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::program::quoted;
use selfplay_players::{ClockKind, EvalError, MoveRequest, Player, TimeControl, TimeSpan};
use serde::{Deserialize, Serialize};

use super::wire::{GameOver, MoveLine, ServerLine, player_name};
use selfplay_frontends::line::{InputLine, read_line};

/// Maximum length of an input line (bytes).
const LINE_BYTES: usize = 1024;
/// Lines without a meaning that are passed over before the server is given up.
const MAX_NONSENSE: usize = 100;
/// The one board there is.
const TABLE: usize = 0;

/// Which server, and how much of its time limits is used.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PentagoClientConfig {
    /// Name or address of the server's machine. Default `localhost`.
    pub host: String,
    /// Its port. Default 8123.
    pub port: u16,
    /// What the server calls us; one line. Default `selfplay`.
    pub name: String,
    /// The server's limit for our first move, 1 to 600,000 milliseconds. Default 30,000.
    pub first_move_ms: u64,
    /// The server's limit for every other move, 1 to 600,000 milliseconds. Default 2,000.
    pub move_ms: u64,
    /// Kept back of each limit for the network and for a busy machine, in milliseconds; at most half of a limit is. 0
    /// to 60,000. Default 450.
    pub margin_ms: u64,
    /// The longest silence of the server that is waited for, also for the second player to come, 1 to 86,400,000
    /// milliseconds. Default 3,600,000.
    pub silence_ms: u64,
    /// Seed of the player's random choices. Default 0.
    pub seed: u64,
}

impl Default for PentagoClientConfig {
    fn default() -> Self {
        PentagoClientConfig {
            host: "localhost".into(),
            port: super::DEFAULT_PORT,
            name: "selfplay".into(),
            first_move_ms: 30_000,
            move_ms: 2_000,
            margin_ms: 450,
            silence_ms: 3_600_000,
            seed: 0,
        }
    }
}

impl PentagoClientConfig {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first that is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let limit = "1 to 600,000 milliseconds";
        check((1..=600_000).contains(&self.first_move_ms), "first_move_ms", self.first_move_ms, limit)?;
        check((1..=600_000).contains(&self.move_ms), "move_ms", self.move_ms, limit)?;
        check(self.margin_ms <= 60_000, "margin_ms", self.margin_ms, "0 to 60,000 milliseconds")?;
        let is_silence = (1..=86_400_000).contains(&self.silence_ms);
        check(is_silence, "silence_ms", self.silence_ms, "1 to 86,400,000 milliseconds")
    }

    /// What the player gets for a move.
    fn time_for(&self, is_first: bool) -> TimeControl {
        let limit = if is_first { self.first_move_ms } else { self.move_ms };
        let ms = (limit - self.margin_ms.min(limit / 2)).max(1);
        TimeControl { ms, span: TimeSpan::Turn, clock: ClockKind::Wall }
    }
}

/// Why a game at a server could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PentagoClientError {
    /// The config does not hold together.
    #[error(transparent)]
    Config(#[from] InvalidKey),
    /// There is no server.
    #[error("cannot connect to {address}: {source}")]
    NoServer {
        /// Host and port.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The connection broke, or the server closed it or was silent for too long, before the game was over.
    #[error("connection to the server lost after {moves} moves: {reason}")]
    Lost {
        /// Moves made before.
        moves: usize,
        /// What happened.
        reason: String,
    },
    /// The server says what makes no sense.
    #[error("unexpected line `{line}` from the server after {moves} moves: {reason}")]
    Nonsense {
        /// Moves made before.
        moves: usize,
        /// The beginning of what it said.
        line: String,
        /// Why that makes no sense.
        reason: String,
    },
    /// The player failed.
    #[error(transparent)]
    Player(#[from] EvalError),
}

/// A game that is over.
#[derive(Clone, PartialEq, Debug)]
pub struct PentagoReport {
    /// Which side we had.
    pub side: Side,
    /// The result by the server.
    pub result: GameOver,
    /// The server's reason; empty for an end by the rules.
    pub reason: String,
    /// The moves, also those that the server made for a player.
    pub actions: Vec<Action>,
    /// Our slowest answer, from `PLAY` read to the move sent; zero if we never moved.
    pub slowest_reply: Duration,
}

/// Connects to the server, waits for the second player, plays one game and returns its result.
///
/// # Errors
/// [`PentagoClientError`], if the connection cannot be made or is lost, the server talks nonsense, or the player fails.
pub fn play_pentago(
    player: &mut dyn Player,
    config: &PentagoClientConfig,
) -> Result<PentagoReport, PentagoClientError> {
    config.validate()?;
    let address = format!("{}:{}", config.host, config.port);
    let no_server = |source| PentagoClientError::NoServer { address: address.clone(), source };
    let stream = connect(&config.host, config.port).map_err(no_server)?;
    stream.set_nodelay(true).map_err(no_server)?;
    stream.set_read_timeout(Some(Duration::from_millis(config.silence_ms))).map_err(no_server)?;
    stream.set_write_timeout(Some(Duration::from_millis(config.move_ms))).map_err(no_server)?;
    let input = BufReader::new(stream.try_clone().map_err(no_server)?);
    let game = (PentagoSwap::initial(), Vec::new());
    let mut client = Client { player, config, stream, input, nonsense: 0, game, slowest_reply: Duration::ZERO };
    client.play()
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    const CONNECT_LIMIT: Duration = Duration::from_secs(10);
    let mut last = io::Error::other("the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_LIMIT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

struct Client<'a> {
    player: &'a mut dyn Player,
    config: &'a PentagoClientConfig,
    stream: TcpStream,
    input: BufReader<TcpStream>,
    /// Lines passed over so far.
    nonsense: usize,
    /// The position by the moves that the server has sent, and these.
    game: (PentagoSwap, Vec<Action>),
    slowest_reply: Duration,
}

impl Client<'_> {
    fn play(&mut self) -> Result<PentagoReport, PentagoClientError> {
        // A name is one line.
        let name = self.config.name.replace(char::is_control, " ");
        self.send(&format!("START {}", name.trim()))?;
        let side = loop {
            match self.receive()? {
                (_, ServerLine::Start(side)) => break side,
                (line, ServerLine::Over { .. }) => return Err(self.nonsense(&line, "no game has started".into())),
                (line, _) => self.pass_over(&line)?,
            }
        };
        self.player.new_game(TABLE, self.config.seed);
        let mut replies = 0;
        loop {
            match self.receive()? {
                (line, ServerLine::Play(asked)) => {
                    self.check_turn(&line, asked, side)?;
                    self.reply(side, replies == 0)?;
                    replies += 1;
                }
                (line, ServerLine::Move(made)) => self.follow(&line, made)?,
                (_, ServerLine::Over { reason, result }) => {
                    self.player.end_game(TABLE);
                    let actions = std::mem::take(&mut self.game.1);
                    return Ok(PentagoReport { side, result, reason, actions, slowest_reply: self.slowest_reply });
                }
                (line, ServerLine::Start(_)) => self.pass_over(&line)?,
            }
        }
    }

    /// The next line that means something, with its text.
    fn receive(&mut self) -> Result<(String, ServerLine), PentagoClientError> {
        loop {
            match read_line(&mut self.input, LINE_BYTES) {
                Ok(Some(InputLine::Text(text))) => match ServerLine::read(&text) {
                    Some(line) => return Ok((text, line)),
                    None => self.pass_over(&text)?,
                },
                Ok(Some(InputLine::TooLong)) => self.pass_over("a line without end")?,
                Ok(None) => return Err(self.lost("the server closed it".into())),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Err(self.lost(format!("the server was silent for {} ms", self.config.silence_ms)));
                }
                Err(error) => return Err(self.lost(error.to_string())),
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), PentagoClientError> {
        self.stream.write_all(format!("{line}\n").as_bytes()).map_err(|error| self.lost(error.to_string()))
    }

    /// Passes over a line that a server may say for reasons of its own, unless there are too many.
    fn pass_over(&mut self, line: &str) -> Result<(), PentagoClientError> {
        self.nonsense += 1;
        if self.nonsense <= MAX_NONSENSE {
            return Ok(());
        }
        Err(self.nonsense(line, format!("more than {MAX_NONSENSE} unknown lines")))
    }

    /// Whether `PLAY` for `asked` can be for us, who are `side`.
    fn check_turn(&self, line: &str, asked: Side, side: Side) -> Result<(), PentagoClientError> {
        if asked != side {
            return Err(self.nonsense(line, format!("we are {}", player_name(side))));
        }
        if self.game.0.outcome().is_some() {
            return Err(self.nonsense(line, "the game is already over".into()));
        }
        if self.game.0.side_to_move() != side {
            return Err(self.nonsense(line, "it is the other player's turn".into()));
        }
        Ok(())
    }

    /// Applies a move that the server has executed.
    fn follow(&mut self, line: &str, made: MoveLine) -> Result<(), PentagoClientError> {
        let (position, actions) = &mut self.game;
        let reason = match made.action() {
            Some(_) if made.side() != Some(position.side_to_move()) => "it is the other player's turn".into(),
            None => "there is no such move".into(),
            Some(action) => match position.try_play(action) {
                Ok(()) => {
                    actions.push(action);
                    return Ok(());
                }
                Err(error) => error.to_string(),
            },
        };
        Err(self.nonsense(line, reason))
    }

    fn reply(&mut self, side: Side, is_first: bool) -> Result<(), PentagoClientError> {
        let asked = Instant::now();
        let (position, history) = &self.game;
        let time_left = Some(self.config.time_for(is_first));
        let action = self.player.choose(&MoveRequest { table: TABLE, position, history, time_left })?.action;
        let mut after = *position;
        after.try_play(action).map_err(|source| EvalError::IllegalMove {
            player: self.player.name(),
            table: TABLE,
            move_number: history.len() + 1,
            source,
        })?;
        self.send(&MoveLine::new(action, side).to_string())?;
        self.slowest_reply = self.slowest_reply.max(asked.elapsed());
        Ok(())
    }

    fn lost(&self, reason: String) -> PentagoClientError {
        PentagoClientError::Lost { moves: self.game.1.len(), reason }
    }

    fn nonsense(&self, line: &str, reason: String) -> PentagoClientError {
        PentagoClientError::Nonsense { moves: self.game.1.len(), line: quoted(line), reason }
    }
}
