//! `referee`: games between programs by a course's protocol.

use std::io::Write;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use selfplay::{CliError, time_ms};

use crate::pentago::{PentagoServerConfig, serve_pentago};
use crate::pente_referee::{PenteAgent, PenteRefereeConfig, referee_pente};

/// Arguments of `referee`.
#[derive(Args, Debug)]
pub struct RefereeArgs {
    /// The course's protocol.
    #[command(subcommand)]
    pub course: RefereeCourse,
}

/// The protocols of courses.
#[derive(Subcommand, Debug)]
pub enum RefereeCourse {
    /// Play two programs of the Pente course, which read input.txt and write output.txt, against each other.
    Pente(RefereePenteArgs),
    /// Run the Pentago-Swap course's server: connect two clients and referee their games.
    PentagoSwap(RefereePentagoArgs),
}

/// Arguments of `referee pente`.
#[derive(Args, Debug)]
pub struct RefereePenteArgs {
    /// The first agent: a player, such as alphabeta or search:checkpoint=checkpoints/RUN (see docs/players.md), or the command
    /// line of a program.
    pub a: String,
    /// The second agent.
    pub b: String,
    /// Games to play.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub games: u64,
    /// CPU seconds of each agent for each game.
    #[arg(long, value_name = "SECONDS", default_value_t = 100.0)]
    pub budget: f64,
    /// In how many of ten games the first agent is White.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub a_white_in_ten: u64,
    /// Folder for the agents' files and the games.
    #[arg(long, value_name = "DIR", default_value = "pente-referee")]
    pub folder: PathBuf,
    /// Command line that is run once before the first game to calibrate the first agent.
    #[arg(long, value_name = "COMMAND")]
    pub calibrate_a: Option<String>,
    /// The same for the second agent.
    #[arg(long, value_name = "COMMAND")]
    pub calibrate_b: Option<String>,
    /// Seed of the built-in agents' choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Arguments of `referee pentago-swap`.
#[derive(Args, Debug)]
pub struct RefereePentagoArgs {
    /// The port to listen at.
    #[arg(long, default_value_t = 8123)]
    pub port: u16,
    /// The address to listen at; the default is reached from this machine alone.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Games to referee, one after the other, each between the next two clients.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub games: u64,
    /// Time for each move but a player's first.
    #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "2s")]
    pub move_time: u64,
    /// Time for each player's first move.
    #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "30s")]
    pub first_move_time: u64,
    /// Seed of the moves that are made for late players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Referees the games and prints the score sheet.
///
/// # Errors
/// If an option or an agent is wrong, a folder, the address or the output cannot be written.
pub fn referee(args: &RefereeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    match &args.course {
        RefereeCourse::Pente(args) => judge_pente_programs(args, out),
        RefereeCourse::PentagoSwap(args) => judge_pentago(args, out),
    }
}

fn judge_pente_programs(args: &RefereePenteArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let agent = |text: &str, calibrate: Option<&str>| match calibrate {
        None => PenteAgent::parse(text),
        Some(_) => PenteAgent::program(text, calibrate),
    };
    let mut agents = [agent(&args.a, args.calibrate_a.as_deref())?, agent(&args.b, args.calibrate_b.as_deref())?];
    let config = PenteRefereeConfig {
        games: args.games,
        budget_ms: milliseconds(args.budget)?,
        a_white_in_ten: args.a_white_in_ten,
        folder: args.folder.clone(),
        seed: args.seed,
        ..PenteRefereeConfig::default()
    };
    let names = [agents[0].name().to_owned(), agents[1].name().to_owned()];
    let mut written = Ok(());
    let sheet = referee_pente(&config, &mut agents, &mut |game| {
        if written.is_ok() {
            written = writeln!(out, "{}", game.summary(&names)).and_then(|()| out.flush());
        }
    })
    .map_err(CliError::course)?;
    written?;
    write!(out, "\n{}", sheet.text())?;
    Ok(())
}

/// Whole milliseconds in so many seconds.
fn milliseconds(seconds: f64) -> Result<u64, CliError> {
    let ms = (seconds * 1000.0).round();
    if (1.0..=86_400_000.0).contains(&ms) {
        return Ok(ms as u64);
    }
    Err(CliError::Option {
        option: "--budget",
        value: seconds.to_string(),
        expected: "expected CPU seconds from 0.001 to 86400",
    })
}

fn judge_pentago(args: &RefereePentagoArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let config = PentagoServerConfig {
        first_move_ms: args.first_move_time,
        move_ms: args.move_time,
        seed: args.seed,
        ..PentagoServerConfig::default()
    };
    let address = SocketAddr::new(args.host, args.port);
    let refused = |source| CliError::Listen { address, source };
    let listener = TcpListener::bind(address).map_err(refused)?;
    writeln!(out, "listening at {}", listener.local_addr().map_err(refused)?)?;
    out.flush()?;
    let sheet = serve_pentago(&listener, &config, args.games, out)?;
    write!(out, "\n{}", sheet.text())?;
    Ok(())
}
