//! What keeps a run from going on: what, where, and what would be right.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;

use crate::config::ConfigError;

/// Every way a run can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum RunError {
    /// A file or folder refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The config is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// An unknown game id.
    #[error(transparent)]
    Game(#[from] selfplay_registry::UnknownGame),
    /// Networks and checkpoints.
    #[error(transparent)]
    Network(#[from] selfplay_network::NetworkError),
    /// Records, replay and self-play.
    #[error(transparent)]
    Train(#[from] selfplay_train::TrainError),
    /// The learner.
    #[error(transparent)]
    Learner(#[from] selfplay_network::training::LearnerError),
    /// Players and matches.
    #[error(transparent)]
    Eval(#[from] selfplay_players::EvalError),
    /// A match or its file.
    #[error(transparent)]
    Arena(#[from] selfplay_arena::ArenaError),
    /// Ratings.
    #[error(transparent)]
    Rating(#[from] selfplay_ratings::RatingError),
    /// Tables and plots.
    #[error(transparent)]
    Export(#[from] selfplay_notebooks_export::ExportError),
    /// A loss or weight stopped being a number.
    #[error("generation {generation}: {source}")]
    #[diagnostic(help("the last good checkpoint is {}; a lower learning_rate or gradient_clip_norm usually helps", last_good.display()))]
    Diverged {
        /// The generation that was being learned.
        generation: u32,
        /// The checkpoint before it.
        last_good: PathBuf,
        /// Which number, at which step.
        source: selfplay_network::training::LearnerError,
    },
    /// A report that is not as it was written.
    #[error("{} is damaged: its checksum is another", path.display())]
    #[diagnostic(help(
        "bring the file back from a copy; if there is none and it is a report in phases/, remove it alone: the command that trains makes it again"
    ))]
    DamagedChecksum {
        /// The file.
        path: PathBuf,
    },
    /// A folder that holds something other than a run.
    #[error("{} is not empty and holds no run", path.display())]
    #[diagnostic(help("choose another name with --run NAME, or move what is there away"))]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// No run to read.
    #[error("there is no run in {}{meant}", path.display())]
    #[diagnostic(help("`selfplay train CONFIG` starts one under checkpoints/"))]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// What was probably meant, as a question, or nothing.
        meant: String,
    },
    /// The game's file is another one.
    #[error(
        "the run began with other rules, which are in {}: give that file to go on, or `--run` for another run",
        path.display()
    )]
    OtherRules {
        /// The file that the run keeps.
        path: PathBuf,
    },
    /// The run exists with another config.
    #[error("the run in {} was started with another config: {difference}", path.display())]
    #[diagnostic(help(
        "give the new run a name of its own with --run NAME, or delete the folder if nothing in it is worth keeping; only `generations` and what is in `[keep]` may change in a run"
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
    /// A report is missing whose phase cannot be repeated.
    #[error("{} is missing, and the games of generation {generation} were cleaned away", path.display())]
    #[diagnostic(help("bring the file back from a copy"))]
    GoneGames {
        /// The report.
        path: PathBuf,
        /// Its generation.
        generation: u32,
    },
    /// A path that holds no agent.
    #[error("{} is neither a run folder nor a checkpoint folder{meant}", path.display())]
    NoAgent {
        /// The path.
        path: PathBuf,
        /// What was probably meant, as a question, or nothing.
        meant: String,
    },
    /// A file of another run, or of another place in this one.
    #[error("{} is {found}, not {expected}", path.display())]
    #[diagnostic(help("it was put there by hand: bring back the run's own from a copy"))]
    Misplaced {
        /// The file or folder.
        path: PathBuf,
        /// What it says that it is.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// A report is missing that the run went on from.
    #[error("{} is missing, and the run went on from it", path.display())]
    #[diagnostic(help("bring it back from a copy, or have `train` make it again"))]
    MissingReport {
        /// The report.
        path: PathBuf,
    },
    /// Another folder stands where that of the run was.
    #[error("{} is no longer the folder that this training began in", path.display())]
    #[diagnostic(help("it was moved or replaced while it was in use; what is complete is in the moved one"))]
    Moved {
        /// Where it was.
        path: PathBuf,
    },
    /// No trained agent of a game comes with the program.
    #[error("no trained agent for {game} came with this program; `checkpoint=PATH` names one by its folder")]
    NoReleased {
        /// The game's id.
        game: String,
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
    /// Those who play its games cannot.
    #[error("the run's games are not played any more: {reason}")]
    #[diagnostic(help("what is stored stays stored: the same command goes on"))]
    Executor {
        /// Why.
        reason: String,
        /// What the disk said, if it is that.
        source: Option<Arc<selfplay_train::TrainError>>,
    },
    /// A TOML file of the run is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    DamagedToml {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl RunError {
    /// Turns an operating system error about `path` into this type.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> RunError + use<> {
        let path = path.to_owned();
        move |source| RunError::Io { path, source }
    }
}
