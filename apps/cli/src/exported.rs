//! What an exported program does: the one agent that it carries plays, in its course's manner or with people.

use std::io::{Write, stdin, stdout};

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use selfplay_bundle::{AgentKind, CarriedAgent, CarriedRules};
use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, serve};
use selfplay_frontends::{Style, TerminalSetting, play_terminal, serve_gtp};
use selfplay_network::Precision;
use selfplay_players::Player;
use selfplay_python_game::{GameFile, load_source, with_loaded};
use selfplay_registry::Games;

use selfplay_pipeline::all_cores;

use crate::args::{SideArg, time_ms};
use crate::carried_table::CarriedTable;
use crate::commands::serve::{announce, playable};
use crate::commands::tablebase_inspect::size;
use crate::course::{ExportedAgent, Protocol, Protocols};
use crate::error::CliError;

/// A trained player in one file. Started without a command it plays as its game's course has it, or in the terminal.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct ExportedCli {
    /// What to do.
    #[command(subcommand)]
    command: Option<ExportedCommand>,
}

#[derive(Subcommand, Debug)]
enum ExportedCommand {
    /// Play in the terminal.
    Play {
        /// Your side.
        #[arg(long, value_enum, default_value_t = SideArg::First)]
        side: SideArg,
        /// Time for each move of the agent, such as 500ms or 2s.
        #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "1s")]
        time: u64,
        #[command(flatten)]
        limit: SimulationsArg,
    },
    /// Speak the Go Text Protocol on standard input and output.
    Gtp {
        /// The most time for a turn, such as 500ms or 2s; the clock that is reported counts as well.
        #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "2s")]
        time: u64,
        #[command(flatten)]
        limit: SimulationsArg,
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

/// A limit that is the same on every machine.
#[derive(Args, Clone, Copy, Debug)]
struct SimulationsArg {
    /// Simulations for each move instead of a time: the moves are then the same each time.
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..))]
    simulations: Option<u32>,
}

