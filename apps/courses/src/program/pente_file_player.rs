//! A program of the Pente course as a player: run anew for every move, in a folder of its game.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::Path;

use selfplay_env::Rules;
use selfplay_pente::Pente;
use tempfile::TempDir;

use super::pente_program::{PenteProgram, RunLimits};
use crate::players::sizes::for_pente;
use selfplay_players::player_settings;
use selfplay_players::program::ProgramConfig;
use selfplay_players::{Decision, EvalError, MoveRequest, NetworkSource, Playable, Player, PlayerBuilder};

const NAME: &str = "pente-file";

player_settings! {
    #[derive(Eq)]
    /// A program that speaks the file protocol of the Pente course.
    pub struct PenteFileConfig, kind "pente-file" {
        /// The program and its limits.
        pub program(..): ProgramConfig = ProgramConfig::default();
    }
}

impl PlayerBuilder for PenteFileConfig {
    fn depends_on_time(&self) -> bool {
        true
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        pente_file_player(game, name, &self.program)
    }
}

/// A player called `name` that runs the program of `config` for each of its moves.
///
/// The program finds `input.txt` in its current folder and leaves `output.txt` there. What else it writes, such as
/// `playdata.txt`, stays for the moves of one game. Its standard output is thrown away. The CPU time of a choice is the
/// system's count for the process and the children that it waited for.
///
/// # Errors
/// [`EvalError::WrongGame`] unless the game of `rules` is Pente of any size; those of [`ProgramConfig::words`].
pub fn pente_file_player(
    rules: &dyn Rules,
    name: String,
    config: &ProgramConfig,
) -> Result<Box<dyn Player>, EvalError> {
    let program = PenteProgram::new(config)?;
    fn player<const N: usize>(name: &str, config: &ProgramConfig, program: &PenteProgram) -> Box<dyn Player> {
        let (name, config, program) = (name.to_owned(), config.clone(), program.clone());
        Box::new(PenteFilePlayer::<N> { name, config, program, folders: HashMap::new() })
    }
    let (name, program) = (&name, &program);
    let sizes =
        [player::<19>(name, config, program), player::<13>(name, config, program), player::<9>(name, config, program)];
    for_pente(rules, NAME, sizes)
}

struct PenteFilePlayer<const N: usize> {
    name: String,
    config: ProgramConfig,
    program: PenteProgram,
    /// The folder of each game in flight, removed with it.
    folders: HashMap<usize, TempDir>,
}

impl<const N: usize> Player for PenteFilePlayer<N> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, _seed: u64) {
        self.folders.remove(&table);
    }

    fn end_game(&mut self, table: usize) {
        self.folders.remove(&table);
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let request = &request.typed::<Pente<N>>(&self.name)?;
        let limits = RunLimits { wall: self.config.turn_limit(request.time_left), cpu: None };
        let time_left = self.config.turn_time(request.time_left);
        let failed =
            |reason: String| EvalError::PlayerFailed { player: self.name.clone(), table: request.table, reason };
        let folder = folder(&mut self.folders, request.table)
            .map_err(|error| failed(format!("has no folder to run in: {error}")))?;
        let made = self.program.play(folder, request.position, time_left, limits);
        // Where the system does not count, the arena's clock has to do.
        let cpu_time_ms = made.cpu_time.map(|time| time.as_millis() as u64);
        Ok(Decision::from_program(made.action.map_err(|error| failed(error.to_string()))?, cpu_time_ms))
    }
}

/// The folder of the game at `table`; empty when the game begins.
fn folder(folders: &mut HashMap<usize, TempDir>, table: usize) -> io::Result<&Path> {
    Ok(match folders.entry(table) {
        Entry::Occupied(folder) => folder.into_mut().path(),
        Entry::Vacant(place) => place.insert(tempfile::tempdir()?).path(),
    })
}
