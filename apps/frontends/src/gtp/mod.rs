//! A player that speaks the Go Text Protocol, version 2, for any game.
//!
//! A move is one word, the names of a turn's actions one after the other (`turn_word`). Whatever comes in is
//! answered, with `= …` or `? reason`; only `quit` and the end of the input end the session. `docs/protocols.md` lists
//! the commands.

mod clock;
mod error;
mod request;

use std::io::{self, BufRead, Write};
use std::time::Instant;

use selfplay_env::rng::derive_seed;
use selfplay_env::view::{BoardKind, Piece};
use selfplay_env::{Action, Outcome, Position, Rules, Side};
use selfplay_players::Player;
use selfplay_players::program::{gtp_color, legal_turns, parse_turn, turn_word};

use crate::line::{InputLine, read_line};
use crate::turn::choose_turn;
use clock::{GtpClock, read_seconds};
use error::{GtpError, TurnError};
use request::{Request, clean};

/// The one board there is.
const TABLE: usize = 0;
/// Maximum length of an input line (bytes).
const LINE_BYTES: usize = 4096;
/// Every command, in the order of `list_commands`.
const COMMANDS: [&str; 21] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "play",
    "genmove",
    "undo",
    "showboard",
    "time_settings",
    "time_left",
    "final_score",
    "gogui-rules_game_id",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_final_result",
];

/// How a session came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GtpEnd {
    /// By `quit`.
    Quit,
    /// There was nothing more to read.
    EndOfInput,
}