/// What the courses know of agents that play `game`.
fn protocol_of(courses: &[&'static dyn Protocols], game: &str) -> Option<&'static dyn Protocol> {
    courses.iter().find_map(|course| course.protocol(game))
}

/// Whether the program is to make a move of a game that may last milliseconds.
pub fn is_in_a_hurry(courses: &[&'static dyn Protocols], agent: &CarriedAgent) -> bool {
    std::env::args_os().len() == 1 && protocol_of(courses, &agent.head.game).is_some_and(Protocol::is_in_a_hurry)
}

/// Does what the command line says with the agent that is carried, of one of `games` and in the manner of its course.
///
/// # Errors
/// If the agent cannot be played, or input, output or the network fails.
pub fn run(
    games: &Games,
    courses: &[&'static dyn Protocols],
    carried: CarriedAgent,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if let Some(CarriedRules { name, source }) = &carried.head.rules {
        // Nothing that was changed is run.
        match &carried.head.kind {
            AgentKind::Network { .. } => drop(carried.network()?),
            AgentKind::Table | AgentKind::Player { .. } => carried.check_head()?,
        }
        load_source(GameFile { path: name.into(), source: source.clone() }, &games.ids())?;
    }
    let games = &with_loaded(games)?;
    let game = games.find(&carried.head.game)?;
    let games = &games.clone().with_players(&[&CarriedTable]);
    let agent = ExportedAgent { carried: &carried, game, games };
    let protocol = protocol_of(courses, &carried.head.game);
    if let Some(protocol) = protocol.filter(|_| is_in_a_hurry(courses, &carried)) {
        return protocol.play(&agent, None, out);
    }
    // Some thousandths of a second, which only a move in a hurry does without.
    carried.check_program()?;
    let own = ExportedCli::command();
    let is_own = |name: &str| own.get_subcommands().any(|command| command.get_name() == name);
    let with = |protocol: &dyn Protocol| protocol.arguments(own.clone());
    let matches = protocol.map_or_else(|| own.clone(), with).try_get_matches().or_else(|error| {
        let mut elsewhere = games.iter().filter_map(|game| protocol_of(courses, game.id())).map(with);
        match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(name)) if elsewhere.any(|command| command.find_subcommand(name).is_some()) => {
                Err(CliError::ForeignCommand { command: name.clone(), game: game.id() })
            }
            _ => error.exit(),
        }
    })?;
    if let (Some(protocol), Some(name)) = (protocol, matches.subcommand_name().filter(|name| !is_own(name))) {
        return protocol.run(name, &agent, out);
    }
    let cli = ExportedCli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match (cli.command, protocol) {
        (Some(ExportedCommand::Info), _) => info(&agent, out),
        (Some(ExportedCommand::Play { side, time, limit }), _) => {
            terminal(&agent, side, limited(&agent, time, limit)?, out)
        }
        (Some(ExportedCommand::Gtp { time, limit }), _) => gtp(&agent, limited(&agent, time, limit)?, out),
        (Some(ExportedCommand::Serve { port }), _) => serve_agent(&agent, port),
        (None, Some(protocol)) => protocol.play(&agent, Some(&matches), out),
        (None, None) => {
            terminal(&agent, SideArg::First, limited(&agent, 1000, SimulationsArg { simulations: None })?, out)
        }
    }
}

fn info(agent: &ExportedAgent<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let verify = match &agent.carried.head.kind {
        AgentKind::Network { verify, .. } => *verify,
        AgentKind::Table => {
            let table = agent.carried.table(agent.game)?;
            writeln!(out, "{} plays {}", agent.name(), agent.game.id())?;
            writeln!(out, "perfect play by a tablebase, {}", size(table.table().bytes()))?;
            return Ok(());
        }
        AgentKind::Player { spec } => {
            agent.carried.check_head()?;
            writeln!(out, "{} plays {}", agent.name(), agent.game.id())?;
            writeln!(out, "as the player {spec}, without a network")?;
            tell_rules(agent, out)?;
            return Ok(());
        }
    };
    let manifest = agent.carried.network()?.manifest()?;
    let network = &manifest.network;
    writeln!(out, "{} plays {}", agent.name(), manifest.game.id)?;
    writeln!(out, "network: {} blocks of {} channels", network.blocks, network.channels)?;
    let provenance = &manifest.provenance;
    writeln!(
        out,
        "trained for {} generations, {} steps, seed {}",
        provenance.generation, provenance.step, provenance.seed
    )?;
    writeln!(out, "computes in {}", Precision::fastest())?;
    tell_rules(agent, out)?;
    let verify = if verify { "yes" } else { "no" };
    writeln!(out, "alpha-beta verification: {verify}")?;
    Ok(())
}

/// What it needs beside itself.
fn tell_rules(agent: &ExportedAgent<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let Some(rules) = &agent.carried.head.rules else { return Ok(()) };
    Ok(writeln!(out, "rules: {} (embedded; needs python3)", rules.name)?)
}

fn serve_agent(agent: &ExportedAgent<'_>, port: u16) -> Result<(), CliError> {
    let title = agent.name().to_owned();
    let listed = CatalogueAgent { game: agent.game.id().into(), name: "agent".into(), title, spec: agent.spec()? };
    let agents = agent.source(Precision::fastest(), all_cores())?;
    let catalogue = Catalogue::new(playable(agent.games), agents, vec![listed])?;
    Ok(serve(catalogue, ServeConfig { port, ..ServeConfig::default() }, announce)?)
}

/// The agent within `time` milliseconds a turn, or within the simulations of `limit`.
fn limited(agent: &ExportedAgent<'_>, time: u64, limit: SimulationsArg) -> Result<Box<dyn Player>, CliError> {
    let Some(simulations) = limit.simulations else {
        return Ok(agent.player(Some(time), Precision::fastest(), all_cores())?);
    };
    agent.player_by_simulations(simulations, Precision::fastest(), all_cores())?.ok_or_else(|| CliError::Option {
        option: "--simulations",
        value: simulations.to_string(),
        expected: "this agent has no simulations; use --time",
    })
}

fn terminal(
    agent: &ExportedAgent<'_>,
    side: SideArg,
    mut player: Box<dyn Player>,
    mut out: &mut dyn Write,
) -> Result<(), CliError> {
    let setting = TerminalSetting { human: side.into(), seed: 1, style: Style::for_output(&stdout()) };
    play_terminal(agent.game, player.as_mut(), setting, &mut stdin().lock(), &mut out)?;
    Ok(())
}

fn gtp(agent: &ExportedAgent<'_>, mut player: Box<dyn Player>, mut out: &mut dyn Write) -> Result<(), CliError> {
    serve_gtp(agent.game, player.as_mut(), 1, &mut stdin().lock(), &mut out)?;
    Ok(())
}
