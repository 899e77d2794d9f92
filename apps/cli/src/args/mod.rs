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
    AccuracyArgs, AnalyseArgs, CheckArgs, GamesArgs, NewArgs, PerftArgs, PositionArgs, RandomGamesArgs, ReplayArgs,
    SolveArgs, TablebaseBuildArgs, TablebaseCommand, TablebaseInspectArgs, VerifyArgs,
};
pub use runs::{AblateArgs, CleanArgs, ConfigArgs, DocsArgs, DoctorArgs, ReportArgs, TrainArgs, WatchArgs, WorkerArgs};

/// Train strong players for two-player board games from scratch, on an ordinary machine.
#[derive(Parser, Debug)]
#[command(name = "selfplay", version, max_term_width = 100)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Load a custom game from a Python file; it is then known by its id.
    #[arg(long, global = true, value_name = "FILE", value_parser = game::game)]
    pub game_file: Option<String>,
}

/// The program's commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train an agent by self-play. The same command resumes a stopped run.
    Train(TrainArgs),
    /// Play games for runs on other machines over a NATS server. Can be stopped at any time.
    Worker(WorkerArgs),
    /// Train variants of a config with equal CPU time and rate them. The same command resumes.
    Ablate(AblateArgs),
    /// Play a match of game pairs between two players. The same command resumes a stopped match.
    Match(MatchArgs),
    /// Play a tournament: round robin, gauntlet or elimination.
    Tournament(TournamentArgs),
    /// Rate the players of game files: Elo, intervals, likelihood of superiority. Also exports the games to other
    /// rating programs.
    Elo(EloArgs),
    /// Prove who wins a position, and by which moves.
    Solve(SolveArgs),
    /// Build or check a tablebase: the value of every position of a game.
    #[command(subcommand)]
    Tablebase(TablebaseCommand),
    /// Measure how often players' moves preserve the game-theoretic value of positions. Solved positions are stored
    /// for the next player.
    Accuracy(AccuracyArgs),
    /// Verify a player against every line of play of the opponent. For small games and late positions: the time is
    /// proportional to the number of games.
    Verify(VerifyArgs),
    /// Print the openings of a match with these options.
    Openings(OpeningsArgs),
    /// Analyse a position with a player.
    Analyse(AnalyseArgs),
    /// Play against a player in the terminal.
    Play(PlayArgs),
    /// Serve a web page to play against agents, or to watch them.
    Serve(ServeArgs),
    /// Speak the Go Text Protocol on standard input and output.
    Gtp(GtpArgs),
    /// Export an agent: as a standalone program, a checkpoint, or a network for other tools.
    Export(ExportArgs),
    /// Benchmark this machine: rules, search, network, self-play, training. Needs a quiet machine.
    Bench(BenchArgs),
    /// Diagnose a run, suggest fixes, and replay a sample of its games.
    Doctor(DoctorArgs),
    /// Delete networks and games that a run no longer needs. Champions and reports stay.
    Clean(CleanArgs),
    /// Watch a run live in the terminal: curves, figures and the current phase.
    Watch(WatchArgs),
    /// Write a report of one run or of several: tables, plots, an HTML page, a notebook.
    Report(ReportArgs),
    /// List config keys with their defaults, explain one, or print a JSON schema.
    Config(ConfigArgs),
    /// Print a page of the documentation, or list the pages.
    Docs(DocsArgs),
    /// Create a crate for a custom game: a small example that plays and trains.
    New(NewArgs),
    /// Check a game against the conformance checks, or players for tactical oversights.
    Check(CheckArgs),
    /// List the games.
    Games(GamesArgs),
    /// Draw a position and list its legal moves without duplicates (one for each successor).
    Show(PositionArgs),
    /// Count the move sequences from a position (perft), to compare rules with other programs.
    Perft(PerftArgs),
    /// Replay recorded games and compare moves and results with the rules.
    Replay(ReplayArgs),
    /// Print random games, one per line.
    RandomGames(RandomGamesArgs),
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write one per command.
    Man {
        /// Folder for one page per command.
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
            Command::Verify(args) => Some(&args.machine),
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
