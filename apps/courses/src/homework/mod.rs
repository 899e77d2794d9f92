//! The Pente agent of the file protocol: one process a move, `input.txt` in, `output.txt` out, CPU time counted.
//!
//! A move by instinct is written first, in a few milliseconds; a player is made, and may think, only if there is time
//! for it. So a player that fails, panics or is missing costs strength and never the game.

mod calibration;
mod instinct;
mod notes;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::program::{PenteInputError, read_input};
use selfplay_arena::{Clock, Measure};
use selfplay_config::{InvalidKey, check};
use selfplay_env::{Action, Game};
use selfplay_pente::Pente;
use selfplay_players::{ClockKind, EvalError, MoveRequest, Player, TimeControl, TimeSpan};
use serde::{Deserialize, Serialize};

use crate::files::{read_small, replace_file};
pub use calibration::Calibration;
pub use instinct::by_instinct;

/// Longer than any `input.txt`.
const INPUT_BYTES: u64 = 64 * 1024;
/// With less time than this no other file is looked at: each costs a part of a millisecond.
const MIN_FOR_FILES: Duration = Duration::from_millis(50);
/// A player's start is paid for at each of about this many moves to come.
const PLANNED_MOVES: u32 = 16;

/// Where and how the agent plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HomeworkConfig {
    /// The folder of the files. Default `.`.
    pub folder: PathBuf,
    /// CPU milliseconds kept back at every move for what the clock here does not see, such as the end of the process; 0
    /// to 10,000. Default 10.
    pub margin_ms: u64,
    /// Seed of the player's random choices. Default 0.
    pub seed: u64,
}

impl Default for HomeworkConfig {
    fn default() -> Self {
        HomeworkConfig { folder: ".".into(), margin_ms: 10, seed: 0 }
    }
}

impl HomeworkConfig {
    /// Checks the margin.
    ///
    /// # Errors
    /// [`InvalidKey`] if it is out of range.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check(self.margin_ms <= 10_000, "margin_ms", self.margin_ms, "0 to 10,000 milliseconds")
    }
}

