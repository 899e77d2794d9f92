//! A person against any player, line by line: the board, a prompt, a move or a command.

mod style;

mod picture;

mod outlook;

use std::fs;
use std::io::{self, BufRead, Write};

use selfplay_env::game_text::{Disagreement, split_result};
use selfplay_env::rng::derive_seed;
use selfplay_env::view::{Click, Piece};
use selfplay_env::{Action, NotationError, Outcome, Position, Rules, Side};
use selfplay_players::{Decision, EvalError, MoveRequest, Player};

use crate::PlayError;
use crate::line::{InputLine, read_line};
use outlook::{best_moves, expectation, value_bar};
use picture::{Marks, draw};

pub use style::Style;

/// The one board there is.
const TABLE: usize = 0;
/// The longest line that is read.
const LINE_BYTES: usize = 4096;
/// Lists of moves are broken at this column.
const LINE_WIDTH: usize = 78;

/// Why a game cannot be loaded.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("`load` needs the name of a file")]
    NoFileName,
    #[error("cannot read `{file}`: {source}")]
    Read { file: String, source: io::Error },
    #[error("`{file}` holds no game: {source}")]
    NotAGame { file: String, source: Disagreement },
    #[error(transparent)]
    Illegal(#[from] selfplay_env::PlayError),
}

const HELP: &str = "\
Type a move in the game's notation, or
  moves  list the legal moves
  hint   show what your opponent would play
  undo   take back your last move and what followed
  save FILE  write the game so far into a new file
  load FILE  go on from the game in a file
  help   this text
  quit   leave the game
";

/// How a game at the terminal came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalEnd {
    /// By the rules.
    Finished(Outcome),
    /// The person left.
    Quit,
    /// There was nothing more to read.
    EndOfInput,
}

/// Who plays a game at the terminal, and how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TerminalSetting {
    /// The person's side.
    pub human: Side,
    /// Decides what the player draws by lot.
    pub seed: u64,
    /// Plain characters or colours.
    pub style: Style,
}

/// Plays one game by `rules` between `player` and a person, who reads the prompts on `output` and types into `input`.
///
/// What the person types is a move in the game's notation or one of `help`, `moves`, `hint`, `undo`, `save FILE`,
/// `load FILE` and `quit`; anything else is answered with a reason and asked again. The player starts a new game, with a
/// seed derived from the setting's, at the beginning and after each `undo` and `load`.
///
/// # Errors
/// [`PlayError::Io`] if reading or writing fails, [`PlayError::Player`] if the player fails to choose or chooses an
/// illegal move.
pub fn play_terminal(
    rules: &'static dyn Rules,
    player: &mut dyn Player,
    setting: TerminalSetting,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<TerminalEnd, PlayError> {
    let (position, history, earlier) = (rules.initial(), Vec::new(), Vec::new());
    let mut game = TerminalGame { rules, player, setting, restarts: 0, position, history, earlier };
    game.run(input, output)
}

/// What a line asks for.
enum Request {
    Help,
    Moves,
    Hint,
    Undo,
    Quit,
    Save(String),
    Load(String),
    Decide(Action),
}

impl Request {
    fn parse(rules: &dyn Rules, line: &str) -> Result<Request, NotationError> {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        Ok(match (word.to_ascii_lowercase().as_str(), rest.trim()) {
            ("save", file) => Request::Save(file.into()),
            ("load", file) => Request::Load(file.into()),
            ("help", "") => Request::Help,
            ("moves", "") => Request::Moves,
            ("hint", "") => Request::Hint,
            ("undo", "") => Request::Undo,
            ("quit", "") => Request::Quit,
            _ => Request::Decide(rules.parse_action(line.trim())?),
        })
    }
}

struct TerminalGame<'a> {
    rules: &'static dyn Rules,
    player: &'a mut dyn Player,
    setting: TerminalSetting,
    restarts: u64,
    position: Box<dyn Position>,
    history: Vec<Action>,
    /// The positions before each move of `history`.
    earlier: Vec<Box<dyn Position>>,
}