/// Answers GTP commands from `input` on `output` until `quit` or the end of the input. `player` makes the turns of the game of `rules` that
/// `genmove` asks for; every game, the first and each after `clear_board`, has a seed derived from `seed`.
///
/// # Errors
/// If reading or writing fails. Nothing that comes in is an error.
pub fn serve_gtp(
    rules: &'static dyn Rules,
    player: &mut dyn Player,
    seed: u64,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<GtpEnd> {
    let clock = GtpClock::default();
    let mut session = GtpSession { rules, player, seed, games: 0, game: Game::new(rules), clock };
    session.start_game();
    while let Some(line) = read_line(input, LINE_BYTES)? {
        let line = match line {
            InputLine::Text(line) => clean(&line),
            InputLine::TooLong => {
                write!(output, "? a line has at most {LINE_BYTES} bytes\n\n")?;
                output.flush()?;
                continue;
            }
        };
        let Some(request) = Request::read(&line) else { continue };
        let (mark, text) = match session.answer(&request) {
            Ok(text) => ('=', text),
            Err(error) => ('?', error.to_string()),
        };
        write!(output, "{mark}{} {}\n\n", request.id, without_blank_lines(&text))?;
        output.flush()?;
        if request.command == "quit" {
            return Ok(GtpEnd::Quit);
        }
    }
    Ok(GtpEnd::EndOfInput)
}

/// `text` as an answer can hold it: a blank line would end it.
fn without_blank_lines(text: &str) -> String {
    text.trim_end().split('\n').filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// A game with its turns to be taken back.
struct Game {
    now: Box<dyn Position>,
    history: Vec<Action>,
    /// The position before each turn, and how many actions came before it.
    before_turns: Vec<(Box<dyn Position>, usize)>,
}

impl Game {
    fn new(rules: &dyn Rules) -> Self {
        Game { now: rules.initial(), history: Vec::new(), before_turns: Vec::new() }
    }

    /// Plays a legal turn.
    fn play(&mut self, turn: &[Action]) {
        self.before_turns.push((self.now.clone(), self.history.len()));
        for &action in turn {
            self.now.play(action);
        }
        self.history.extend(turn);
    }

    /// Takes the last turn back; false if there is none.
    fn undo(&mut self) -> bool {
        let Some((position, actions)) = self.before_turns.pop() else { return false };
        self.now = position;
        self.history.truncate(actions);
        true
    }
}

struct GtpSession<'a> {
    rules: &'static dyn Rules,
    player: &'a mut dyn Player,
    seed: u64,
    games: u64,
    game: Game,
    clock: GtpClock,
}

impl GtpSession<'_> {
    fn answer(&mut self, request: &Request) -> Result<String, GtpError> {
        let arguments = &request.arguments[..];
        Ok(match (request.command, arguments) {
            ("protocol_version", _) => "2".into(),
            ("name", _) => self.player.name(),
            ("version", _) => env!("CARGO_PKG_VERSION").into(),
            ("known_command", &[command, ..]) => COMMANDS.contains(&command).to_string(),
            ("known_command", []) => "false".into(),
            ("list_commands", _) => COMMANDS.join("\n"),
            ("quit", _) => String::new(),
            ("boardsize", _) => self.set_size(arguments)?,
            ("clear_board", _) => self.clear(),
            ("play", &[color, word]) => self.play(color, word)?,
            ("play", _) => return Err(GtpError::Syntax("`play COLOR MOVE`".into())),
            ("genmove", &[color]) => self.generate(color)?,
            ("genmove", _) => return Err(GtpError::Syntax("`genmove COLOR`".into())),
            ("undo", _) => self.undo()?,
            ("showboard", _) => format!("\n{}", self.game.now.board()),
            ("time_settings", &[main, byo_yomi, stones]) => self.set_clock(main, byo_yomi, stones)?,
            ("time_settings", _) => {
                return Err(GtpError::Syntax("`time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES`".into()));
            }
            ("time_left", &[color, time, stones]) => self.tell_time(color, time, stones)?,
            ("time_left", _) => return Err(GtpError::Syntax("`time_left COLOR TIME STONES`".into())),
            ("final_score", _) => self.score()?,
            ("gogui-rules_game_id", _) => game_name(self.rules.id()),
            ("gogui-rules_board", _) => self.board_of_stones(),
            ("gogui-rules_board_size", _) => self.width().to_string(),
            ("gogui-rules_legal_moves", _) => self.legal_moves(),
            ("gogui-rules_side_to_move", _) => gtp_color(self.rules, self.game.now.side_to_move()).into(),
            ("gogui-rules_final_result", _) => self.result(),
            (command, _) => return Err(GtpError::UnknownCommand(command.to_owned())),
        })
    }

    /// Columns of the board.
    fn width(&self) -> usize {
        self.rules.shape().width
    }

    /// Tells the player that a game begins.
    fn start_game(&mut self) {
        self.player.new_game(TABLE, derive_seed(&[self.seed, self.games]));
        self.games += 1;
    }

    fn clear(&mut self) -> String {
        self.game = Game::new(self.rules);
        self.start_game();
        String::new()
    }

    /// The game has one size; the board is then cleared, as GTP allows.
    fn set_size(&mut self, arguments: &[&str]) -> Result<String, GtpError> {
        let (game, width) = (self.rules.id(), self.width());
        match *arguments {
            [size] if size.parse() == Ok(width) => Ok(self.clear()),
            [size] if size.parse::<u64>().is_ok() => Err(GtpError::BoardSize { game, width }),
            _ => Err(GtpError::Syntax(format!("`boardsize {width}`").into())),
        }
    }

    fn play(&mut self, color: &str, word: &str) -> Result<String, GtpError> {
        let side = read_color(self.rules, color)?;
        self.check_turn(side).map_err(GtpError::IllegalTurn)?;
        let turn = read_turn(&*self.game.now, word)?;
        self.game.play(&turn);
        Ok(String::new())
    }

    fn generate(&mut self, color: &str) -> Result<String, GtpError> {
        let side = read_color(self.rules, color)?;
        self.check_turn(side)?;
        let started = Instant::now();
        let time_left = self.clock.time_left(side);
        let turn = choose_turn(self.player, TABLE, &*self.game.now, &self.game.history, time_left);
        self.clock.spend(side, started.elapsed());
        let turn = turn?;
        self.game.play(&turn);
        Ok(turn_word(self.rules, &turn))
    }

    fn undo(&mut self) -> Result<String, GtpError> {
        if self.game.undo() { Ok(String::new()) } else { Err(GtpError::NothingToUndo) }
    }

    fn set_clock(&mut self, main: &str, byo_yomi: &str, stones: &str) -> Result<String, GtpError> {
        let expected = "two times in seconds and a number of stones";
        let read = || Some((read_seconds(main)?, read_seconds(byo_yomi)?, stones.parse().ok()?));
        let (main_ms, byo_yomi_ms, stones) = read().ok_or(GtpError::Syntax(expected.into()))?;
        self.clock.set(main_ms, byo_yomi_ms, stones);
        Ok(String::new())
    }

    fn tell_time(&mut self, color: &str, time: &str, stones: &str) -> Result<String, GtpError> {
        let side = read_color(self.rules, color)?;
        let read = || Some((read_seconds(time)?, stones.parse().ok()?));
        let expected = "a time in seconds and a number of stones";
        let (ms, stones) = read().ok_or(GtpError::Syntax(expected.into()))?;
        self.clock.tell(side, ms, stones);
        Ok(String::new())
    }

    /// Whether the game runs and `side` is to move.
    fn check_turn(&self, side: Side) -> Result<(), TurnError> {
        if self.game.now.outcome().is_some() {
            return Err(TurnError::GameOver);
        }
        let to_move = self.game.now.side_to_move();
        if side != to_move {
            return Err(TurnError::OtherColor(gtp_color(self.rules, to_move)));
        }
        Ok(())
    }

    fn legal_moves(&self) -> String {
        let turns = if self.game.now.outcome().is_none() { legal_turns(&*self.game.now) } else { Vec::new() };
        turns.iter().map(|turn| turn_word(self.rules, turn)).collect::<Vec<_>>().join(" ")
    }

    /// As GTP writes scores, with a win as one point.
    fn score(&self) -> Result<String, GtpError> {
        match self.game.now.outcome() {
            None => Err(GtpError::NotOver),
            Some(Outcome::Draw) => Ok("0".into()),
            Some(Outcome::Win(side)) => {
                Ok(if gtp_color(self.rules, side) == "black" { "B+1".into() } else { "W+1".into() })
            }
        }
    }

    /// For people; `unknown` while the game runs.
    fn result(&self) -> String {
        match self.game.now.outcome() {
            None => "unknown".into(),
            Some(Outcome::Draw) => "draw".into(),
            Some(Outcome::Win(side)) => format!("{} wins", gtp_color(self.rules, side)),
        }
    }

    /// A square of `X` for black, `O` for white and `.`, as GoGui reads it; the game's own drawing where there is more to
    /// see than a stone on each place of one level.
    fn board_of_stones(&self) -> String {
        let (position, layout) = (&self.game.now, self.rules.layout());
        let mark = |piece: &Option<Piece>| match piece {
            None => Some("."),
            Some(Piece::Stone(side)) => Some(if gtp_color(self.rules, *side) == "black" { "X" } else { "O" }),
            Some(_) => None,
        };
        let marks: Option<Vec<&str>> = position.view().pieces.iter().map(mark).collect();
        let is_flat = layout.places.iter().all(|place| place.level == 0);
        match marks {
            Some(marks) if is_flat && !matches!(layout.kind, BoardKind::Cards | BoardKind::Text) => {
                marks.chunks(layout.columns).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
            }
            _ => format!("\n{}", position.board()),
        }
    }
}

