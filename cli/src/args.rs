//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use selfplay_eval::time_control::parse_time_ms;
use selfplay_network::DeviceKind;

/// Trains strong players for two-player board games from their rules alone, on an ordinary machine.
#[derive(Parser, Debug)]
#[command(name = "selfplay", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The program's commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train an agent: self-play, learning and gate, generation by generation. The same command again goes on where
    /// a run stopped.
    Train(TrainArgs),
    /// Train variants of a config with the same CPU time and rate them against each other. Goes on where it stopped.
    Ablate(AblateArgs),
    /// Play a match of game pairs between two players. The same command again goes on where a match stopped.
    Match(MatchArgs),
    /// Play a tournament: round robin, gauntlet or elimination.
    Tournament(TournamentArgs),
    /// Prove who wins a position, and by which decisions.
    Solve(SolveArgs),
    /// Print the openings that a match with these options begins with.
    Openings(OpeningsArgs),
    /// Write a book of a player's decisions in the first positions of a game.
    Book(BookArgs),
    /// Ask a player about a position.
    Analyse(AnalyseArgs),
    /// Play against a player in the terminal.
    Play(PlayArgs),
    /// Measure what this machine does: rules, search, network, self-play, training. Needs a quiet machine.
    Bench(BenchArgs),
    /// Say what is wrong with a run and what to try, and replay a sample of its games.
    Doctor(DoctorArgs),
    /// Rebuild the tables and plots of a run.
    Report(ReportArgs),
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
}

impl Command {
    /// What to compute with, for the commands that compute.
    pub fn machine(&self) -> Option<&MachineArgs> {
        match self {
            Command::Ablate(args) => Some(&args.machine),
            Command::Train(args) => Some(&args.machine),
            Command::Match(args) => Some(&args.contest.machine),
            Command::Tournament(args) => Some(&args.contest.machine),
            Command::Book(args) => Some(&args.machine),
            Command::Analyse(args) => Some(&args.machine),
            Command::Play(args) => Some(&args.machine),
            Command::Bench(args) => Some(&args.machine),
            _ => None,
        }
    }
}

/// Arguments of `train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// The run's config, a TOML file such as configs/sum15-4/quickstart.toml; or the id of a game, with --hours: a
    /// config is then planned for that time by a probe of this machine, explained and kept as GAME-Hh.toml.
    #[arg(value_name = "CONFIG|GAME")]
    pub config: PathBuf,
    /// Name of the run's folder [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Change a key of the config, as in --set selfplay.simulations=64. May be given often.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Begin no new generation after this many hours (of real time, in this call).
    #[arg(long, value_name = "H")]
    pub hours: Option<f64>,
    /// Folder that holds the run folders.
    #[arg(long, value_name = "DIR", default_value = "checkpoints")]
    pub checkpoints: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Arguments of `ablate`.
