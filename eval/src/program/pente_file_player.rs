//! A program of the Pente course as a player: run anew for every move, in a folder of its game.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use selfplay_env::Game;
use selfplay_env::games::pente::Pente;
use tempfile::TempDir;

use super::config::ProgramConfig;
use super::gtp_session::quoted;
use super::pente_file::{input_text, read_output};
use super::process::Process;
use crate::baselines::typed::for_pente;
use crate::error::EvalError;
use crate::player::{Choice, Player, Seat, check_running};

const NAME: &str = "program:protocol=pente-file";
/// Much more than a move; a longer file is no answer.
const OUTPUT_BYTES: u64 = 4096;

/// A player called `name` that runs the program of `config` for each of its moves.
///
/// The program finds `input.txt` in its current folder and leaves `output.txt` there. What else it writes, such as
/// `playdata.txt`, stays for the moves of one game. Its standard output is thrown away. The CPU time of a choice is the
/// system's count for the process and the children that it waited for.
///
/// # Errors
/// [`EvalError::WrongGame`] unless `G` is Pente of any size; what [`ProgramConfig::validate`] finds.
pub fn pente_file_player<G: Game>(name: String, config: &ProgramConfig) -> Result<Box<dyn Player<G>>, EvalError> {
    config.validate()?;
    let words = config.words()?;
    let player = || PenteFilePlayer {
        name: name.clone(),
        config: config.clone(),
        words: words.clone(),
        folders: HashMap::new(),
    };
    for_pente(NAME, Box::new(player()), Box::new(player()), Box::new(player()))
}

struct PenteFilePlayer {
    name: String,
    config: ProgramConfig,
    words: Vec<String>,
    /// The folder of each game in flight, removed with it.
    folders: HashMap<usize, TempDir>,
}

impl<const N: usize> Player<Pente<N>> for PenteFilePlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, _seed: u64) {
        self.folders.remove(&table);
    }

    fn end_game(&mut self, table: usize) {
        self.folders.remove(&table);
    }

    fn choose(&mut self, seat: &Seat<Pente<N>>) -> Result<Choice, EvalError> {
        check_running(seat, || self.name.clone())?;
        let limit = self.config.turn_limit(seat.time_left);
        let time_left_ms = self.config.turn_time(seat.time_left).as_millis() as u64;
        let input = input_text(seat.position, time_left_ms);
        let folder = folder(&mut self.folders, seat.table).map_err(|error| format!("has no folder to run in: {error}"));
        let ran = folder.and_then(|folder| run_once(&self.words, folder, &input, limit)).and_then(|run| {
            let action = read_output(seat.position, &run.output).map_err(|reason| {
                let reason = format!("wrote `{}` into output.txt: {reason}", quoted(run.output.trim()));
                run.process.with_last_words(&reason)
            })?;
            // Where the system does not count, the arena's clock has to do.
            Ok((action, run.cpu_time.map(|time| time.as_millis() as u64)))
        });
        match ran {
            Ok((action, cpu_time_ms)) => Ok(Choice { cpu_time_ms, ..Choice::of(action) }),
            Err(reason) => Err(EvalError::PlayerFailed { player: self.name.clone(), table: seat.table, reason }),
        }
    }
}

/// The folder of the game at `table`; empty when the game begins.
fn folder(folders: &mut HashMap<usize, TempDir>, table: usize) -> io::Result<&Path> {
    Ok(match folders.entry(table) {
        Entry::Occupied(folder) => folder.into_mut().path(),
        Entry::Vacant(place) => place.insert(tempfile::tempdir()?).path(),
    })
}

/// What is left of a run.
struct Run {
    /// The contents of `output.txt`.
    output: String,
    cpu_time: Option<Duration>,
    process: Process,
}

/// Runs the command `words` in `folder` with this `input.txt`, killing it after `limit`.
fn run_once(words: &[String], folder: &Path, input: &str, limit: Duration) -> Result<Run, String> {
    let output = folder.join("output.txt");
    // The answer to an earlier move must not pass for one to this.
    match fs::remove_file(&output) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("leaves an output.txt that cannot be removed: {error}"));
        }
        _ => {}
    }
    fs::write(folder.join("input.txt"), input).map_err(|error| format!("has an input.txt in the way: {error}"))?;
    let mut process = Process::start(words, Some(folder), Stdio::null(), Stdio::null())?;
    let end = process.wait(limit);
    let cpu_time = process.finish();
    let Some(end) = end else {
        return Err(process.with_last_words(&format!("was killed, it took more than {} ms", limit.as_millis())));
    };
    match read_short(&output) {
        Ok(output) => Ok(Run { output, cpu_time, process }),
        Err(error) => Err(process.with_last_words(&format!("{end} and left no output.txt to read: {error}"))),
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
