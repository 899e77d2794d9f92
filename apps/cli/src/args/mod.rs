//! The command line: the commands here, the arguments of each in the file of its family.

mod invalid_value;
mod machine;

mod bench;
mod contests;
mod elo;
mod game;
mod groups;
mod playing;
mod positions;
mod runs;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub use bench::{BenchArgs, BenchSection};
pub use contests::{ContestArgs, FormatArg, MatchArgs, OpeningsArgs, SprtModelArg, TournamentArgs};
pub use elo::EloArgs;
pub use game::game as game_id;
pub use groups::grouped;
pub use invalid_value::InvalidValue;
pub use machine::{BACKEND, MachineArgs, start_threads, time_ms};
pub use playing::{ExportArgs, ExportFormat, GtpArgs, PlayArgs, ServeArgs, SideArg};
pub use positions::{
    AccuracyArgs, AnalyseArgs, CheckArgs, GamesArgs, NewArgs, PerftArgs, PositionArgs, RandomGamesArgs, RefuteArgs,
    ReplayArgs, SolveArgs, TableArgs, TabulateArgs,
};
pub use runs::{AblateArgs, CleanArgs, ConfigArgs, DocsArgs, DoctorArgs, ReportArgs, TrainArgs, WatchArgs, WorkerArgs};

/// Trains strong players for two-player board games from their rules alone, on an ordinary machine.
#[derive(Parser, Debug)]
#[command(name = "selfplay", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// A Python file with a game of your own, which is then known by its id.
    #[arg(long, global = true, value_name = "FILE", value_parser = game::game)]
    pub game_file: Option<String>,
}

/// The program's commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train an agent: self-play, learning and gate, generation by generation. The same command again goes on where
    /// a run stopped.
    Train(TrainArgs),
    /// Play games for runs that other machines train, over a NATS server. Leaves at any moment without harm.
    Worker(WorkerArgs),
    /// Train variants of a config with the same CPU time and rate them against each other. Goes on where it stopped.
    Ablate(AblateArgs),
    /// Play a match of game pairs between two players. The same command again goes on where a match stopped.
    Match(MatchArgs),
    /// Play a tournament: round robin, gauntlet or elimination.
    Tournament(TournamentArgs),
    /// Rate all players of files of games or matches: Elo, intervals, likelihoods of superiority; and write the games for
    /// other programs that rate.
    Elo(EloArgs),
    /// Prove who wins a position, and by which decisions.
    Solve(SolveArgs),
    /// Find what every position of a game is worth, and write it to a table. For games that number their
    /// positions. The same command again goes on where it stopped.
    Tabulate(TabulateArgs),
    /// Say what a table holds; check it as a whole, or against the rules.
    Table(TableArgs),
    /// Measure how often players' moves preserve the game-theoretic value of random or critical positions. Solved
    /// positions are kept for the next player.
    Accuracy(AccuracyArgs),
    /// Play every game that the other side can lead a player into, and count those it loses. For small games and late
    /// positions: it takes as long as there are games.
    Refute(RefuteArgs),
    /// Print the openings that a match with these options begins with.
    Openings(OpeningsArgs),
    /// Ask a player about a position.
    Analyse(AnalyseArgs),
    /// Play against a player in the terminal.
    Play(PlayArgs),
    /// Play against agents in the browser, or watch them.
    Serve(ServeArgs),
    /// Speak the Go Text Protocol on standard input and output.
    Gtp(GtpArgs),
    /// Write an agent to hand on: a program that plays, a checkpoint, or its network for other tools.
    Export(ExportArgs),
    /// Measure what this machine does: rules, search, network, self-play, training. Needs a quiet machine.
    Bench(BenchArgs),
    /// Say what is wrong with a run and what to try, and replay a sample of its games.
    Doctor(DoctorArgs),
    /// Remove the networks and games of a run that nothing needs any more; champions and all reports stay.
    Clean(CleanArgs),
    /// Watch a run on the terminal while it goes on: curves, numbers and the phase it is in.
    Watch(WatchArgs),
    /// Write a report of a run, or of several compared: tables, plots, one HTML page, a text to paste, a notebook.
    Report(ReportArgs),
    /// List the keys of a run's config with their defaults, explain one, or print a schema for editors.
    Config(ConfigArgs),
    /// Print a page of the documentation that comes with the program, or list the pages.
    Docs(DocsArgs),
    /// Write a crate with a game of your own: a small one that plays and trains, ready to be changed.
    New(NewArgs),
    /// Check a game against the laws that everything here relies on, or players for oversights.
    Check(CheckArgs),
    /// List the games.
    Games(GamesArgs),
    /// Draw a position and list its distinct decisions (one for each different successor).
    Show(PositionArgs),
    /// Count the sequences of decisions from a position, to compare rules with other programs.
    Perft(PerftArgs),
    /// Replay recorded games and compare every decision and result with the rules here.
    Replay(ReplayArgs),
    /// Print random games, one a line.
    RandomGames(RandomGamesArgs),
    /// Print the completions of commands and options for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write that of each command.
    Man {
        /// Folder to write a page for each command into.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

impl Command {
    /// What to compute with, for the commands that compute.
    pub fn machine(&self) -> Option<&MachineArgs> {
        match self {
            Command::Ablate(args) => Some(&args.machine),
            Command::Train(args) => Some(&args.machine),
            Command::Match(args) => Some(&args.contest.machine),
            Command::Tournament(args) => Some(&args.contest.machine),
            Command::Accuracy(args) => Some(&args.machine),
            Command::Refute(args) => Some(&args.machine),
            Command::Analyse(args) => Some(&args.machine),
            Command::Check(args) => Some(&args.machine),
            Command::Play(args) => Some(&args.machine),
            Command::Serve(args) => Some(&args.machine),
            Command::Gtp(args) => Some(&args.machine),
            Command::Bench(args) => Some(&args.machine),
            _ => None,
        }
    }
}
