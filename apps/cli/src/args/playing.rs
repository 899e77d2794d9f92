//! Arguments about playing: with people, with other programs, and as a program of its own.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use selfplay_env::Side;

use super::game::game;
use super::invalid_value::InvalidValue;
use super::machine::{MachineArgs, time_ms};

/// A side to play.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideArg {
    /// The side that moves first.
    First,
    /// The side that moves second.
    Second,
}

impl From<SideArg> for Side {
    fn from(side: SideArg) -> Side {
        match side {
            SideArg::First => Side::First,
            SideArg::Second => Side::Second,
        }
    }
}

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The opponent, for example search:checkpoint=checkpoints/RUN,simulations=200 or random.
    pub spec: String,
    /// Your side.
    #[arg(long, value_enum, default_value_t = SideArg::First)]
    pub side: SideArg,
    /// Seed of the opponent's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Listen at this port; 0 selects a free one.
    #[arg(long, default_value_t = 8787)]
    pub port: u16,
    /// Listen at this address; the default accepts connections from this machine only.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Accept requests for this host name besides localhost. Repeatable.
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Folder with runs: offers their champions, and the agents in its folder released/, as opponents.
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    pub checkpoints: PathBuf,
    /// Offer a tablebase (see `selfplay tablebase build`) as opponent and for analysis. Repeatable.
    #[arg(long, value_name = "FILE")]
    pub table: Vec<PathBuf>,
    /// Show this training run at /run.
    #[arg(long, value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Limit the simulations per action that a visitor may request.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_simulations: u32,
    /// Limit the time per turn that a visitor may request, as in 10s.
    #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "30s")]
    pub max_time: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `gtp`.
#[derive(Args, Debug)]
pub struct GtpArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The player behind `genmove`, for example search:checkpoint=checkpoints/RUN,time=1s,verify=on.
    pub spec: String,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// What `export` writes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// A standalone program.
    Program,
    /// A checkpoint folder without optimizer state: it plays, but training cannot resume from it.
    Checkpoint,
    /// An ONNX model with logits of the policy and of win, draw and loss.
    Onnx,
    /// The named weights as safetensors.
    Safetensors,
    /// A web page in one file that plays offline.
    Html,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// A checkpoint folder, a run folder (its champion), a tablebase (see `selfplay tablebase build`), or a player that
    /// needs no files, for example alphabeta:memory=256 (see docs/players.md).
    #[arg(value_name = "CHECKPOINT|TABLE|PLAYER")]
    pub agent: PathBuf,
    /// Write to this file or folder.
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// Format of the export.
    #[arg(long, value_enum, default_value_t = ExportFormat::Program)]
    pub format: ExportFormat,
    /// The program that carries the agent [default: selfplay-agent beside this program, or this program; for a page
    /// selfplay_page.wasm].
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Name of the agent [default: selfplay-GAME].
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub name: Option<String>,
    /// Disable alpha-beta verification: search with the network alone.
    #[arg(long)]
    pub pure: bool,
    /// Replace an existing file; folders are never replaced.
    #[arg(long)]
    pub force: bool,
}

/// An agent's name that fits into a line of a protocol.
fn agent_name(text: &str) -> Result<String, InvalidValue> {
    let is_line = !text.chars().any(char::is_control);
    let name = text.trim();
    let is_right = is_line && (1..=60).contains(&name.chars().count());
    is_right.then(|| name.to_owned()).ok_or(InvalidValue { expected: "a name in one line of 1 to 60 characters" })
}
