//! What the program tells its user when something is wrong: what, where, and what would be right.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use selfplay_bundle::CarrierError;
use selfplay_pipeline::RunError;
use selfplay_pipeline::config::ConfigError;

/// Every way a command can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CliError {
    /// A run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Run(#[from] RunError),
    /// Working together with other machines.
    #[cfg(feature = "cluster")]
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cluster(#[from] selfplay_cluster::ClusterError),
    /// Something that this build does not have.
    #[error("{what} is not available: this program was built without it")]
    #[diagnostic(help("rebuild with `--features {feature}`"))]
    NotBuilt {
        /// What was asked for.
        what: &'static str,
        /// Cargo feature that brings it.
        feature: &'static str,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    /// The config is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// An option or a config holds what it must not.
    #[error(transparent)]
    InvalidKey(#[from] selfplay_config::InvalidKey),
    /// An agent of a game that is not known here.
    #[error("unknown game {game}; load a game from a Python file with --game-file")]
    NoSuchGameHere {
        /// Id of its game.
        game: String,
    },
    /// A file that holds no game.
    #[error(transparent)]
    GameFile(#[from] selfplay_python_game::FileError),
    /// An unknown game id.
    #[error(transparent)]
    #[diagnostic(help("for a Python game give its file instead of the name, or use --game-file FILE"))]
    Game(#[from] selfplay_registry::UnknownGame),
    /// Moves on the command line that the rules reject.
    #[error(transparent)]
    Decisions(#[from] selfplay_env::game_text::Disagreement),
    /// A recorded file disagrees with the rules.
    #[error("{disagreements} of {games} games disagree with the rules of {game}")]
    Disagreements {
        /// Id of the game.
        game: &'static str,
        /// Games that disagree.
        disagreements: usize,
        /// Games in the file.
        games: usize,
    },
    /// Devices.
    #[error(transparent)]
    Device(#[from] selfplay_network::DeviceError),
    /// Networks and checkpoints.
    #[error(transparent)]
    Network(#[from] selfplay_network::NetworkError),
    /// Records, replay and self-play.
    #[error(transparent)]
    Train(#[from] selfplay_train::TrainError),
    /// The learner.
    #[error(transparent)]
    Learner(#[from] selfplay_network::training::LearnerError),
    /// A player.
    #[error(transparent)]
    Eval(#[from] selfplay_players::EvalError),
    /// A match or its file.
    #[error(transparent)]
    Arena(#[from] selfplay_arena::ArenaError),
    /// Ratings.
    #[error(transparent)]
    Rating(#[from] selfplay_ratings::RatingError),
    /// A game whose positions have no numbers.
    #[error("{game} has no position index, which a tablebase needs")]
    #[diagnostic(help("docs/tablebases.md lists the games with a position index and explains how to add one"))]
    NoPositionIndex {
        /// Id of the game.
        game: &'static str,
    },
    /// Rules for which the game has no tablebase.
    #[error("{game} has no tablebase rules `{name}`: expected one of {known}")]
    NoSuchRules {
        /// Id of the game.
        game: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No position to evaluate a player on.
    #[error("{game}: no position {stage} has several moves and a known value")]
    #[diagnostic(help(
        "choose another stage with --after or --pieces, a greater --nodes, or a file with such positions"
    ))]
    NoPosition {
        /// Id of the game.
        game: &'static str,
        /// The stage, as in `after 8`.
        stage: String,
    },
    /// A table that is not right.
    #[error("{}: {wrong} values are wrong", path.display())]
    WrongTable {
        /// The table.
        path: PathBuf,
        /// How many values.
        wrong: u64,
    },
    /// Tablebases.
    #[error(transparent)]
    Table(#[from] selfplay_tablebase::TableError),
    /// Tables and plots.
    #[error(transparent)]
    Export(#[from] selfplay_notebooks_export::ExportError),
    /// Terminal play.
    #[error(transparent)]
    Play(#[from] selfplay_frontends::PlayError),
    /// The server for browsers.
    #[error(transparent)]
    Serve(#[from] selfplay_frontends::serve::ServeError),
    /// What a course adds.
    #[error(transparent)]
    Course(Box<dyn std::error::Error + Send + Sync>),
    /// The agent that this program carries is damaged.
    #[error("{}: damaged agent: {reason}", path.display())]
    #[diagnostic(help("export it again; the file may have been truncated in transfer"))]
    DamagedAgent {
        /// The program.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Files of a run are not as they were written.
    #[error("damaged or missing: {damaged} of the run's {files} files")]
    DamagedRun {
        /// Those.
        damaged: usize,
        /// All.
        files: usize,
    },
    /// The part of a program that plays agents has none behind it.
    #[error("no agent is embedded in this program")]
    #[diagnostic(help("create agents with `selfplay export`; a file truncated in transfer also causes this error"))]
    NoAgent,
    /// The player that exported tables are was asked for where there is none.
    #[error("no tablebase is embedded in this program")]
    NoCarriedTable,
    /// An address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    #[diagnostic(help("choose another --port"))]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file that would be overwritten.
    #[error("{} already exists", path.display())]
    #[diagnostic(help("replace it with --force"))]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// A folder that is not there, for a file that would be written after long work.
    #[error("{}: folder does not exist", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A folder where a file would be written.
    #[error("{} is a folder", path.display())]
    #[diagnostic(help("give a file name"))]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A stored game that the rules give another course in some manner.
    #[error("{}, game {game_number}: {source}", path.display())]
    #[diagnostic(help(
        "the rules treat sides or symmetric positions differently; networks trained on such games are suspect"
    ))]
    Contaminated {
        /// The shard.
        path: PathBuf,
        /// Number of the game within its generation.
        game_number: u32,
        /// What disagrees.
        source: Box<selfplay_env::replay_check::ReplayError>,
    },
    /// A file of games without games.
    #[error("{}: no games in the file", path.display())]
    NoGames {
        /// The file.
        path: PathBuf,
    },
    /// A folder for something new that holds something.
    #[error("{} already exists and is not empty", path.display())]
    #[diagnostic(help("choose another folder with --path"))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A name that no crate can have.
    #[error("invalid game name `{name}`")]
    #[diagnostic(help(
        "a name has small letters and digits, begins with a letter, may have `-` between words, is no longer than 40 \
         letters and nothing that has a meaning in Rust or in the template: `my-game`"
    ))]
    UnfitName {
        /// As written on the command line.
        name: String,
    },
    /// A word that was to be trained.
    #[error("`{name}`: no such file; and {unknown}")]
    #[diagnostic(help("use `selfplay train CONFIG` with a file, or `selfplay train GAME --hours H` to plan a config"))]
    NeitherConfigNorGame {
        /// As written on the command line.
        name: String,
        /// What is said of a game called so.
        unknown: selfplay_registry::UnknownGame,
    },
    /// A game to train without a time.
    #[error("missing `--hours`: training `{game}` without a config needs a time budget")]
    #[diagnostic(help("use `selfplay train {game} --hours 1`, or give a config such as configs/{game}/cpu.toml"))]
    NoHours {
        /// Id of the game.
        game: &'static str,
    },
    /// A game that fails a check.
    #[error("{game} fails a conformance check")]
    #[diagnostic(help("fix the rules before training: search and networks would be wrong without any visible error"))]
    Violated {
        /// Id of the game.
        game: &'static str,
    },
    /// Players overlooked wins.
    #[error("{oversights} oversight{} found", if *oversights == 1 { "" } else { "s" })]
    #[diagnostic(help(
        "`random`, `greedy`, `policy` and `mcts_solver=off` look no move ahead; other players should have none"
    ))]
    Oversights {
        /// How many.
        oversights: usize,
    },
    /// There is nothing to decide.
    #[error("the game is over after these actions")]
    GameOver,
    /// A key that no config has.
    #[error("unknown config key `{key}`{hint}")]
    #[diagnostic(help("list all keys with `selfplay config`"))]
    UnknownKey {
        /// The key that was asked for.
        key: String,
        /// Keys with similar names, or nothing.
        hint: String,
    },
    /// The program has no documentation folder.
    #[error("this standalone program contains no documentation")]
    #[diagnostic(help(
        "an installed selfplay has it in share/selfplay/docs next to bin/, a built one in the source tree"
    ))]
    NoDocs,
    /// A page of documentation that does not exist.
    #[error("unknown documentation page `{page}`{hint}")]
    #[diagnostic(help("list all pages with `selfplay docs`"))]
    UnknownPage {
        /// The page that was asked for.
        page: String,
        /// Pages with similar names, or nothing.
        hint: String,
    },
    /// An option out of range.
    #[error("{option} {value}: {expected}")]
    Option {
        /// The option as written on the command line.
        option: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A program that cannot carry an agent.
    #[error("{}: not a program for agents of these games and this version", path.display())]
    #[diagnostic(help("build it from the same sources: cargo build --profile agent --bin selfplay-agent"))]
    OtherProgram {
        /// The program.
        path: PathBuf,
    },
    /// The program that pages run is not there.
    #[error("{}: file not found (the WebAssembly module of exported pages)", path.display())]
    #[diagnostic(help(
        "build it: rustup target add wasm32-wasip1; cargo build --profile dist --package selfplay-page --target wasm32-wasip1; \
         or name it with --program FILE"
    ))]
    NoPageProgram {
        /// Where it should be.
        path: PathBuf,
    },
    /// A command of an exported agent that belongs to other games.
    #[error("`{command}` is not available for {game}; --help lists the commands of this program")]
    ForeignCommand {
        /// The command.
        command: String,
        /// Id of the agent's game.
        game: &'static str,
    },
}

impl From<CarrierError> for CliError {
    fn from(error: CarrierError) -> Self {
        match error {
            CarrierError::Damaged { path, reason } => CliError::DamagedAgent { path, reason },
            CarrierError::Eval(error) => CliError::Eval(error),
            CarrierError::Io { path, source } => CliError::Io { path, source },
        }
    }
}

impl CliError {
    /// Turns an operating system error about `path` into this type.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> CliError + use<> {
        let path = path.to_owned();
        move |source| CliError::Io { path, source }
    }

    /// An error of a course.
    pub fn course(error: impl std::error::Error + Send + Sync + 'static) -> CliError {
        CliError::Course(Box::new(error))
    }

    /// Whether the reader of our output went away (`selfplay games | head -1`), which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        let (CliError::Output(error) | CliError::Play(selfplay_frontends::PlayError::Io(error))) = self else {
            return false;
        };
        error.kind() == io::ErrorKind::BrokenPipe
    }
}
