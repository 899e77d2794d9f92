//! Arguments about single positions and games.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::game::game;
use super::invalid_value::InvalidValue;
use super::machine::{MachineArgs, time_ms};
use super::playing::SideArg;

/// Arguments of `solve`.
#[derive(Args, Debug)]
pub struct SolveArgs {
    /// Print one JSON object: `value` for the side to move (1 won, 0 drawn, -1 lost, null if not proven), `exact`,
    /// `nodes` and `moves` with their values.
    #[arg(long)]
    pub json: bool,
    /// Stop after this many positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Stop after this time, as in 30s.
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub time: Option<u64>,
    /// Memory in MiB of the transposition table.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Read values and turns to the end from a tablebase (see `selfplay tablebase build`).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nodes", "time", "value_only"])]
    pub table: Option<PathBuf>,
    /// Prove only the value of the position, not that of every action.
    #[arg(long)]
    pub value_only: bool,
    /// Worker threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The actions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ACTION")]
    pub actions: Vec<String>,
}

/// Commands of `tablebase`.
#[derive(Subcommand, Debug)]
pub enum TablebaseCommand {
    /// Solve every position of a game and write the values to a file. The same command resumes an interrupted build.
    Build(TablebaseBuildArgs),
    /// Print what a tablebase holds; check it as a whole, or against the rules.
    Inspect(TablebaseInspectArgs),
}

/// Arguments of `tablebase build`.
#[derive(Args, Debug)]
pub struct TablebaseBuildArgs {
    /// The tablebase file.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    pub force: bool,
    /// Variant of the rules or board size, if the game has any. Players need a tablebase of the game's own rules.
    #[arg(long, value_name = "NAME")]
    pub rules: Option<String>,
    /// Store only outcomes, without turns to the end: a smaller file, which no player can use.
    #[arg(long)]
    pub outcomes_only: bool,
    /// Memory limit in MiB for the values.
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub memory: u64,
    /// Interval between checkpoints, from which an interrupted build resumes.
    #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "300s")]
    pub save_every: u64,
    /// Worker threads [default: one per core]. The tablebase does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
}

/// Arguments of `tablebase inspect`.
#[derive(Args, Debug)]
pub struct TablebaseInspectArgs {
    /// Compare every value with those of its successors; takes one byte of memory per position index.
    #[arg(long)]
    pub check: bool,
    /// Plot wins and losses by turns to the end, as SVG or PNG.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub plot: Option<PathBuf>,
    /// Plot the shares of wins, draws and losses by pieces on the board, as SVG or PNG.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub plot_pieces: Option<PathBuf>,
    /// Compare the values of this many random positions with those of their successors under the game's rules.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub sample: u64,
    /// Search this many random positions to the end by the rules alone, among those with a near end.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub search: u64,
    /// Measure the time of a random look-up, with a warm cache.
    #[arg(long)]
    pub time: bool,
    /// Seed of the random positions.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Worker threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The tablebase file.
    pub file: PathBuf,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one [default: every game].
    #[arg(value_parser = game)]
    pub game: Option<String>,
    /// Number of random games; every position in them is checked.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// Stop a random game after this many actions.
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub plies: usize,
    /// Seed of the random games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Check this player instead: does it take wins in one move and prevent the opponent's? Repeatable.
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["games", "plies"])]
    pub player: Vec<String>,
    /// Number of positions per player.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "player", value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// Name of the game and its crate: lower-case letters and digits, with `-` between words.
    pub name: String,
    /// Folder of the crate [default: NAME in the current folder].
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// Arguments of `accuracy`.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("stage").required(true).args(["after", "pieces"])))]
pub struct AccuracyArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Players to evaluate, for example search:checkpoint=checkpoints/RUN,simulations=400.
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Draw positions after this many random plies: numbers or ranges, as in 4,8,12 or 12..30. Solving early positions
    /// can take very long.
    #[arg(long, value_name = "PLIES", value_delimiter = ',', value_parser = plies)]
    pub after: Vec<RangeInclusive<usize>>,
    /// Draw positions where a random game first has this many pieces on the board, as in 6,10,14.
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16))]
    pub pieces: Vec<u16>,
    /// Draw until as many critical positions are found, in which at least one move loses the value.
    #[arg(long)]
    pub critical: bool,
    /// Positions per stage.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
    /// Read values from a tablebase (see `selfplay tablebase build`) instead of solving.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solved_file", "values"])]
    pub table: Option<PathBuf>,
    /// Read positions and values from a CSV file of another program: actions,value,turns,preserving. The first
    /// --positions of a stage count as random.
    #[arg(long, value_name = "FILE", conflicts_with = "solved_file")]
    pub values: Option<PathBuf>,
    /// Seed of the positions and of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Skip a position if it is not solved after this many nodes.
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Memory in MiB of the solver's transposition table, per thread.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Store the solved positions of the only stage in this file and reuse those in it [default: a name in the folder
    /// solved/ made from the options that determine the positions].
    #[arg(long, value_name = "FILE")]
    pub solved_file: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Reads `8`, or `12..30`: at least and at most so many plies.
fn plies(text: &str) -> Result<RangeInclusive<usize>, InvalidValue> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    match (min.parse(), max.parse()) {
        (Ok(min), Ok(max)) if min <= max => Ok(min..=max),
        _ => Err(InvalidValue { expected: "a number of plies such as 8, or a range such as 12..30" }),
    }
}

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// The player's side; every move of the other side is tried.
    #[arg(long, value_enum)]
    pub side: SideArg,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The player to verify, such as search:checkpoint=checkpoints/RUN,simulations=400. Under a time limit the result may
    /// differ from run to run.
    pub spec: String,
    /// The moves of both sides that every game begins with, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ACTION")]
    pub actions: Vec<String>,
}

/// Arguments of `analyse`.
#[derive(Args, Debug)]
pub struct AnalyseArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The player that analyses, for example search:checkpoint=checkpoints/RUN,simulations=400.
    pub spec: String,
    /// The actions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ACTION")]
    pub actions: Vec<String>,
}

/// Arguments of `games`.
#[derive(Args, Debug)]
pub struct GamesArgs {
    /// Print a JSON list.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct PositionArgs {
    /// Print one JSON object: the network's input, `planes` of the given `shape`, and the policy index of every distinct
    /// action.
    #[arg(long)]
    pub json: bool,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The actions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ACTION")]
    pub actions: Vec<String>,
}

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Depth in actions.
    pub depth: u8,
    /// The actions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ACTION")]
    pub actions: Vec<String>,
}

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Games, one per line: actions separated by spaces, then `= R` (1 first won, 2 second won, 0 draw, * unfinished).
    pub file: PathBuf,
}

/// Arguments of `random-games`.
#[derive(Args, Debug)]
pub struct RandomGamesArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Number of games to print.
    pub count: u64,
    /// Seed of the games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