impl TerminalGame<'_> {
    fn side_name(&self, side: Side) -> &'static str {
        self.rules.side_names()[side.index()]
    }

    fn run(&mut self, input: &mut impl BufRead, output: &mut impl Write) -> Result<TerminalEnd, PlayError> {
        self.start_player();
        writeln!(output, "{}", self.rules.title())?;
        let (own, other) = (self.side_name(self.setting.human), self.side_name(self.setting.human.opponent()));
        writeln!(output, "You are {own}, {other} is {}. `help` lists the commands.", self.player.name())?;
        loop {
            self.draw_board(output)?;
            if let Some(outcome) = self.position.outcome() {
                self.tell_result(outcome, output)?;
                return Ok(TerminalEnd::Finished(outcome));
            }
            if self.position.side_to_move() != self.setting.human {
                self.let_player_decide(output)?;
            } else if let Some(end) = self.let_person_decide(input, output)? {
                writeln!(output, "Unfinished: {}", self.rules.format_game(&self.history, None))?;
                return Ok(end);
            }
        }
    }

    fn start_player(&mut self) {
        self.player.new_game(TABLE, derive_seed(&[self.setting.seed, self.restarts]));
    }

    /// The player may remember a line that is now taken back.
    fn restart_player(&mut self) {
        self.restarts += 1;
        self.start_player();
    }

    fn ask_player(&mut self) -> Result<Decision, EvalError> {
        self.player.choose(&MoveRequest {
            table: TABLE,
            position: &*self.position,
            history: &self.history,
            time_left: None,
        })
    }

    fn decide(&mut self, action: Action) -> Result<(), selfplay_env::PlayError> {
        let before = self.position.clone();
        self.position.try_play(action)?;
        self.earlier.push(before);
        self.history.push(action);
        Ok(())
    }

    /// Goes back to before the person's previous move; false where there is none.
    fn undo(&mut self) -> bool {
        let Some(actions) = self.earlier.iter().rposition(|position| position.side_to_move() == self.setting.human)
        else {
            return false;
        };
        self.position = self.earlier[actions].clone();
        self.earlier.truncate(actions);
        self.history.truncate(actions);
        self.restart_player();
        true
    }

    /// The board, after the last move on it; quadrants that change places are first shown in their old ones.
    fn draw_board(&self, output: &mut impl Write) -> io::Result<()> {
        let style = self.setting.style;
        let Some((before, &action)) = self.earlier.last().zip(self.history.last()) else {
            return write!(output, "\n{}", draw(self.rules, &self.position.view(), Marks::default(), style));
        };
        let clicks = before.clicks(action);
        let quadrants: Vec<usize> = clicks
            .iter()
            .filter_map(|click| if let Click::Quadrant(index) = click { Some(*index) } else { None })
            .collect();
        if let (&[low, high], Some(&Click::Place(place))) = (quadrants.as_slice(), clicks.first()) {
            let mut between = before.view();
            between.pieces[place] = Some(Piece::Stone(before.side_to_move()));
            let marks = Marks { last: &[place], moving: &quadrants };
            let [low, high] = [low, high].map(|index| char::from(b'A' + index as u8));
            write!(output, "\n{}", draw(self.rules, &between, marks, style))?;
            writeln!(output, "then {low} and {high} change places:")?;
        }
        let marks = Marks { last: &before.touched(action), moving: &[] };
        write!(output, "\n{}", draw(self.rules, &self.position.view(), marks, style))
    }

    /// Writes the game into a new file and says so, or why not.
    fn save(&self, file: &str) -> String {
        if file.is_empty() {
            return "`save` needs the name of a file.".into();
        }
        let line = self.rules.format_game(&self.history, self.position.outcome()) + "\n";
        let written = fs::File::create_new(file).and_then(|mut file| file.write_all(line.as_bytes()));
        match written {
            Ok(()) => format!("Saved to `{file}`."),
            Err(error) => format!("Cannot write the game to `{file}`: {error}."),
        }
    }

    /// Resumes the first game of a file.
    fn load(&mut self, file: &str) -> Result<(), LoadError> {
        if file.is_empty() {
            return Err(LoadError::NoFileName);
        }
        let text = fs::read_to_string(file).map_err(|source| LoadError::Read { file: file.to_owned(), source })?;
        let line = text.lines().next().unwrap_or_default();
        let not_a_game = |source| LoadError::NotAGame { file: file.to_owned(), source };
        self.rules.replay_line(line).map_err(not_a_game)?;
        let actions: Vec<&str> = split_result(line).0.split_whitespace().collect();
        let (_, actions) = self.rules.play_line(&actions).map_err(not_a_game)?;
        (self.position, self.history, self.earlier) = (self.rules.initial(), Vec::new(), Vec::new());
        for action in actions {
            self.decide(action)?;
        }
        self.restart_player();
        Ok(())
    }

    fn let_player_decide(&mut self, output: &mut impl Write) -> Result<(), PlayError> {
        let decider = self.position.side_to_move();
        let side = self.side_name(decider);
        writeln!(output, "{side} to move: {} is thinking …", self.player.name())?;
        output.flush()?;
        let choice = self.ask_player()?;
        self.decide(choice.action).map_err(|source| EvalError::IllegalMove {
            player: self.player.name(),
            table: TABLE,
            move_number: self.history.len() + 1,
            source,
        })?;
        writeln!(output, "{side} plays {}{}.", self.rules.action_name(choice.action), expectation(&choice, side))?;
        write!(output, "{}", value_bar(self.rules, &choice, decider, self.setting.style))?;
        Ok(())
    }

    /// Prompts until the person has decided or taken back, or leaves: then the end is returned.
    fn let_person_decide(
        &mut self,
        input: &mut impl BufRead,
        output: &mut impl Write,
    ) -> Result<Option<TerminalEnd>, PlayError> {
        loop {
            write!(output, "{} to move (you): ", self.side_name(self.setting.human))?;
            output.flush()?;
            let line = match read_line(input, LINE_BYTES)? {
                Some(InputLine::Text(line)) => line,
                Some(InputLine::TooLong) => {
                    writeln!(output, "A line has at most {LINE_BYTES} bytes.")?;
                    continue;
                }
                None => {
                    writeln!(output, "\nEnd of input.")?;
                    return Ok(Some(TerminalEnd::EndOfInput));
                }
            };
            match Request::parse(self.rules, &line) {
                Ok(Request::Help) => write!(output, "{HELP}")?,
                Ok(Request::Moves) => self.tell_moves(output)?,
                Ok(Request::Hint) => self.tell_hint(output)?,
                Ok(Request::Undo) => {
                    if self.undo() {
                        return Ok(None);
                    }
                    writeln!(output, "You have no move to take back.")?;
                }
                Ok(Request::Save(file)) => writeln!(output, "{}", self.save(&file))?,
                Ok(Request::Load(file)) => match self.load(&file) {
                    Ok(()) => return Ok(None),
                    Err(error) => writeln!(output, "{error}.")?,
                },
                Ok(Request::Quit) => return Ok(Some(TerminalEnd::Quit)),
                Ok(Request::Decide(action)) => match self.decide(action) {
                    Ok(()) => return Ok(None),
                    Err(error) => writeln!(output, "{error}.")?,
                },
                Err(error) => writeln!(output, "{error}. `help` lists the commands.")?,
            }
        }
    }

    fn tell_moves(&self, output: &mut impl Write) -> io::Result<()> {
        let mut actions = Vec::new();
        self.position.legal_actions(&mut actions);
        let mut line = String::new();
        for action in actions {
            let name = self.rules.action_name(action);
            if !line.is_empty() && line.len() + 1 + name.len() > LINE_WIDTH {
                writeln!(output, "{line}")?;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&name);
        }
        writeln!(output, "{line}")
    }

    fn tell_hint(&mut self, output: &mut impl Write) -> io::Result<()> {
        let player = self.player.name();
        match self.ask_player() {
            Ok(choice) => {
                let name = self.rules.action_name(choice.action);
                let human = self.setting.human;
                writeln!(output, "{player} would play {name}{}.", expectation(&choice, self.side_name(human)))?;
                write!(
                    output,
                    "{}{}",
                    best_moves(self.rules, &choice),
                    value_bar(self.rules, &choice, human, self.setting.style)
                )
            }
            Err(error) => writeln!(output, "No hint: {error}."),
        }
    }

    fn tell_result(&self, outcome: Outcome, output: &mut impl Write) -> io::Result<()> {
        match outcome {
            Outcome::Win(side) if side == self.setting.human => {
                writeln!(output, "{} wins: you.", self.side_name(side))?
            }
            Outcome::Win(side) => writeln!(output, "{} wins: {}.", self.side_name(side), self.player.name())?,
            Outcome::Draw => writeln!(output, "The game is a draw.")?,
        }
        writeln!(output, "{}", self.rules.format_game(&self.history, Some(outcome)))
    }
}
