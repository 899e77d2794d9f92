//! What an exported program does: the one agent that it carries plays, in its course's manner or with people.

use std::io::{Write, stderr, stdin, stdout};

use clap::{Parser, Subcommand};
use selfplay_env::Game;
use selfplay_env::games::pentago_swap::PentagoSwap;
use selfplay_env::games::pente::Pente;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::sum15::Sum15;
use selfplay_eval::{EvalError, NoCheckpoints, Player, PlayerSpec, SystemClock, build_named_player, build_player};
use selfplay_kit::{GameRef, Games};
use selfplay_network::Precision;
use selfplay_play::dialogue::{NumberCardsConfig, PylosConfig, play_number_cards, play_pylos};
use selfplay_play::homework::MoveSource;
use selfplay_play::pentago::{GameOver, PentagoClientConfig, play_pentago};
use selfplay_play::serve::{Catalogue, CatalogueAgent, ServeConfig, serve};
use selfplay_play::{HomeworkConfig, Style, TerminalSetting, calibrate, play_homework, play_terminal, serve_gtp};

use crate::agents::Agents;
use crate::args::{SideArg, all_cores, time_ms};
use crate::carrier::CarriedAgent;
use crate::commands::serve::{announce, playable};
use crate::error::CliError;

/// Stands for the carried agent in specifications.
const AGENT: &str = "agent";

/// A trained player in one file.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct ExportedCli {
    /// What to do. Without it: in Pente move by input.txt and output.txt, in Pentago-Swap play one game at a server, in
    /// Sum-15 and Pylos play a dialogue, in other games play in the terminal.
    #[command(subcommand)]
    command: Option<ExportedCommand>,
    /// The machine of the Pentago-Swap server.
    #[arg(long, default_value = "localhost")]
    host: String,
    /// The port of the Pentago-Swap server.
    #[arg(long, default_value_t = 8123)]
    port: u16,
}

#[derive(Subcommand, Debug)]
enum ExportedCommand {
    /// Measure this machine for the Pente course, into calibration.txt.
    Calibrate,
    /// Play in the terminal.
    Play {
        /// Your side.
        #[arg(long, value_enum, default_value_t = SideArg::First)]
        side: SideArg,
        /// Time for each decision of the agent, such as 500ms or 2s.
        #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "1s")]
        time: u64,
    },
    /// Speak the Go Text Protocol on standard input and output.
    Gtp {
        /// The most time for a decision, such as 500ms or 2s; the clock that is told counts as well.
        #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "2s")]
        time: u64,
    },
    /// Play in the browser.
    Serve {
        /// The port to listen at; 0 takes any free one.
        #[arg(long, default_value_t = 8787)]
        port: u16,
    },
    /// Tell what the agent is.
    Info,
}

/// Whether the program is to make a move of the Pente course, whose games may last milliseconds.
pub fn is_in_a_hurry(agent: &CarriedAgent) -> bool {
    agent.head.game == Pente::<19>::ID && std::env::args_os().len() == 1
}

/// Does what the command line says with `agent`.
///
/// # Errors
/// If the agent cannot be played, or input, output or the network refuse.
pub fn run(agent: CarriedAgent, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&agent.head.game)?;
    if is_in_a_hurry(&agent) {
        return homework(&agent, game);
    }
    let cli = ExportedCli::parse();
    match cli.command {
        Some(ExportedCommand::Info) => info(&agent, out),
        Some(ExportedCommand::Play { side, time }) => terminal(&agent, game, side, time, out),
        Some(ExportedCommand::Gtp { time }) => gtp(&agent, game, time, out),
        Some(ExportedCommand::Serve { port }) => serve_agent(agent, games, port),
        Some(ExportedCommand::Calibrate) => {
            only(game.id(), Pente::<19>::ID, "calibrate")?;
            let make = || pente_player(&agent, game);
            calibrate(&HomeworkConfig::default(), &SystemClock, make)?;
            Ok(())
        }
        None if game.id() == Pente::<19>::ID => homework(&agent, game),
        None if game.id() == PentagoSwap::ID => pentago(&agent, game, cli.host, cli.port, out),
        None if [Sum15::<4>::ID, Sum15::<6>::ID].contains(&game.id()) => number_cards(&agent, games, out),
        None if game.id() == Pylos::ID => {
            let mut player = player(&agent, game, "", Precision::fastest(), all_cores())?;
            play_pylos(player.as_mut(), &PylosConfig::default(), &mut stdin().lock(), &mut stdout())?;
            Ok(())
        }
        None => terminal(&agent, game, SideArg::First, 1000, out),
    }
}

/// One move of the Pente course.
fn homework(agent: &CarriedAgent, game: GameRef) -> Result<(), CliError> {
    let report = play_homework(&HomeworkConfig::default(), &SystemClock, || pente_player(agent, game))?;
    if let MoveSource::PlayerFailed(reason) = report.source {
        // If nobody listens, the move still counts.
        let _ = writeln!(stderr(), "moved by instinct, since the agent failed: {reason}");
    }
    Ok(())
}

/// The carried agent as a player with the limits in `limits`, such as `,time=1s`.
fn player(
    agent: &CarriedAgent,
    game: GameRef,
    limits: &str,
    precision: Precision,
    threads: usize,
) -> Result<Box<dyn Player>, EvalError> {
    build_named_player(game, agent.head.name.clone(), &spec(agent, limits), &agents(agent, precision, threads)?)
}

