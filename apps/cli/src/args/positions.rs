//! Arguments about single positions and games.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

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
    /// Give up after this many positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Give up after this time, such as 30s.
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub time: Option<u64>,
    /// Memory in MiB for positions that are solved.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Look up the values in a table of the game (see `selfplay tabulate`), with the turns to the end.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nodes", "time", "value_only"])]
    pub table: Option<PathBuf>,
    /// Prove only the value of the position, not that of every decision.
    #[arg(long)]
    pub value_only: bool,
    /// Worker threads [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Arguments of `tabulate`.
#[derive(Args, Debug)]
pub struct TabulateArgs {
    /// The table's file.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it is there already.
    #[arg(long)]
    pub force: bool,
    /// Rules or size of the board, where the game has others to offer; only a table of its own rules can be played by.
    #[arg(long, value_name = "NAME")]
    pub rules: Option<String>,
    /// Tell only who wins, not in how many turns: a smaller file, of no use to a player.
    #[arg(long)]
    pub outcomes_only: bool,
    /// Memory in MiB that the values may take.
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub memory: u64,
    /// Time between two times that the values are written to disk, to go on from.
    #[arg(long, value_name = "TIME", value_parser = time_ms, default_value = "300s")]
    pub save_every: u64,
    /// Worker threads [default: one a core]. The table does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
}

/// Arguments of `table`.
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Compare every value with those that a turn leads to; takes a byte of memory for each number.
    #[arg(long)]
    pub check: bool,
    /// Draw which positions are won and lost in how many turns: an SVG or PNG file.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub plot: Option<PathBuf>,
    /// Draw what share of the positions is won, drawn and lost by the pieces on the board: an SVG or PNG file.
    #[arg(long, value_name = "FILE", requires = "check")]
    pub plot_pieces: Option<PathBuf>,
    /// Compare the values of so many random positions with what the game's rules say of their turns.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub sample: u64,
    /// Search so many random positions to the end by the rules alone, as far as the table says that it is near.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub search: u64,
    /// Time look-ups at random, each number looked up once before.
    #[arg(long)]
    pub time: bool,
    /// Seed of the random positions.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Worker threads [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The table's file.
    pub file: PathBuf,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one [default: every game].
    #[arg(value_parser = game)]
    pub game: Option<String>,
    /// Random games to check every position of.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// Decisions after which a random game is left.
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub decisions: usize,
    /// Seed of the random games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Check this player instead: whether it takes wins and prevents those of its opponent. May be given several times.
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["games", "decisions"])]
    pub player: Vec<String>,
    /// Positions to check each player in.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "player", value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// What the game and its crate are called: small letters and digits, with `-` between words.
    pub name: String,
    /// The folder of the crate [default: NAME in the current folder].
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
    /// Players to evaluate, such as search:checkpoint=checkpoints/RUN,simulations=400.
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Draw positions after so many random moves: numbers of plies or ranges of them, such as 4,8,12 or 12..30. Early
    /// positions can take the solver very long.
    #[arg(long, value_name = "PLIES", value_delimiter = ',', value_parser = plies)]
    pub after: Vec<RangeInclusive<usize>>,
    /// Draw positions where a random game first has so many pieces on the board, such as 6,10,14.
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16))]
    pub pieces: Vec<u16>,
    /// Draw until so many critical positions are found as well, where at least one move loses the value.
    #[arg(long)]
    pub critical: bool,
    /// Positions for each stage.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,
    /// Take the values from a table of the game (see `selfplay tabulate`) instead of the solver.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["solved_file", "values"])]
    pub table: Option<PathBuf>,
    /// Take positions and values from a CSV file that another program wrote: actions,value,turns,preserving. The first
    /// --positions of a stage count as random.
    #[arg(long, value_name = "FILE", conflicts_with = "solved_file")]
    pub values: Option<PathBuf>,
    /// Seed of the positions and of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Leave out a position if the solver has not solved it after so many nodes.
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Memory in MiB of the solver's transposition table, one for each thread.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Keep the solved positions of the only stage in this file and reuse those that it holds [default: a name in the
    /// folder solved/ made from the options that determine the positions].
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

/// Arguments of `refute`.
#[derive(Args, Debug)]
pub struct RefuteArgs {
    /// The player's side; every decision of the other one is tried.
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
    /// The player to lead into every game, such as search:checkpoint=checkpoints/RUN,simulations=400. With a limit of
    /// time it may decide otherwise the next time.
    pub spec: String,
    /// The decisions of both sides that every game begins with, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
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
    /// The player to ask, such as search:checkpoint=checkpoints/RUN,simulations=400.
    pub spec: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
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
    /// Print one JSON object: the position as networks see it, `planes` of the given `shape`, and the index of every
    /// distinct decision in the policy.
    #[arg(long)]
    pub json: bool,
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Decisions to look ahead.
    pub depth: u8,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// Games, one a line: decisions separated by spaces, then `= R` (1 first won, 2 second won, 0 draw, * unfinished).
    pub file: PathBuf,
}

/// Arguments of `random-games`.
#[derive(Args, Debug)]
pub struct RandomGamesArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// How many games to print.
    pub count: u64,
    /// Seed; the same seed prints the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
