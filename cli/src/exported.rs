//! What an exported program does: the one agent that it carries plays, in its course's manner or with people.

use std::io::{Write, stderr, stdin, stdout};

use clap::{Parser, Subcommand};
use selfplay_env::games::pentago_swap::PentagoSwap;
use selfplay_env::games::pente::Pente;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::sum15::Sum15;
use selfplay_env::{Game, GameVisitor, PlayableGame, with_game};
use selfplay_eval::{EvalError, NoCheckpoints, Player, PlayerSpec, SystemClock, build_named_player, build_player};
use selfplay_network::Precision;
use selfplay_play::dialogue::{NumberCardsConfig, PylosConfig, play_number_cards, play_pylos};
use selfplay_play::homework::MoveSource;
use selfplay_play::pentago::{GameOver, PentagoClientConfig, play_pentago};
use selfplay_play::serve::{Catalogue, CatalogueAgent, ServeConfig, serve};
use selfplay_play::{HomeworkConfig, Style, TerminalSetting, calibrate, play_homework, play_terminal, serve_gtp};

use crate::agents::Agents;
use crate::args::{SideArg, all_cores, time_ms};
use crate::carrier::CarriedAgent;
use crate::commands::serve::announce;
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
pub fn run(agent: CarriedAgent, out: &mut dyn Write) -> Result<(), CliError> {
    if is_in_a_hurry(&agent) {
        return homework(&agent);
    }
    let cli = ExportedCli::parse();
    let game = agent.head.game.clone();
    match cli.command {
        Some(ExportedCommand::Info) => info(&agent, out),
        Some(ExportedCommand::Play { side, time }) => with_game(&game, Terminal { agent, side, time, out })?,
        Some(ExportedCommand::Gtp { time }) => with_game(&game, Gtp { agent, time, out })?,
        Some(ExportedCommand::Serve { port }) => serve_agent(agent, game, port),
        Some(ExportedCommand::Calibrate) => {
            only(&game, Pente::<19>::ID, "calibrate")?;
            let make = || pente_player(&agent);
            calibrate(&HomeworkConfig::default(), &SystemClock, make)?;
            Ok(())
        }
        None if game == Pente::<19>::ID => homework(&agent),
        None if game == PentagoSwap::ID => pentago(&agent, cli.host, cli.port, out),
        None if game == Sum15::<4>::ID || game == Sum15::<6>::ID => number_cards(&agent, out),
        None if game == Pylos::ID => {
            let mut player = player::<Pylos>(&agent, "", Precision::fastest(), all_cores())?;
            play_pylos(player.as_mut(), &PylosConfig::default(), &mut stdin().lock(), &mut stdout())?;
            Ok(())
        }
        None => with_game(&game, Terminal { agent, side: SideArg::First, time: 1000, out })?,
    }
}

/// One move of the Pente course.
fn homework(agent: &CarriedAgent) -> Result<(), CliError> {
    let report = play_homework(&HomeworkConfig::default(), &SystemClock, || pente_player(agent))?;
    if let MoveSource::PlayerFailed(reason) = report.source {
        // If nobody listens, the move still counts.
        let _ = writeln!(stderr(), "moved by instinct, since the agent failed: {reason}");
    }
    Ok(())
}

/// The carried agent as a player with the limits in `limits`, such as `,time=1s`.
fn player<G: PlayableGame>(
    agent: &CarriedAgent,
    limits: &str,
    precision: Precision,
    threads: usize,
) -> Result<Box<dyn Player<G>>, EvalError> {
    build_named_player(agent.head.name.clone(), &spec(agent, limits), &agents(agent, precision, threads)?)
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
fn pente_player(agent: &CarriedAgent) -> Result<Box<dyn Player<Pente<19>>>, EvalError> {
    player(agent, "", Precision::F32, 1)
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
fn pentago(agent: &CarriedAgent, host: String, port: u16, out: &mut dyn Write) -> Result<(), CliError> {
    let mut player = player::<PentagoSwap>(agent, "", Precision::fastest(), 1)?;
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
fn number_cards(agent: &CarriedAgent, out: &mut dyn Write) -> Result<(), CliError> {
    fn make<const N: usize>(agent: &CarriedAgent) -> Result<Box<dyn Player<Sum15<N>>>, String>
    where
        Sum15<N>: PlayableGame,
    {
        let made = if agent.head.game == Sum15::<N>::ID {
            player(agent, "", Precision::fastest(), all_cores())
        } else {
            let alpha_beta = "alphabeta".parse().expect("the specification is ours");
            build_player(&alpha_beta, &NoCheckpoints)
        };
        made.map_err(|error| error.to_string())
    }
    let mut out = out;
    let (mut four, mut six) = (|| make::<4>(agent), || make::<6>(agent));
    play_number_cards(&NumberCardsConfig::default(), &mut four, &mut six, &mut stdin().lock(), &mut out)?;
    Ok(())
}

fn serve_agent(agent: CarriedAgent, game: String, port: u16) -> Result<(), CliError> {
    let listed = CatalogueAgent { game, name: "agent".into(), title: agent.head.name.clone(), spec: spec(&agent, "") };
    let agents = agents(&agent, Precision::fastest(), all_cores())?;
    let catalogue = Catalogue::new(agents, vec![listed])?;
    Ok(serve(catalogue, ServeConfig { port, ..ServeConfig::default() }, announce)?)
}

struct Terminal<'a> {
    agent: CarriedAgent,
    side: SideArg,
    time: u64,
    out: &'a mut dyn Write,
}

impl GameVisitor for Terminal<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: PlayableGame>(mut self) -> Self::Output {
        let mut player =
            player::<G>(&self.agent, &format!(",time={}ms", self.time), Precision::fastest(), all_cores())?;
        let setting = TerminalSetting { human: self.side.into(), seed: 1, style: Style::of(&stdout()) };
        play_terminal(player.as_mut(), setting, &mut stdin().lock(), &mut self.out)?;
        Ok(())
    }
}

struct Gtp<'a> {
    agent: CarriedAgent,
    time: u64,
    out: &'a mut dyn Write,
}

impl GameVisitor for Gtp<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: PlayableGame>(mut self) -> Self::Output {
        let mut player =
            player::<G>(&self.agent, &format!(",time={}ms", self.time), Precision::fastest(), all_cores())?;
        serve_gtp(player.as_mut(), 1, &mut stdin().lock(), &mut self.out)?;
        Ok(())
    }
}
