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
    /// First player, for example search:checkpoint=checkpoints/RUN,simulations=64.
    pub spec_a: String,
    /// Second player, for example random, alphabeta:depth=2 or uct:time=1s (see docs/players.md).
    pub spec_b: String,
    /// Number of games, played in pairs: each opening twice, with sides exchanged.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub games: u32,
    /// Stop when a sequential probability ratio test decides between two Elo differences, as in --sprt 0,20.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub sprt: Option<String>,
    /// Probability that the test accepts ELO1 when ELO0 holds.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub alpha: f64,
    /// Probability that the test accepts ELO0 when ELO1 holds.
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
    /// Random opening actions of each pair; alpha-beta selects the most balanced of several openings.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub opening_plies: u32,
    /// Declare a draw after this many actions.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_plies: u32,
    /// Seed of openings and players.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Limit the time per turn, as in 500ms or 2s; a player that exceeds it loses the game.
    #[arg(long, value_name = "TIME", value_parser = time_ms, conflicts_with = "budget")]
    pub move_time: Option<u64>,
    /// Limit the time per game and player, as in 100s; a player that exceeds it loses the game.
    #[arg(long, value_name = "TIME", value_parser = time_ms)]
    pub budget: Option<u64>,
    /// Measure --move-time or --budget in CPU time instead of wall time.
    #[arg(long)]
    pub cpu: bool,
    /// Award drawn games to the player with more of its --budget left.
    #[arg(long, requires = "budget")]
    pub time_breaks_draws: bool,
    /// Record every game in this file, one JSON object per line. Games of the same contest in it are reused [default: a
    /// name made of game, players and seed in the folder games/].
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
    /// Pairings round by round; a player that loses more than half of a pairing's games is eliminated.
    Elimination,
}

/// Arguments of `tournament`.
#[derive(Args, Debug)]
pub struct TournamentArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game)]
    pub game: String,
    /// The players, at least two (see docs/players.md).
    #[arg(required = true, num_args = 2.., value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Form of the tournament.
    #[arg(long, value_enum, default_value_t = FormatArg::RoundRobin)]
    pub format: FormatArg,
    /// Number of games per pairing, an even number: each player moves first in half of them.
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
    /// Number of openings.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,
    /// Random actions per opening.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub opening_plies: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
