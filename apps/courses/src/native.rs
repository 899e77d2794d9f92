//! How exported agents play in their courses' manners when they are started without a command.

use std::error::Error;
use std::io::{Write, stderr, stdin};

use clap::{Arg, ArgMatches, Command, value_parser};
use selfplay::{CliError, ExportedAgent, Precision, Protocol, all_cores, time_ms};
use selfplay_arena::SystemClock;
use selfplay_env::Game;
use selfplay_players::program::quoted;
use selfplay_players::{AlphaBetaConfig, EvalError, NoCheckpoints, Player, PlayerSpec, build_player};
use selfplay_sum15::Sum15;

use crate::dialogue::{NumberCardsConfig, PylosConfig, play_number_cards, play_pylos};
use crate::homework::{HomeworkConfig, MoveSource, calibrate, play_homework};
use crate::pentago::{GameOver, PentagoClientConfig, play_pentago};

/// Pente: one move by `input.txt` and `output.txt`.
pub struct Homework;

const CALIBRATE: &str = "calibrate";
const MOVE_TIME: &str = "move-time";
const FIRST_MOVE_TIME: &str = "first-move-time";

impl Protocol for Homework {
    fn arguments(&self, program: Command) -> Command {
        let about = "Measure this machine for the Pente course, into calibration.txt";
        program.subcommand(Command::new(CALIBRATE).about(about))
    }

    fn is_in_a_hurry(&self) -> bool {
        true
    }

    fn play(
        &self,
        agent: &ExportedAgent<'_>,
        _arguments: Option<&ArgMatches>,
        _out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let played = play_homework(&HomeworkConfig::default(), &SystemClock, || pente_player(agent));
        if let MoveSource::PlayerFailed(reason) = played.map_err(CliError::course)?.source {
            // If nobody listens, the move still counts.
            let _ = writeln!(stderr(), "moved by instinct, since the agent failed: {reason}");
        }
        Ok(())
    }

    fn run(&self, command: &str, agent: &ExportedAgent<'_>, _out: &mut dyn Write) -> Result<(), CliError> {
        debug_assert_eq!(command, CALIBRATE, "the only command added");
        let done = calibrate(&HomeworkConfig::default(), &SystemClock, || pente_player(agent));
        done.map(|_| ()).map_err(CliError::course)
    }
}

/// A player for a program that is started for every move: one thread, and weights that need no preparation.
fn pente_player(agent: &ExportedAgent<'_>) -> Result<Box<dyn Player>, EvalError> {
    agent.player(None, Precision::F32, 1)
}

/// Pentago-Swap: one game at the course's server, on one core as the course has it.
pub struct PentagoClient;

impl Protocol for PentagoClient {
    fn arguments(&self, program: Command) -> Command {
        let host = Arg::new("host").long("host").default_value("localhost").help("The machine of the course's server");
        let port = Arg::new("port").long("port").default_value("8123").value_parser(value_parser!(u16));
        let time = |name: &'static str| Arg::new(name).long(name).value_name("TIME").value_parser(time_ms);
        let move_time = time(MOVE_TIME).default_value("2s").help("The server's limit for a move");
        let first = time(FIRST_MOVE_TIME).help(
            "How long to take for the first move at most, which the course's server allows 30s for [default: as for \
             the others]",
        );
        program.arg(host).arg(port.help("The port of the course's server")).arg(move_time).arg(first)
    }

    fn play(
        &self,
        agent: &ExportedAgent<'_>,
        arguments: Option<&ArgMatches>,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let usual = PentagoClientConfig::default();
        let host = arguments.and_then(|arguments| arguments.get_one::<String>("host")).unwrap_or(&usual.host).clone();
        let port = *arguments.and_then(|arguments| arguments.get_one::<u16>("port")).unwrap_or(&usual.port);
        let time = |name: &str| arguments.and_then(|arguments| arguments.get_one::<u64>(name)).copied();
        let move_ms = time(MOVE_TIME).unwrap_or(usual.move_ms);
        // The course's longer first move is for loading; an opening gains little from it.
        let first_move_ms = time(FIRST_MOVE_TIME).unwrap_or(move_ms);
        let name = agent.name().to_owned();
        let config = PentagoClientConfig { host, port, name, first_move_ms, move_ms, ..usual };
        let mut player = agent.player(None, Precision::fastest(), 1)?;
        let report = play_pentago(player.as_mut(), &config).map_err(CliError::course)?;
        let result = match report.result {
            GameOver::Winner(side) if side == report.side => "won",
            GameOver::Winner(_) => "lost",
            GameOver::Draw => "drawn",
            GameOver::Undecided => "undecided",
        };
        let reason = if report.reason.is_empty() { String::new() } else { format!(" ({})", quoted(&report.reason)) };
        let slowest = report.slowest_reply.as_millis();
        writeln!(out, "{result}{reason} after {} moves, slowest reply {slowest} ms", report.actions.len())?;
        Ok(())
    }
}

/// Pylos: a dialogue.
pub struct PylosDialogue;

impl Protocol for PylosDialogue {
    fn play(
        &self,
        agent: &ExportedAgent<'_>,
        _arguments: Option<&ArgMatches>,
        mut out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let mut player = agent.player(None, Precision::fastest(), all_cores())?;
        play_pylos(player.as_mut(), &PylosConfig::default(), &mut stdin().lock(), &mut out)?;
        Ok(())
    }
}

/// Sum-15: a dialogue on either board; on that which the agent was not trained for, alpha-beta plays.
pub struct NumberCards;

impl Protocol for NumberCards {
    fn play(
        &self,
        agent: &ExportedAgent<'_>,
        _arguments: Option<&ArgMatches>,
        mut out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let make = |id: &str| -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> {
            let game = agent.games.find(id)?;
            let made = if agent.game.id() == id {
                agent.player(None, Precision::fastest(), all_cores())
            } else {
                build_player(game, &PlayerSpec::new(AlphaBetaConfig::default()), &NoCheckpoints)
            };
            Ok(made?)
        };
        let (mut four, mut six) = (|| make(Sum15::<4>::spec().id), || make(Sum15::<6>::spec().id));
        play_number_cards(&NumberCardsConfig::default(), &mut four, &mut six, &mut stdin().lock(), &mut out)?;
        Ok(())
    }
}