/// The source that opens the carried agent.
fn agents(agent: &CarriedAgent, precision: Precision, threads: usize) -> Result<Agents, EvalError> {
    let named = |error| EvalError::Checkpoint { checkpoint: AGENT.into(), source: Box::new(error) };
    Ok(Agents::carried(agent.network().map_err(named)?, precision, threads))
}

fn spec(agent: &CarriedAgent, limits: &str) -> PlayerSpec {
    let proofs = if agent.head.proofs { "on" } else { "off" };
    let text = format!("search:checkpoint={AGENT}{limits},proofs={proofs}");
    text.parse().expect("the specification is ours")
}

/// A player for a program that is started for every move: one thread, and weights that need no preparation.
fn pente_player(agent: &CarriedAgent, game: GameRef) -> Result<Box<dyn Player>, EvalError> {
    player(agent, game, "", Precision::F32, 1)
}

/// Refuses `command` for other games than `wanted`.
fn only(game: &str, wanted: &str, command: &'static str) -> Result<(), CliError> {
    if game == wanted {
        return Ok(());
    }
    let expected = "this command belongs to another game's course; --help lists what this program does";
    Err(CliError::Option { option: command, value: format!("for {game}"), expected })
}

fn info(agent: &CarriedAgent, out: &mut dyn Write) -> Result<(), CliError> {
    let manifest = agent.network()?.manifest()?;
    let network = &manifest.network;
    writeln!(out, "{} plays {}", agent.head.name, manifest.game.id)?;
    writeln!(out, "network: {} blocks of {} channels", network.blocks, network.channels)?;
    let provenance = &manifest.provenance;
    writeln!(
        out,
        "trained for {} generations, {} steps, seed {}",
        provenance.generation, provenance.step, provenance.seed
    )?;
    writeln!(out, "computes in {}", Precision::fastest())?;
    writeln!(out, "alpha-beta proves results beside the search: {}", if agent.head.proofs { "yes" } else { "no" })?;
    Ok(())
}

/// One game at a course's server, on one core as the course has it.
fn pentago(agent: &CarriedAgent, game: GameRef, host: String, port: u16, out: &mut dyn Write) -> Result<(), CliError> {
    let mut player = player(agent, game, "", Precision::fastest(), 1)?;
    let usual = PentagoClientConfig::default();
    // The course's longer first move is for loading; an opening gains little from it.
    let first_move_ms = usual.move_ms;
    let config = PentagoClientConfig { host, port, name: agent.head.name.clone(), first_move_ms, ..usual };
    let report = play_pentago(player.as_mut(), &config)?;
    let result = match report.result {
        GameOver::Winner(side) if side == report.side => "won",
        GameOver::Winner(_) => "lost",
        GameOver::Draw => "drawn",
        GameOver::Undecided => "undecided",
    };
    let reason = if report.reason.is_empty() { String::new() } else { format!(" ({})", report.reason) };
    let slowest = report.slowest_reply.as_millis();
    writeln!(out, "{result}{reason} after {} moves, slowest reply {slowest} ms", report.decisions.len())?;
    Ok(())
}

/// The dialogue on either board; on that which the agent was not trained for, alpha-beta plays.
fn number_cards(agent: &CarriedAgent, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let make = |id: &str| -> Result<Box<dyn Player>, String> {
        let game = games.find(id).map_err(|error| error.to_string())?;
        let made = if agent.head.game == id {
            player(agent, game, "", Precision::fastest(), all_cores())
        } else {
            let alpha_beta = "alphabeta".parse().expect("the specification is ours");
            build_player(game, &alpha_beta, &NoCheckpoints)
        };
        made.map_err(|error| error.to_string())
    };
    let mut out = out;
    let (mut four, mut six) = (|| make(Sum15::<4>::ID), || make(Sum15::<6>::ID));
    play_number_cards(&NumberCardsConfig::default(), &mut four, &mut six, &mut stdin().lock(), &mut out)?;
    Ok(())
}

fn serve_agent(agent: CarriedAgent, games: &Games, port: u16) -> Result<(), CliError> {
    let game = agent.head.game.clone();
    let listed = CatalogueAgent { game, name: "agent".into(), title: agent.head.name.clone(), spec: spec(&agent, "") };
    let agents = agents(&agent, Precision::fastest(), all_cores())?;
    let catalogue = Catalogue::new(playable(games), agents, vec![listed])?;
    Ok(serve(catalogue, ServeConfig { port, ..ServeConfig::default() }, announce)?)
}

/// The carried agent, with so many milliseconds for each decision.
fn timed_player(agent: &CarriedAgent, game: GameRef, time: u64) -> Result<Box<dyn Player>, EvalError> {
    player(agent, game, &format!(",time={time}ms"), Precision::fastest(), all_cores())
}

fn terminal(
    agent: &CarriedAgent,
    game: GameRef,
    side: SideArg,
    time: u64,
    mut out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut player = timed_player(agent, game, time)?;
    let setting = TerminalSetting { human: side.into(), seed: 1, style: Style::of(&stdout()) };
    play_terminal(game, player.as_mut(), setting, &mut stdin().lock(), &mut out)?;
    Ok(())
}

fn gtp(agent: &CarriedAgent, game: GameRef, time: u64, mut out: &mut dyn Write) -> Result<(), CliError> {
    let mut player = timed_player(agent, game, time)?;
    serve_gtp(game, player.as_mut(), 1, &mut stdin().lock(), &mut out)?;
    Ok(())
}
