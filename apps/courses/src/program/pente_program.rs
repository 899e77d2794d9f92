//! One move of a program of the Pente course: `input.txt` in, `output.txt` out, CPU time by the system's count.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use selfplay_env::Action;
use selfplay_pente::Pente;

use super::pente_file::{input_text, read_output};
use selfplay_players::EvalError;
use selfplay_players::program::ProgramConfig;
use selfplay_players::program::{Process, quoted};

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

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramMove {
    /// The legal move that it wrote, or what it did wrong.
    pub action: Result<Action, String>,
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
            Err(reason) => return ProgramMove { action: Err(reason), cpu_time: None },
        };
        let end = wait(&process, limits);
        let cpu_time = process.finish();
        let action = match end {
            Err(reason) => Err(reason),
            Ok(end) => match read_short(&folder.join("output.txt")) {
                Err(error) => Err(format!("{end} and left no output.txt to read: {error}")),
                Ok(output) => read_output(position, &output)
                    .map_err(|reason| format!("wrote `{}` into output.txt: {reason}", quoted(output.trim()))),
            },
        };
        ProgramMove { action: action.map_err(|reason| process.with_last_words(&reason)), cpu_time }
    }

    /// Runs the program once in `folder`, without input and for at most `limit`.
    ///
    /// # Errors
    /// Why it did not end well, with its last words.
    pub fn run(&self, folder: &Path, limit: Duration) -> Result<(), String> {
        let mut process = Process::start(&self.words, Some(folder), Stdio::null(), Stdio::null())?;
        let end = process.wait(limit);
        process.finish();
        match end {
            Some(end) if end == "exited with status 0" => Ok(()),
            Some(end) => Err(process.with_last_words(&end)),
            None => Err(process.with_last_words(&format!("was killed, it took more than {} ms", limit.as_millis()))),
        }
    }

    /// Puts `input.txt` into the folder, takes an old `output.txt` out of it, and starts the program.
    fn prepare(&self, folder: &Path, input: &str) -> Result<Process, String> {
        // The answer to an earlier move must not pass for one to this.
        match fs::remove_file(folder.join("output.txt")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(format!("leaves an output.txt that cannot be removed: {error}"));
            }
            _ => {}
        }
        fs::write(folder.join("input.txt"), input).map_err(|error| format!("has an input.txt in the way: {error}"))?;
        Process::start(&self.words, Some(folder), Stdio::null(), Stdio::null())
    }
}

/// Waits for the process to end and tells how it did, or which limit it reached before.
fn wait(process: &Process, limits: RunLimits) -> Result<String, String> {
    let started = Instant::now();
    loop {
        let left = limits.wall.saturating_sub(started.elapsed());
        if let Some(end) = process.wait(if limits.cpu.is_some() { left.min(CPU_LOOK) } else { left }) {
            return Ok(end);
        }
        let used = limits.cpu.and_then(|limit| process.cpu_time_so_far().filter(|&used| used >= limit));
        if let Some(used) = used {
            return Err(format!("was killed, it used {} ms of CPU time", used.as_millis()));
        }
        if started.elapsed() >= limits.wall {
            return Err(format!("was killed, it took more than {} ms", limits.wall.as_millis()));
        }
    }
}

/// The beginning of an ordinary file; more of it than any answer has.
fn read_short(path: &Path) -> io::Result<String> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is no ordinary file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(OUTPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
