//! What the program tells its user when something is wrong: what, where, and what would be right.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use crate::config::ConfigError;

/// Every way a command can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CliError {
    /// A file or folder refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Standard output refuses.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    /// The config is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// An unknown game id.
    #[error(transparent)]
    Game(#[from] selfplay_kit::UnknownGame),
    /// Decisions on the command line that the rules refuse.
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
    /// Networks and checkpoints.
    #[error(transparent)]
    Network(#[from] selfplay_network::NetworkError),
    /// Records, replay and self-play.
    #[error(transparent)]
    Train(#[from] selfplay_train::TrainError),
    /// The learner.
    #[error(transparent)]
    Learner(#[from] selfplay_train::LearnerError),
    /// Players and matches.
    #[error(transparent)]
    Eval(#[from] selfplay_eval::EvalError),
    /// Tables and plots.
    #[error(transparent)]
    Export(#[from] selfplay_notebooks_export::ExportError),
    /// Terminal play.
    #[error(transparent)]
    Play(#[from] selfplay_play::PlayError),
    /// The server for browsers.
    #[error(transparent)]
    Serve(#[from] selfplay_play::serve::ServeError),
    /// What a course adds.
    #[error(transparent)]
    Course(Box<dyn std::error::Error + Send + Sync>),
    /// The agent that this program carries is damaged.
    #[error("the agent in {} is damaged: {reason}", path.display())]
    #[diagnostic(help("export it again; a file that was cut off in transfer looks like this"))]
    DamagedAgent {
        /// The program.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// An address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    #[diagnostic(help("another --port may be free"))]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file that would be overwritten.
    #[error("{} is there already", path.display())]
    #[diagnostic(help("--force replaces it"))]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// A loss or weight stopped being a number.
    #[error("generation {generation}: {source}")]
    #[diagnostic(help("the last good checkpoint is {}; a lower learning_rate or gradient_clip_norm usually helps", last_good.display()))]
    Diverged {
        /// The generation that was being learned.
        generation: u32,
        /// The checkpoint before it.
        last_good: PathBuf,
        /// Which number, at which step.
        source: selfplay_train::LearnerError,
    },
    /// A folder that holds something other than a run.
    #[error("{} is not empty and holds no run", path.display())]
    #[diagnostic(help("choose another name with --run NAME, or move what is there away"))]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// No run to read.
    #[error("there is no run in {}", path.display())]
    #[diagnostic(help("`selfplay train CONFIG` starts one under checkpoints/"))]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// The run exists with another config.
    #[error("the run in {} was started with another config: {difference}", path.display())]
    #[diagnostic(help(
        "give the new run a name of its own with --run NAME, or delete the folder if nothing in it is worth keeping; only `generations` may change in a run"
    ))]
    OtherConfig {
        /// The run folder.
        path: PathBuf,
        /// The first key that differs, with both values.
        difference: String,
    },
    /// Another process trains in the folder.
    #[error("another process is training in {}", path.display())]
    RunInUse {
        /// The run folder.
        path: PathBuf,
    },
    /// The run has no champion yet.
    #[error("the run in {} has no champion yet", path.display())]
    #[diagnostic(help("go on training with the command that started it"))]
    NoChampion {
        /// The run folder.
        path: PathBuf,
    },
    /// A run cannot be shortened below what it has done.
    #[error("the run in {} has gone beyond {generations} generations already", path.display())]
    #[diagnostic(help("give a larger `generations`, or a new run its own name with --run NAME"))]
    FewerGenerations {
        /// The run folder.
        path: PathBuf,
        /// Generations asked for.
        generations: u32,
    },
    /// A shard does not hold the games that its phase report is about.
    #[error("{} does not hold the games of its generation any more", path.display())]
    #[diagnostic(help(
        "bring the file back; or delete it and the phases/ files of this and all later generations to play them again"
    ))]
    LostGames {
        /// The shard.
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
    /// A path that holds no agent.
    #[error("{} is neither a run folder nor a checkpoint folder", path.display())]
    NoAgent {
        /// The path.
        path: PathBuf,
    },
    /// A file of games without games.
    #[error("{} holds no games", path.display())]
    NoGames {
        /// The file.
        path: PathBuf,
    },
    /// A phase file is damaged.
    #[error("{} is damaged: {source}", path.display())]
    #[diagnostic(help("delete the file to have that phase of the run done again"))]
    DamagedJson {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A TOML file of the run is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    DamagedToml {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing to decide.
    #[error("the game is over after these decisions")]
    GameOver,
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
    /// An exported agent is told a command that those of other games know.
    #[error("{command} for {game}: this command belongs to another game's course; --help lists what this program does")]
    ForeignCommand {
        /// The command.
        command: String,
        /// Id of the agent's game.
        game: &'static str,
    },
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
        let (CliError::Output(error) | CliError::Play(selfplay_play::PlayError::Io(error))) = self else {
            return false;
        };
        error.kind() == io::ErrorKind::BrokenPipe
    }
}
