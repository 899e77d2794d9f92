//! Arguments of ratings over files of results.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `elo`.
#[derive(Args, Debug)]
pub struct EloArgs {
    /// Games files of `match` and `tournament`, and matches.csv files of runs (*.csv), all of one game. Equal names are the
    /// same player.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Fix the rating of a player, as in --anchor alphabeta:depth=2=1000; without a number at 0 [default: random=0, or the
    /// mean at 0 if random has no games].
    #[arg(long, value_name = "PLAYER=ELO")]
    pub anchor: Option<String>,
    /// Minimum of game pairs for a rating.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_pairs: u64,
    /// Samples from the joint posterior of the ratings.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub samples: u32,
    /// Seed of the samples.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print the ratings and likelihoods as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Write the ratings and likelihoods to a CSV file as well.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Plot the ratings with intervals, as SVG or PNG.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write all games in Portable Game Notation, for other rating programs.
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
}
