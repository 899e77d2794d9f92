//! A person against any player, line by line: the board, a prompt, a decision or a command.

use std::io::{self, BufRead, Write};

use selfplay_env::game_text::format_game;
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, Game, NotationError, Outcome, Side, Wdl};
use selfplay_eval::{Choice, EvalError, Player, Seat};

use crate::PlayError;

/// The one board there is.
const TABLE: usize = 0;
/// Lists of moves are broken at this column.
const LINE_WIDTH: usize = 78;

const HELP: &str = "\
Type a decision in the game's notation, or
  moves  list the legal decisions
  hint   ask your opponent what it would do in your place
  undo   take back your last decision and what followed
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

/// Plays one game between `player` and a person, who has the side `human`, reads the prompts on `output` and types into
/// `input`.
///
/// What the person types is a decision in the game's notation or one of `help`, `moves`, `hint`, `undo` and `quit`;
/// anything else is answered with a reason and asked again. The player starts a new game, with a seed derived from
/// `seed`, at the beginning and after each `undo`.
///
/// # Errors
/// [`PlayError::Io`] if reading or writing fails, [`PlayError::Player`] if the player fails to choose or chooses an
/// illegal decision.
pub fn play_terminal<G: Game>(
    player: &mut dyn Player<G>,
    human: Side,
    seed: u64,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<TerminalEnd, PlayError> {
    let mut game = TerminalGame {
        player,
        human,
        seed,
        undos: 0,
        position: G::initial(),
        history: Vec::new(),
        earlier: Vec::new(),
    };
    game.run(input, output)
}

/// What a line asks for.
enum Request {
    Help,
    Moves,
    Hint,
    Undo,
    Quit,
    Decide(Action),
}

impl Request {
    fn parse<G: Game>(line: &str) -> Result<Request, NotationError> {
        Ok(match line.trim().to_ascii_lowercase().as_str() {
            "help" => Request::Help,
            "moves" => Request::Moves,
            "hint" => Request::Hint,
            "undo" => Request::Undo,
            "quit" => Request::Quit,
            _ => Request::Decide(G::parse_action(line.trim())?),
        })
    }
}

struct TerminalGame<'a, G: Game> {
    player: &'a mut dyn Player<G>,
    human: Side,
    seed: u64,
    undos: u64,
    position: G,
    history: Vec<Action>,
    /// The positions before each decision of `history`.
    earlier: Vec<G>,
}

impl<G: Game> TerminalGame<'_, G> {
    fn run(&mut self, input: &mut impl BufRead, output: &mut impl Write) -> Result<TerminalEnd, PlayError> {
        self.start_player();
        writeln!(output, "{}", G::TITLE)?;
        let (own, other) = (side_name::<G>(self.human), side_name::<G>(self.human.opponent()));
        writeln!(output, "You are {own}, {other} is {}. `help` lists the commands.", self.player.name())?;
        loop {
            write!(output, "\n{}", self.position.board())?;
            if let Some(outcome) = self.position.outcome() {
                self.tell_result(outcome, output)?;
                return Ok(TerminalEnd::Finished(outcome));
            }
            if self.position.side_to_move() != self.human {
                self.let_player_decide(output)?;
            } else if let Some(end) = self.let_person_decide(input, output)? {
                writeln!(output, "Unfinished: {}", format_game::<G>(&self.history, None))?;
                return Ok(end);
            }
        }
    }

    fn start_player(&mut self) {
        self.player.new_game(TABLE, derive_seed(&[self.seed, self.undos]));
    }

    fn ask_player(&mut self) -> Result<Choice, EvalError> {
        self.player.choose(&Seat { table: TABLE, position: &self.position, history: &self.history, time_left: None })
    }

    fn decide(&mut self, action: Action) -> Result<(), selfplay_env::PlayError> {
        let before = self.position.clone();
        self.position.try_play(action)?;
        self.earlier.push(before);
        self.history.push(action);
        Ok(())
    }

    /// Goes back to before the person's previous decision; false where there is none.
    fn undo(&mut self) -> bool {
        let Some(decisions) = self.earlier.iter().rposition(|position| position.side_to_move() == self.human) else {
            return false;
        };
        self.position = self.earlier[decisions].clone();
        self.earlier.truncate(decisions);
        self.history.truncate(decisions);
        self.undos += 1;
        // The player may remember the line that is now taken back.
        self.start_player();
        true
    }

    fn let_player_decide(&mut self, output: &mut impl Write) -> Result<(), PlayError> {
        let side = side_name::<G>(self.position.side_to_move());
        writeln!(output, "{side} to move: {} is thinking …", self.player.name())?;
        output.flush()?;
        let choice = self.ask_player()?;
        self.decide(choice.action).map_err(|source| EvalError::IllegalDecision {
            player: self.player.name(),
            table: TABLE,
            decision: self.history.len() + 1,
            source,
        })?;
        writeln!(output, "{side} plays {}{}.", G::action_name(choice.action), expectation(&choice, side))?;
        Ok(())
    }

    /// Prompts until the person has decided or taken back, or leaves: then the end is returned.
    fn let_person_decide(
        &mut self,
        input: &mut impl BufRead,
        output: &mut impl Write,
    ) -> Result<Option<TerminalEnd>, PlayError> {
        loop {
            write!(output, "{} to move (you): ", side_name::<G>(self.human))?;
            output.flush()?;
            let Some(line) = read_line(input)? else {
                writeln!(output, "\nThere is no more input.")?;
                return Ok(Some(TerminalEnd::EndOfInput));
            };
            match Request::parse::<G>(&line) {
                Ok(Request::Help) => write!(output, "{HELP}")?,
                Ok(Request::Moves) => self.tell_moves(output)?,
                Ok(Request::Hint) => self.tell_hint(output)?,
                Ok(Request::Undo) => {
                    if self.undo() {
                        return Ok(None);
                    }
                    writeln!(output, "There is no decision of yours to take back.")?;
                }
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
            let name = G::action_name(action);
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
                let decision = G::action_name(choice.action);
                writeln!(output, "{player} would play {decision}{}.", expectation(&choice, side_name::<G>(self.human)))
            }
            Err(error) => writeln!(output, "There is no hint: {error}."),
        }
    }

    fn tell_result(&self, outcome: Outcome, output: &mut impl Write) -> io::Result<()> {
        match outcome {
            Outcome::Win(side) if side == self.human => writeln!(output, "{} wins: you.", side_name::<G>(side))?,
            Outcome::Win(side) => writeln!(output, "{} wins: {}.", side_name::<G>(side), self.player.name())?,
            Outcome::Draw => writeln!(output, "The game is a draw.")?,
        }
        writeln!(output, "{}", format_game::<G>(&self.history, Some(outcome)))
    }
}

fn side_name<G: Game>(side: Side) -> &'static str {
    G::SIDE_NAMES[side.index()]
}

/// What the search behind `choice` expects for `side`, which made it, to follow the decision's name.
fn expectation(choice: &Choice, side: &str) -> String {
    let Some(report) = &choice.report else { return String::new() };
    let Wdl { win, draw, loss } = report.wdl;
    let percent = |probability: f32| f64::from(probability) * 100.0;
    format!(
        " and expects for {side}: win {:.0} %, draw {:.0} %, loss {:.0} %",
        percent(win),
        percent(draw),
        percent(loss)
    )
}

/// The next line, or `None` at the end of the input. Bytes that are not UTF-8 become replacement characters: such a
/// line is no decision, but no reason to stop either.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
