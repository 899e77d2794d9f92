//! A process that runs the file, and the pipes to it.
//!
//! A process first reads the source of worker.py. All else goes in frames: a length in four bytes and so many bytes. The first
//! frame to a process is JSON with the source of the game. The others are requests, twelve bytes each: what to do, an action, the
//! position it is about and the place for the position that comes of it.
//! A frame that comes back holds a status, the CPU time that the process has taken, and the answers, each with its length before
//! it, or a sentence about what went wrong.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::facts::Facts;
use crate::file::{FileError, GameFile};

/// Seconds within which a frame is answered; the process itself notices first, and says in which member.
pub const LIMIT: u64 = 30;
/// The variable that processes which run a file have in their environment.
pub const READING: &str = "SELFPLAY_READS_A_GAME";
const WORKER: &str = include_str!("worker.py");
/// Runs the worker, whose source comes first on standard input: lists of processes show this and the file's path instead of it.
/// What is read is exactly the source, since a buffer would swallow frames behind it.
const START: &str = "\
import os, sys
source = b''
while len(source) < int(sys.argv[2]):
    source += os.read(0, int(sys.argv[2]) - len(source)) or sys.exit()
exec(compile(source, 'worker.py', 'exec'))";

/// A failure that a process tells of, and the request at fault, counted from the first in its frame.
#[derive(Deserialize)]
pub struct Failure {
    pub what: String,
    pub record: usize,
}

/// The pipes to a process.
#[derive(Debug)]
pub struct WorkerPipes {
    to: ChildStdin,
    from: ChildStdout,
    /// Microseconds of CPU time that the process had taken with its last answer.
    pub cpu_micros: u64,
}

impl WorkerPipes {
    /// Starts a process, and asks it what the game is.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn start(file: &GameFile) -> Result<(Child, WorkerPipes, Facts), FileError> {
        let python = python();
        let mut command = Command::new(&python);
        // Nothing may depend on the seed of Python's own hashes.
        command.env("PYTHONHASHSEED", "0").env(READING, "yes").arg("-c").arg(START);
        command.args([LIMIT.to_string(), WORKER.len().to_string()]);
        command.arg(std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone()));
        apart(&mut command);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let path = || file.path.clone();
        let mut child =
            child.map_err(|error| FileError::NoPython { path: path(), python, reason: error.to_string() })?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.expect("both are piped");
        let mut line = WorkerPipes { to, from, cpu_micros: 0 };
        let no_game = |reason: String| FileError::NoGame { path: path(), reason };
        line.to.write_all(WORKER.as_bytes()).map_err(|error| no_game(error.to_string()))?;
        let told = serde_json::json!({ "source": file.source, "path": file.path.display().to_string() });
        let answer = line.exchange(told.to_string().as_bytes()).map_err(|error| no_game(error.to_string()))?;
        let facts = answer.map_err(|failure| no_game(failure.what))?;
        let facts: Facts = serde_json::from_slice(&facts).map_err(|error| no_game(error.to_string()))?;
        Ok((child, line, facts))
    }

    /// Sends a frame and reads the one that answers it.
    pub fn exchange(&mut self, frame: &[u8]) -> std::io::Result<Result<Vec<u8>, Failure>> {
        let len = u32::try_from(frame.len()).map_err(std::io::Error::other)?;
        // One call of the system where the frame is short.
        self.to.write_all(&[&len.to_le_bytes(), frame].concat())?;
        // Length, status, time.
        let mut head = [0; 4 + 1 + 8];
        self.from.read_exact(&mut head)?;
        self.cpu_micros = u64::from_le_bytes(head[5..].try_into().expect("eight bytes"));
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let mut bytes = vec![0; len.saturating_sub(head.len() - 4)];
        self.from.read_exact(&mut bytes)?;
        if head[4] == 0 {
            return Ok(Ok(bytes));
        }
        Ok(Err(serde_json::from_slice(&bytes)?))
    }
}

/// The Python that runs games unless the environment names one.
static PYTHON: OnceLock<String> = OnceLock::new();

/// Says which Python runs games, for a module in one: it has the libraries that its games import. The first call counts.
pub fn set_python(python: String) {
    PYTHON.get_or_init(|| python);
}

/// The Python that runs games: what the environment names, or the one that was [set](set_python), or the one beside this
/// program, or any.
fn python() -> String {
    const NAME: &str = if cfg!(windows) { "python.exe" } else { "python3" };
    let beside = || {
        let own = std::env::current_exe().ok()?;
        let python = own.parent()?.join(NAME);
        python.is_file().then(|| python.display().to_string())
    };
    let named = std::env::var("SELFPLAY_PYTHON").ok().filter(|name| !name.is_empty());
    named.or_else(|| PYTHON.get().cloned()).or_else(beside).unwrap_or(NAME.into())
}

/// What comes from the terminal is for the program, which ends its processes by ending.
#[cfg(unix)]
fn apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn apart(_command: &mut Command) {}