/// Black or white by GTP's words, or a side by the game's own name for it.
fn read_color(rules: &dyn Rules, text: &str) -> Result<Side, GtpError> {
    let text_lower = text.to_ascii_lowercase();
    let is_named = |side: &Side| {
        let color = gtp_color(rules, *side);
        text_lower == color || text_lower == color[..1] || text.eq_ignore_ascii_case(rules.side_names()[side.index()])
    };
    let expected =
        Side::BOTH.map(|side| format!("`{}` ({})", gtp_color(rules, side), rules.side_names()[side.index()]));
    let side = Side::BOTH.into_iter().find(is_named);
    side.ok_or_else(|| GtpError::UnknownColor { word: text.to_owned(), expected })
}

/// The turn that `word` stands for; words are read in small and in capital letters too, as GTP has it for vertices.
fn read_turn(position: &dyn Position, word: &str) -> Result<Vec<Action>, GtpError> {
    let mut reason = None;
    for spelling in [word.to_owned(), word.to_ascii_uppercase(), word.to_ascii_lowercase()] {
        match parse_turn(position, &spelling) {
            Ok(turn) => return Ok(turn),
            // The reason for a spelling that means something is worth more.
            Err(why) if reason.is_none() || position.rules().parse_action(&spelling).is_ok() => {
                reason = Some(why.to_string());
            }
            Err(_) => {}
        }
    }
    // Notations that mix small and capital letters.
    let is_meant = |turn: &Vec<Action>| turn_word(position.rules(), turn).eq_ignore_ascii_case(word);
    if let Some(turn) = legal_turns(position).into_iter().find(is_meant) {
        return Ok(turn);
    }
    // A reason may quote all of a long word.
    Err(GtpError::IllegalMove(reason.unwrap_or_default().chars().take(400).collect()))
}

/// The game's name as GoGui has names: one capital letter, then small ones.
fn game_name(id: &str) -> String {
    let letters: String = id.chars().filter(char::is_ascii_alphabetic).collect();
    let (first, rest) = letters.split_at(1.min(letters.len()));
    format!("{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase())
}
