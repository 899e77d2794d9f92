//! A question and the line that answers it.

use std::io::{BufRead, Write};

use selfplay_env::{Outcome, Side};
use selfplay_players::program::quoted;

use selfplay_frontends::PlayError;
use selfplay_frontends::line::{InputLine, read_line};

/// Maximum length of an answer (bytes).
const LINE_BYTES: usize = 1024;

/// How a dialogue came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DialogueEnd {
    /// By the rules.
    Finished {
        /// The result.
        outcome: Outcome,
        /// The side that the person had.
        human: Side,
    },
    /// The person typed `quit`.
    Quit,
    /// There was nothing more to read.
    EndOfInput,
}

/// Why a dialogue stops.
pub(super) enum Stop {
    /// The person left, or there is nothing more to read.
    End(DialogueEnd),
    /// The dialogue failed.
    Failed(PlayError),
}

impl<E: Into<PlayError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failed(error.into())
    }
}

impl Stop {
    /// The end of a dialogue that came so far.
    pub(super) fn end(played: Result<DialogueEnd, Stop>) -> Result<DialogueEnd, PlayError> {
        match played {
            Ok(end) | Err(Stop::End(end)) => Ok(end),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// The two ends of a dialogue.
pub(super) struct Prompt<'a, R, W> {
    pub(super) input: &'a mut R,
    pub(super) output: &'a mut W,
}

impl<R: BufRead, W: Write> Prompt<'_, R, W> {
    /// Asks `question` until a line is no longer than allowed, and returns it without space around it.
    pub(super) fn ask(&mut self, question: &str) -> Result<String, Stop> {
        loop {
            write!(self.output, "{question}")?;
            self.output.flush()?;
            match read_line(self.input, LINE_BYTES)? {
                None => {
                    writeln!(self.output, "\nEnd of input.")?;
                    return Err(Stop::End(DialogueEnd::EndOfInput));
                }
                Some(InputLine::TooLong) => writeln!(self.output, "A line has at most {LINE_BYTES} bytes.")?,
                Some(InputLine::Text(text)) if text.trim().eq_ignore_ascii_case("quit") => {
                    return Err(Stop::End(DialogueEnd::Quit));
                }
                Some(InputLine::Text(text)) => return Ok(text.trim().to_owned()),
            }
        }
    }

    /// Asks who makes the first move, and returns the side that the person has.
    pub(super) fn ask_human_side(&mut self) -> Result<Side, Stop> {
        loop {
            let answer = self.ask("Who makes the first move, AI or Human? ")?;
            match answer.to_ascii_lowercase().as_str() {
                "human" | "h" | "me" => return Ok(Side::First),
                "ai" | "a" | "computer" => return Ok(Side::Second),
                _ => writeln!(self.output, "`{}` is neither: type AI or Human.", quoted(&answer))?,
            }
        }
    }
}
