//! Arguments about playing: with people, with other programs, and as a program of its own.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use selfplay_env::Side;

use super::game::game;
use super::invalid_value::InvalidValue;
use super::machine::{MachineArgs, time_ms};

/// Which side a person takes, or a player.
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
    /// The opponent, such as search:checkpoint=checkpoints/RUN,simulations=200 or random.
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
    /// The port to listen at; 0 takes any free one.
    #[arg(long, default_value_t = 8787)]
    pub port: u16,
    /// The address to listen at; the default is reached from this machine alone.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// A name under which browsers may ask for this server, beside localhost. May be given often.
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Folder that holds run folders; their champions and the agents in its folder released/ can be played.
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    pub checkpoints: PathBuf,
    /// A table of a whole game (see `selfplay tabulate`) to play against and to analyse with. May be given often.
    #[arg(long, value_name = "FILE")]
    pub table: Vec<PathBuf>,
    /// Show this training run as well, at /run.
    #[arg(long, value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Most simulations of a decision that a visitor may ask for.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_simulations: u32,
    /// The longest time, such as 10s, that a visitor may have an agent think about a turn.
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
    /// The player that `genmove` asks, such as search:checkpoint=checkpoints/RUN,time=1s,proofs=on.
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
    /// A program that plays, in one file.
    Program,
    /// A checkpoint folder that plays and cannot be trained further.
    Checkpoint,
    /// An ONNX model with the logits of policy and of win, draw and loss.
    Onnx,
    /// The weights, named, as safetensors.
    Safetensors,
    /// A page in one file that plays in any browser, without a server and without a network.
    Html,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// A checkpoint folder; a run folder, which stands for its champion; a table of the game (see `selfplay tabulate`),
    /// which plays perfectly; or a player that needs no files, such as alphabeta:memory=256 (see docs/players.md).
    #[arg(value_name = "CHECKPOINT|TABLE|PLAYER")]
    pub agent: PathBuf,
    /// The file or folder to write.
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// What to write.
    #[arg(long, value_enum, default_value_t = ExportFormat::Program)]
    pub format: ExportFormat,
    /// The program that the agent is put into [default: for a program selfplay-agent beside this one, or this one; for a
    /// page selfplay_page.wasm].
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// What the agent calls itself [default: selfplay-GAME].
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub name: Option<String>,
    /// Search with the network alone, without proofs by alpha-beta.
    #[arg(long)]
    pub pure: bool,
    /// Replace the file if it is there; a folder is never replaced.
    #[arg(long)]
    pub force: bool,
}

/// A name that other programs can be told.
fn agent_name(text: &str) -> Result<String, InvalidValue> {
    let is_line = !text.chars().any(char::is_control);
    let name = text.trim();
    let is_right = is_line && (1..=60).contains(&name.chars().count());
    is_right.then(|| name.to_owned()).ok_or(InvalidValue { expected: "a name in one line of 1 to 60 characters" })
}