#[derive(Args, Debug)]
pub struct AblateArgs {
    /// The config that is varied.
    pub config: PathBuf,
    /// A key and the values to try, each as a variant beside the config as it is, as in
    /// --factor replay.replay_ratio=2,8. May be given often.
    #[arg(long, value_name = "KEY=V1,V2,…")]
    pub factor: Vec<String>,
    /// CPU time of self-play and learning that each run gets, in hours.
    #[arg(long, value_name = "H")]
    pub hours: f64,
    /// Change a key in all variants, as in train. May be given often.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Runs of each variant, with seeds that follow each other.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub seeds: u32,
    /// Game pairs between each two players.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,
    /// Random decisions that open each pair.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub opening_decisions: u32,
    /// What limits the agents in the matches, as in a player's spec: simulations=N or time=T.
    #[arg(long, value_name = "LIMIT", default_value = "simulations=100")]
    pub limit: String,
    /// Name of the folder for runs, games and tables [default: game and name of the config].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Folder that holds the ablations.
    #[arg(long, value_name = "DIR", default_value = "ablations")]
    pub out: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// What to compute with.
#[derive(Args, Debug, Clone, Copy)]
pub struct MachineArgs {
    /// Worker threads [default: one a core]. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Where the network is computed: flex, ndarray, cuda or wgpu (the last two if built with that feature). Devices
    /// differ by rounding: a run stays the same bit for bit on one device only.
    #[arg(long, default_value_t = DeviceKind::Flex)]
    pub device: DeviceKind,
}

impl MachineArgs {
    /// The number of worker threads.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            Some(threads) => threads.into(),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Starts the threads that all parallel loops of the program share, those of the tensor library included. To be
    /// called once, before anything is computed.
    pub fn start_threads(&self) {
        let started = rayon::ThreadPoolBuilder::new().num_threads(self.thread_count()).build_global();
        if let Err(error) = started {
            tracing::warn!("cannot start {} threads, going on with the default: {error}", self.thread_count());
        }
    }
}

/// Arguments of `match`.
#[derive(Args, Debug)]
pub struct MatchArgs {
    /// Id of the game (see `selfplay games`).
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
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub contest: ContestArgs,
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
    /// Time for each decision, such as 500ms or 2s; who needs more loses the game.
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
    /// Id of the game (see `selfplay games`).
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
    /// Prove only the value of the position, not that of every decision.
    #[arg(long)]
    pub value_only: bool,
    /// Worker threads [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Arguments of `openings`.
#[derive(Args, Debug)]
pub struct OpeningsArgs {
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub count: u32,
    /// Random decisions of each.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub opening_decisions: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Who plays the games of a book.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookPlayArg {
    /// All decisions are random.
    Random,
    /// The player against random moves.
    Own,
}

/// Arguments of `book`.
#[derive(Args, Debug)]
pub struct BookArgs {
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// The player whose decisions are written down, such as alphabeta:depth=5.
    pub spec: String,
    /// The file to write.
    pub file: PathBuf,
    /// Decisions from the start of the game that the book covers.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub decisions: u32,
    /// Games that lead to the book's positions.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// Who plays them.
    #[arg(long, value_enum, default_value_t = BookPlayArg::Own)]
    pub play: BookPlayArg,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

fn time_ms(text: &str) -> Result<u64, String> {
    parse_time_ms(text).ok_or_else(|| "expected a time such as 500ms or 2s, above 0 and at most an hour".into())
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
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// The player to ask, such as search:checkpoint=checkpoints/RUN,simulations=400.
    pub spec: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Which side a person takes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideArg {
    /// The person moves first.
    First,
    /// The person moves second.
    Second,
}

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// Id of the game (see `selfplay games`).
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

/// What `bench` can measure.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchSection {
    /// Positions judged in a second, by every path.
    Network,
    /// Simulations in a second, with and without a network.
    Search,
    /// Decisions in a second, by the rules alone.
    Env,
    /// Games in a second, where the time goes, memory.
    Selfplay,
    /// Training steps in a second.
    Train,
    /// Positions in a second, depth and branching factor of alpha-beta in every game; --seconds 2 says it with the
    /// targets' time. Only if asked for.
    Alphabeta,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// What to measure [default: everything but alphabeta].
    #[arg(value_enum)]
    pub sections: Vec<BenchSection>,
    /// Rounds: in each, everything that is compared is measured once; medians are printed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Seconds that a measurement takes, about.
    #[arg(long, value_name = "S", default_value_t = 0.5, value_parser = seconds)]
    pub seconds: f64,
    /// Print one JSON object; its `ratios` are flat.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "expected seconds from 0.001 to 3600".into())
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The run's folder, such as checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The run's folder, such as checkpoints/sum15-4-quickstart.
    pub run: PathBuf,
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
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// The decisions that lead to the position, in the game's notation.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "DECISION")]
    pub decisions: Vec<String>,
}

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Id of the game (see `selfplay games`).
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
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// Games, one a line: decisions separated by spaces, then `= R` (1 first won, 2 second won, 0 draw, * unfinished).
    pub file: PathBuf,
}

/// Arguments of `random-games`.
#[derive(Args, Debug)]
pub struct RandomGamesArgs {
    /// Id of the game (see `selfplay games`).
    pub game: String,
    /// How many games to print.
    pub count: u64,
    /// Seed; the same seed prints the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
