//! One process that speaks GTP: a command goes in, a response comes out in time, or there is a reason.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use selfplay_env::PlayError;

use super::error::{ProgramError, StartError};
use super::process::Process;
use super::quoted::quoted;
use super::turn_word::TurnError;

/// Lines that may wait to be read; a process that writes more has to wait.
const LINES_WAITING: usize = 64;
const LINE_BYTES: u64 = 1 << 16;
/// Lines of a response; more are junk.
const RESPONSE_LINES: usize = 10_000;
/// How long a process may take to follow `quit` before it is killed.
const QUIT_WAIT: Duration = Duration::from_millis(300);
/// How long it may take to end after it closed its input or output.
const END_WAIT: Duration = Duration::from_secs(1);

/// What a program that should speak GTP did instead.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum GtpFault {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("received `quit`")]
    Quit,
    #[error("{end} instead of answering `{command}`")]
    Ended { command: String, end: String },
    #[error("gave no complete answer to `{command}` within {waited_ms} ms")]
    Silent { command: String, waited_ms: u128 },
    #[error("answered `{}` to `{command}`, which is not GTP", quoted(line))]
    NotGtp { command: String, line: String },
    #[error("answered `{command}` without end")]
    Endless { command: String },
    #[error("rejected `{command}`: {}", quoted(reason))]
    Refused { command: String, reason: String },
    #[error("resigned")]
    Resigned,
    #[error("answered `{}` to `{command}`: {source}", quoted(word))]
    BadTurn { command: String, word: String, source: Box<TurnError> },
    #[error(transparent)]
    BadHistory(#[from] PlayError),
    #[error("is asked for a move in the middle of a turn or in a position its history does not lead to")]
    OtherPosition,
    #[error("has no game")]
    NoGame,
}

pub(super) type GtpError = ProgramError<GtpFault>;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The program answered `? reason`, and can continue.
    Refused(String),
    /// It crashed, was silent or does not speak GTP: it is of no use any more.
    Broken(GtpError),
}

/// A running program.
pub(super) struct GtpSession {
    process: Process,
    /// `None` once it receives a request to quit.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Empty if it does not tell.
    known_commands: HashSet<String>,
}

impl GtpSession {
    /// Starts the command `words` and asks what it knows, which may take it until `deadline`.
    pub(super) fn start(words: &[String], deadline: Instant) -> Result<Self, GtpError> {
        let started = Process::start(words, None, Stdio::piped(), Stdio::piped());
        let mut process = started.map_err(GtpFault::from)?;
        let (sender, lines) = sync_channel(LINES_WAITING);
        let child = process.child();
        let (stdin, stdout) = child.map_or((None, None), |child| (child.stdin.take(), child.stdout.take()));
        if let Some(stdout) = stdout {
            thread::spawn(move || pass_lines_on(stdout, &sender));
        }
        let mut session = GtpSession { process, stdin, lines, known_commands: HashSet::new() };
        match session.ask("list_commands", deadline) {
            Ok(commands) => session.known_commands = commands.split_whitespace().map(str::to_owned).collect(),
            Err(NoAnswer::Refused(_)) => {}
            Err(NoAnswer::Broken(reason)) => return Err(reason),
        }
        Ok(session)
    }

    /// Whether the program says that it knows `command`, or does not say what it knows.
    pub(super) fn knows(&self, command: &str) -> bool {
        self.known_commands.is_empty() || self.known_commands.contains(command)
    }

    /// See [`Process::cpu_time_so_far`].
    pub(super) fn cpu_time_so_far(&self) -> Option<Duration> {
        self.process.cpu_time_so_far()
    }

    /// Ends the program at once.
    pub(super) fn kill(&mut self) {
        self.process.finish();
    }

    /// `fault` with the program's last words.
    pub(super) fn with_last_words(&self, fault: GtpFault) -> GtpError {
        self.process.with_last_words(fault)
    }

    /// Sends `command` and returns the text of the response, which must be complete by `deadline`.
    pub(super) fn ask(&mut self, command: &str, deadline: Instant) -> Result<String, NoAnswer> {
        let response = self.send(command).and_then(|()| self.response(command, deadline));
        response.map_err(|fault| NoAnswer::Broken(self.with_last_words(fault)))?.map_err(NoAnswer::Refused)
    }

    /// [`ask`](Self::ask) for a command that a program may not reject; the reason if it does.
    pub(super) fn require(&mut self, command: &str, deadline: Instant) -> Result<String, GtpError> {
        self.ask(command, deadline).map_err(|no_answer| match no_answer {
            NoAnswer::Refused(reason) => GtpFault::Refused { command: command.into(), reason }.into(),
            NoAnswer::Broken(error) => error,
        })
    }

    fn send(&mut self, command: &str) -> Result<(), GtpFault> {
        let line = format!("{command}\n");
        let stdin = self.stdin.as_mut().ok_or(GtpFault::Quit)?;
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).map_err(|_| self.ended(command))
    }

    /// The answer, or the reason of a program that rejects; the outer error is for what breaks the session.
    fn response(&mut self, command: &str, deadline: Instant) -> Result<Result<String, String>, GtpFault> {
        let started = Instant::now();
        let mut text = String::new();
        let mut lines = 0;
        loop {
            let line = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    let waited_ms = started.elapsed().as_millis();
                    return Err(GtpFault::Silent { command: command.into(), waited_ms });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(command)),
            };
            // The specification has control characters ignored.
            let line = line.replace(|c: char| c.is_control() && c != '\t', "");
            let line = line.trim_end();
            match (lines, line) {
                (0, "") => continue,
                (0, _) if !line.starts_with(['=', '?']) => {
                    return Err(GtpFault::NotGtp { command: command.into(), line: line.into() });
                }
                (RESPONSE_LINES.., _) => return Err(GtpFault::Endless { command: command.into() }),
                (_, "") => break,
                _ => {
                    text.push_str(line);
                    text.push('\n');
                    lines += 1;
                }
            }
        }
        let answer = text[1..].trim().to_owned();
        Ok(if text.starts_with('=') { Ok(answer) } else { Err(answer) })
    }

    /// What is wrong when the process does not read or write any more.
    fn ended(&self, command: &str) -> GtpFault {
        let end = self.process.wait(END_WAIT).unwrap_or_else(|| "closed its input or output".into());
        GtpFault::Ended { command: command.into(), end }
    }
}

impl Drop for GtpSession {
    /// A program that was not killed may end by itself, as `quit` tells it.
    fn drop(&mut self) {
        if self.process.end().is_none() && self.send("quit").is_ok() {
            self.stdin = None;
            self.process.wait(QUIT_WAIT);
        }
    }
}

/// Sends every line of `stdout`, without its end, until the pipe or the receiver is closed. A longer one than any answer
/// comes in parts.
fn pass_lines_on(stdout: ChildStdout, lines: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    while matches!(reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line), Ok(1..)) {
        if lines.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
            return;
        }
        line.clear();
    }
}
