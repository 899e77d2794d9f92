//! Arguments about games between players.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::game::game;
use super::machine::{MachineArgs, time_ms};

/// Arguments of `match`.
#[derive(Args, Debug)]
pub struct MatchArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// First player, such as search:checkpoint=checkpoints/RUN,simulations=64.
    pub spec_a: String,
    /// Second player, such as random, alphabeta:depth=2 or uct:time=1s (see docs/players.md).
    pub spec_b: String,
    /// Games to play: half as many pairs, each pair one opening with the sides exchanged.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub games: u32,
    /// Stop as soon as a sequential probability ratio test decides between these Elo differences, as in --sprt 0,20.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub sprt: Option<String>,
    /// Risk of the test to accept ELO1 where ELO0 holds.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub alpha: f64,
    /// Risk of the test to accept ELO0 where ELO1 holds.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub beta: f64,
    /// Scale of ELO0 and ELO1.
    #[arg(long, value_name = "MODEL", value_enum, default_value = "logistic", requires = "sprt")]
    pub sprt_model: SprtModelArg,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub contest: ContestArgs,
}

/// Scales of the hypotheses of a sequential test.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtModelArg {
    /// Elo points on the logistic curve.
    Logistic,
    /// Normalized Elo points.
    Normalized,
}

/// How the games of matches and tournaments are played.
#[derive(Args, Debug)]
pub struct ContestArgs {
    /// Random decisions that open each pair; of several such openings the most even one by alpha-beta is taken.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub opening_decisions: u32,
    /// Decisions after which a game is called a draw.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_decisions: u32,
    /// Seed of openings and players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Time for each turn, such as 500ms or 2s: all decisions before the other side moves; who needs more loses the game.
    #[arg(long, value_name = "TIME", value_parser = time_ms, conflicts_with = "budget")]
    pub move_time: Option<u64>,
    /// Time of each player for all decisions of a game, such as 100s; who needs more loses the game.
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub budget: Option<u64>,
    /// Measure --move-time or --budget in CPU time instead of time that passes.
    #[arg(long)]
    pub cpu: bool,
    /// A drawn game is won by the player with more of its --budget left.
    #[arg(long, requires = "budget")]
    pub time_breaks_draws: bool,
    /// File that keeps every game, one JSON object a line; if it holds games of the same contest, they are not played
    /// again [default: a name made of game, players and seed in the folder games/].
    #[arg(long, value_name = "FILE")]
    pub games_file: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// The forms of tournament.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatArg {
    /// Every player against every other.
    RoundRobin,
    /// The first player against all others.
    Gauntlet,
    /// Pairings round by round; who loses more than half of the games of a pairing is out.
    Elimination,
}

/// Arguments of `tournament`.
#[derive(Args, Debug)]
pub struct TournamentArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The players, two at least (see docs/players.md).
    #[arg(required = true, num_args = 2.., value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Who meets whom.
    #[arg(long, value_enum, default_value_t = FormatArg::RoundRobin)]
    pub format: FormatArg,
    /// Games for each pairing, an even number: half of them with either player first.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub games: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub contest: ContestArgs,
}

/// Arguments of `openings`.
#[derive(Args, Debug)]
pub struct OpeningsArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// Random decisions of each.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub opening_decisions: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
