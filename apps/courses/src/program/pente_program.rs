//! One move of a program of the Pente course: `input.txt` in, `output.txt` out, CPU time by the system's count.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use selfplay_env::Action;
use selfplay_pente::Pente;

use super::pente_file::{PenteOutputError, input_text, read_output};
use selfplay_players::EvalError;
use selfplay_players::program::{Process, ProgramConfig, ProgramError, StartError, quoted};

/// Much more than a move; a longer file is no answer.
const OUTPUT_BYTES: u64 = 4096;
/// How often the CPU time of a running program is looked at.
const CPU_LOOK: Duration = Duration::from_millis(100);

/// A program that is run anew for every move.
#[derive(Clone, Debug)]
pub struct PenteProgram {
    words: Vec<String>,
}

/// When a run is cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunLimits {
    /// Time that passes.
    pub wall: Duration,
    /// CPU time of the program and all that it started; `None` where only time that passes counts. Looked at ten times
    /// a second, where the system tells it.
    pub cpu: Option<Duration>,
}

/// What a program of the course did instead of a legal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PenteFault {
    /// It does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An answer from before is in its folder.
    #[error("leaves an output.txt that cannot be removed: {reason}")]
    OldOutput {
        /// What the system reports.
        reason: String,
    },
    /// Its folder takes no input.
    #[error("has an input.txt that cannot be replaced: {reason}")]
    Input {
        /// What the system reports.
        reason: String,
    },
    /// It used too much CPU time.
    #[error("was killed, it used {} ms of CPU time", used.as_millis())]
    CpuTime {
        /// What it used.
        used: Duration,
    },
    /// It took too long.
    #[error("was killed, it took more than {} ms", limit.as_millis())]
    WallTime {
        /// What it was given.
        limit: Duration,
    },
    /// It did not end well.
    #[error("{end}")]
    BadEnd {
        /// How it ended.
        end: String,
    },
    /// It ended without an answer.
    #[error("{end} and left no output.txt to read: {reason}")]
    NoOutput {
        /// How it ended.
        end: String,
        /// What the system reports.
        reason: String,
    },
    /// Its answer is no legal move.
    #[error("wrote `{}` into output.txt: {source}", quoted(output))]
    BadOutput {
        /// What it wrote.
        output: String,
        /// What is wrong.
        source: PenteOutputError,
    },
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramMove {
    /// The legal move that it wrote, or what it did wrong.
    pub action: Result<Action, ProgramError<PenteFault>>,
    /// CPU time of the process and of the children that it waited for; `None` where the system does not count.
    pub cpu_time: Option<Duration>,
}

impl PenteProgram {
    /// The program that `config` describes.
    ///
    /// # Errors
    /// Those of [`ProgramConfig::words`].
    pub fn new(config: &ProgramConfig) -> Result<Self, EvalError> {
        Ok(PenteProgram { words: config.words()? })
    }

    /// Lets the program move in `position`, in `folder`, telling it that it has `time_left` for the rest of its game;
    /// it is killed when one of the `limits` is reached.
    ///
    /// Its standard output is thrown away; what it writes beside `output.txt` stays in the folder.
    pub fn play<const N: usize>(
        &self,
        folder: &Path,
        position: &Pente<N>,
        time_left: Duration,
        limits: RunLimits,
    ) -> ProgramMove {
        let input = input_text(position, time_left);
        let mut process = match self.prepare(folder, &input) {
            Ok(process) => process,
            Err(fault) => return ProgramMove { action: Err(fault.into()), cpu_time: None },
        };
        let end = wait(&process, limits);
        let cpu_time = process.finish();
        let action = end.and_then(|end| {
            let output = read_short(&folder.join("output.txt"));
            let output = output.map_err(|error| PenteFault::NoOutput { end, reason: error.to_string() })?;
            let bad = |source| PenteFault::BadOutput { output: output.trim().to_owned(), source };
            read_output(position, &output).map_err(bad)
        });
        ProgramMove { action: action.map_err(|fault| process.with_last_words(fault)), cpu_time }
    }

    /// Runs the program once in `folder`, without input and for at most `limit`.
    ///
    /// # Errors
    /// [`PenteFault`], why it did not end well, with its last words.
    pub fn run(&self, folder: &Path, limit: Duration) -> Result<(), ProgramError<PenteFault>> {
        let mut process = self.start(folder)?;
        let end = process.wait(limit);
        process.finish();
        match end {
            Some(end) if end == "exited with status 0" => Ok(()),
            Some(end) => Err(process.with_last_words(PenteFault::BadEnd { end })),
            None => Err(process.with_last_words(PenteFault::WallTime { limit })),
        }
    }

    /// Puts `input.txt` into the folder, takes an old `output.txt` out of it, and starts the program.
    fn prepare(&self, folder: &Path, input: &str) -> Result<Process, PenteFault> {
        // The answer to an earlier move must not pass for one to this.
        match fs::remove_file(folder.join("output.txt")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(PenteFault::OldOutput { reason: error.to_string() });
            }
            _ => {}
        }
        let written = fs::write(folder.join("input.txt"), input);
        written.map_err(|error| PenteFault::Input { reason: error.to_string() })?;
        self.start(folder)
    }

    fn start(&self, folder: &Path) -> Result<Process, PenteFault> {
        Ok(Process::start(&self.words, Some(folder), Stdio::null(), Stdio::null())?)
    }
}

/// Waits for the process to end and tells how it did, or which limit it reached before.
fn wait(process: &Process, limits: RunLimits) -> Result<String, PenteFault> {
    let started = Instant::now();
    loop {
        let left = limits.wall.saturating_sub(started.elapsed());
        if let Some(end) = process.wait(if limits.cpu.is_some() { left.min(CPU_LOOK) } else { left }) {
            return Ok(end);
        }
        let used = limits.cpu.and_then(|limit| process.cpu_time_so_far().filter(|&used| used >= limit));
        if let Some(used) = used {
            return Err(PenteFault::CpuTime { used });
        }
        if started.elapsed() >= limits.wall {
            return Err(PenteFault::WallTime { limit: limits.wall });
        }
    }
}

/// The beginning of an ordinary file; more of it than any answer has.
fn read_short(path: &Path) -> io::Result<String> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(OUTPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