/// Why there is no move.
#[derive(Debug, thiserror::Error)]
pub enum HomeworkError {
    /// The config does not hold together.
    #[error(transparent)]
    Config(#[from] InvalidKey),
    /// There is no `input.txt`, or it cannot be opened.
    #[error("cannot read {path}: {source}")]
    NoInput {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// `input.txt` is not in the format.
    #[error("{path}, {source}")]
    BadInput {
        /// The file.
        path: String,
        /// What is wrong, and where.
        source: PenteInputError,
    },
    /// `output.txt` or `calibration.txt` cannot be written.
    #[error("cannot write {path}: {source}")]
    Output {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The player that is to be measured fails.
    #[error(transparent)]
    Player(#[from] EvalError),
}

/// Who made the move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveSource {
    /// The player.
    Player,
    /// Instinct, since there is no time for the player or nothing to choose.
    Instinct,
    /// Instinct, since the player failed for this reason.
    PlayerFailed(String),
}

/// What was played.
#[derive(Clone, PartialEq, Debug)]
pub struct HomeworkReport {
    /// The move, which `output.txt` now holds.
    pub action: Action,
    /// Who made it.
    pub source: MoveSource,
    /// CPU time of this process when all was done.
    pub cpu_used: Duration,
}

/// Reads `input.txt` and writes `output.txt`, with a player made by `make_player` if there is time for one.
///
/// `clock` tells the CPU time of this process since its start. The player's time is what is left of the game's, less
/// what this process has used, the margin, and the starts of the processes to come by `calibration.txt`.
///
/// # Errors
/// If `input.txt` cannot be read, and then `output.txt` is as it was; if `output.txt` cannot be written.
pub fn play_homework(
    config: &HomeworkConfig,
    clock: &dyn Clock,
    make_player: impl FnOnce() -> Result<Box<dyn Player>, EvalError>,
) -> Result<HomeworkReport, HomeworkError> {
    config.validate()?;
    let (input_path, output_path) = (config.folder.join("input.txt"), config.folder.join("output.txt"));
    let text = read_small(&input_path, INPUT_BYTES)
        .map_err(|source| HomeworkError::NoInput { path: shown(&input_path), source })?;
    let input =
        read_input::<19>(&text).map_err(|source| HomeworkError::BadInput { path: shown(&input_path), source })?;
    let write = |action| {
        replace_file(&output_path, &format!("{}\n", Pente::<19>::action_name(action)))
            .map_err(|source| HomeworkError::Output { path: shown(&output_path), source })
    };
    let position = input.position;
    let mut action = by_instinct(&position).expect("a position that is set up is running");
    write(action)?;

    let left = || {
        let used = clock.read(Measure::ProcessCpu) + Duration::from_millis(config.margin_ms);
        input.time_left.saturating_sub(used)
    };
    if left() < MIN_FOR_FILES {
        return Ok(HomeworkReport { action, source: MoveSource::Instinct, cpu_used: clock.read(Measure::ProcessCpu) });
    }
    let history = notes::recall(&config.folder, &position);
    let calibration = Calibration::read(&config.folder);
    let available = || left().saturating_sub(calibration.start * PLANNED_MOVES);
    let source = if is_forced(&position) || available() < calibration.move_time * PLANNED_MOVES {
        MoveSource::Instinct
    } else {
        let known = history.clone().unwrap_or_default();
        // Whatever a player does, the move by instinct stands.
        let ask = || choose(make_player, config.seed, &position, &known, available);
        match catch_unwind(AssertUnwindSafe(ask)).unwrap_or(Err(PlayerFault::Panic)) {
            Ok(chosen) => {
                action = chosen;
                write(action)?;
                MoveSource::Player
            }
            Err(fault) => MoveSource::PlayerFailed(fault.to_string()),
        }
    };
    if let Some(mut history) = history {
        history.push(action);
        notes::note::<Pente<19>>(&config.folder, &history);
    }
    Ok(HomeworkReport { action, source, cpu_used: clock.read(Measure::ProcessCpu) })
}

/// Measures the player that `make_player` makes and writes `calibration.txt`.
///
/// # Errors
/// If the player fails or the file cannot be written.
pub fn calibrate(
    config: &HomeworkConfig,
    clock: &dyn Clock,
    make_player: impl FnOnce() -> Result<Box<dyn Player>, EvalError>,
) -> Result<Calibration, HomeworkError> {
    config.validate()?;
    let calibration = Calibration::measure(clock, make_player)?;
    let path = shown(&config.folder.join("calibration.txt"));
    calibration.write(&config.folder).map_err(|source| HomeworkError::Output { path, source })?;
    Ok(calibration)
}

/// Why the player's move is not played.
#[derive(Debug, thiserror::Error)]
enum PlayerFault {
    #[error(transparent)]
    Player(#[from] EvalError),
    #[error("used its whole time limit to start")]
    SlowStart,
    #[error("{0}")]
    Illegal(String),
    #[error("panicked")]
    Panic,
}

/// What a player decides with the time that is `available` once it is made.
fn choose(
    make_player: impl FnOnce() -> Result<Box<dyn Player>, EvalError>,
    seed: u64,
    position: &Pente<19>,
    history: &[Action],
    available: impl Fn() -> Duration,
) -> Result<Action, PlayerFault> {
    let mut player = make_player()?;
    player.new_game(0, seed);
    let ms = available().as_millis() as u64;
    if ms == 0 {
        return Err(PlayerFault::SlowStart);
    }
    let time_left = Some(TimeControl { ms, span: TimeSpan::Game, clock: ClockKind::Cpu });
    let action = player.choose(&MoveRequest { table: 0, position, history, time_left })?.action;
    match position.is_legal(action) {
        true => Ok(action),
        false => Err(PlayerFault::Illegal(position.illegal_reason(action))),
    }
}

/// Whether there is nothing to choose.
fn is_forced(position: &Pente<19>) -> bool {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    legal.len() == 1
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
