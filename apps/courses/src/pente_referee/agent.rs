//! An agent before the judge: a program with a folder of its own, or a player of this program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selfplay::{Agents, Machine};
use selfplay_arena::{Clock, Measure, SystemClock};
use selfplay_env::{Action, Game};
use selfplay_pente::{PENTE, Pente};
use selfplay_players::program::{ProgramConfig, ProgramError};
use selfplay_players::{
    ClockKind, Decision, EvalError, MoveRequest, Player, PlayerKinds, TimeControl, TimeSpan, build_player,
};

use crate::kinds::PLAYER_KINDS;
use crate::program::{PenteFault, PenteProgram, RunLimits};

/// What a program leaves behind that no new game may find.
const FILES_OF_A_GAME: [&str; 3] = ["input.txt", "output.txt", "playdata.txt"];

/// One who plays before the judge.
pub struct PenteAgent {
    name: String,
    kind: Kind,
}

enum Kind {
    Program { program: PenteProgram, calibrate: Option<PenteProgram> },
    Player(Box<dyn Player>),
}

/// What an agent did when it was its turn.
pub(super) struct Turn {
    /// The legal move, or what was wrong.
    pub(super) action: Result<Action, AgentError>,
    /// CPU time that it took.
    pub(super) cpu_time: Duration,
}

/// What an agent does wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Its folder cannot be made.
    #[error("{} cannot be made: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A program.
    #[error(transparent)]
    Program(#[from] ProgramError<PenteFault>),
    /// A player of this program.
    #[error(transparent)]
    Player(#[from] EvalError),
    /// Its move is not legal.
    #[error("{reason}")]
    Illegal {
        /// The rule that it breaks.
        reason: String,
    },
}

impl PenteAgent {
    /// The agent that `text` describes: a [`PlayerSpec`](selfplay_players::PlayerSpec), or else the command line of a program.
    ///
    /// # Errors
    /// If the specification is wrong, its files cannot be used, or there is no such program.
    pub fn parse(text: &str) -> Result<Self, EvalError> {
        // The judge has the course's own players, whatever program it is.
        let kinds = PlayerKinds::built_in().with(PLAYER_KINDS);
        if !kinds.is_meant(text) {
            return Self::program(text, None);
        }
        // On one core, as the course has it.
        let agents = Agents::for_one_game(Machine { threads: 1, ..Machine::default() });
        Ok(Self::player(text, build_player(PENTE, &kinds.parse(text)?, &agents)?))
    }

    /// The program with this command line, and one that is run once, before its first game, to calibrate it.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn program(command: &str, calibrate: Option<&str>) -> Result<Self, EvalError> {
        let program = |command: &str| PenteProgram::new(&ProgramConfig::new(command));
        let calibrate = calibrate.map(program).transpose()?;
        Ok(PenteAgent { name: command.into(), kind: Kind::Program { program: program(command)?, calibrate } })
    }

    /// A player of this program, called `name`.
    pub fn player(name: &str, player: Box<dyn Player>) -> Self {
        PenteAgent { name: name.into(), kind: Kind::Player(player) }
    }

    /// What the score sheet calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes `folder` and lets the agent calibrate there, for at most `limit`.
    pub(super) fn prepare(&self, folder: &Path, limit: Duration) -> Result<(), AgentError> {
        fs::create_dir_all(folder).map_err(|source| AgentError::Folder { path: folder.into(), source })?;
        match &self.kind {
            Kind::Program { calibrate: Some(program), .. } => Ok(program.run(folder, limit)?),
            _ => Ok(()),
        }
    }

    /// A new game begins: what a program wrote for an earlier one is deleted.
    pub(super) fn new_game(&mut self, folder: &Path, seed: u64) -> io::Result<()> {
        if let Kind::Player(player) = &mut self.kind {
            player.new_game(0, seed);
        }
        for name in FILES_OF_A_GAME {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The agent's move in `position`, with `left` CPU time for the rest of the game. A program is killed when that is
    /// used up or `wall` has passed.
    pub(super) fn play(
        &mut self,
        folder: &Path,
        position: &Pente<19>,
        history: &[Action],
        left: Duration,
        wall: Duration,
    ) -> Turn {
        match &mut self.kind {
            Kind::Program { program, .. } => {
                let started = Instant::now();
                let limits = RunLimits { wall, cpu: Some(left) };
                let made = program.play(folder, position, left, limits);
                Turn {
                    action: made.action.map_err(AgentError::from),
                    cpu_time: made.cpu_time.unwrap_or_else(|| started.elapsed()),
                }
            }
            Kind::Player(player) => {
                // Nothing else computes in this process meanwhile.
                let before = SystemClock.read(Measure::ProcessCpu);
                let ms = left.as_millis() as u64;
                let time_left = Some(TimeControl { ms, span: TimeSpan::Game, clock: ClockKind::Cpu });
                let choice = player.choose(&MoveRequest { table: 0, position, history, time_left });
                let own = SystemClock.read(Measure::ProcessCpu).saturating_sub(before);
                let told = choice.as_ref().ok().and_then(|choice| choice.cpu_time_ms());
                let cpu_time = told.map_or(own, Duration::from_millis);
                let action = choice.map_err(AgentError::from).and_then(|Decision { action, .. }| {
                    let illegal = || AgentError::Illegal { reason: position.illegal_reason(action) };
                    position.is_legal(action).then_some(action).ok_or_else(illegal)
                });
                Turn { action, cpu_time }
            }
        }
    }
}

/// The folder of the first or the second agent.
pub(super) fn agent_folder(folder: &Path, agent: usize) -> PathBuf {
    folder.join(["a", "b"][agent])
}
