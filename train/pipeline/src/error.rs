//! What keeps a run from going on: what, where, and what would be right.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;

use crate::config::ConfigError;
use crate::retention::NetworkRole;

/// Every way a run can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum RunError {
    /// A file or folder cannot be read or written.
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
    /// The config in a run's folder is not one of this version.
    #[error("cannot read the run's config: {source}")]
    #[diagnostic(help(
        "another version of selfplay wrote this run, or the file was edited; resume the run with that version, or restore the file"
    ))]
    StoredConfig {
        /// What is wrong, and where.
        source: ConfigError,
    },
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
    #[diagnostic(help("the last good checkpoint is {}; a lower learning_rate or max_grad_norm usually helps", last_good.display()))]
    Diverged {
        /// The generation that was being learned.
        generation: u32,
        /// The checkpoint before it.
        last_good: PathBuf,
        /// Which number, at which step.
        source: selfplay_network::training::LearnerError,
    },
    /// A report that is not as it was written.
    #[error("{}: checksum mismatch (file is damaged)", path.display())]
    #[diagnostic(help(
        "restore the file from a backup; if there is none and it is a report in phases/, remove it alone: `train` recomputes it"
    ))]
    DamagedChecksum {
        /// The file.
        path: PathBuf,
    },
    /// A folder that holds something other than a run.
    #[error("{}: not empty, and not a run folder", path.display())]
    #[diagnostic(help("choose another name with --run NAME, or move the content away"))]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// No run to read.
    #[error("{}: no run in this folder{meant}", path.display())]
    #[diagnostic(help("start a run under checkpoints/ with `selfplay train CONFIG`"))]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// What was probably meant, as a question, or nothing.
        meant: String,
    },
    /// The game's file is another one.
    #[error(
        "the run was started with other rules, saved in {}: resume with that file, or use --run for a new run",
        path.display()
    )]
    OtherRules {
        /// The file that the run keeps.
        path: PathBuf,
    },
    /// The run exists with another config.
    #[error("{}: the run was started with another config: {difference}", path.display())]
    #[diagnostic(help(
        "give the new run a name of its own with --run NAME, or delete the folder if nothing in it is worth keeping; only `generations` and what is in `[retention]` may change in a run"
    ))]
    OtherConfig {
        /// The run folder.
        path: PathBuf,
        /// The first key that differs, with both values.
        difference: String,
    },
    /// Another process trains in the folder.
    #[error("{}: another process is training this run", path.display())]
    RunInUse {
        /// The run folder.
        path: PathBuf,
    },
    /// The run has no champion yet.
    #[error("{}: the run has no champion yet", path.display())]
    #[diagnostic(help("resume training with the command that started it"))]
    NoChampion {
        /// The run folder.
        path: PathBuf,
    },
    /// A run cannot be shortened below what it has done.
    #[error("{}: the run already has more than {generations} generations", path.display())]
    #[diagnostic(help("raise `generations`, or start a new run with --run NAME"))]
    FewerGenerations {
        /// The run folder.
        path: PathBuf,
        /// Generations asked for.
        generations: u32,
    },
    /// A shard does not hold the games that its phase report is about.
    #[error("{}: the games of this generation were replaced or removed", path.display())]
    #[diagnostic(help(
        "restore the file from a backup; or delete it and the phases/ files of this and all later generations to play them again"
    ))]
    LostGames {
        /// The shard.
        path: PathBuf,
    },
    /// A report is missing whose phase cannot be repeated.
    #[error("{}: missing file, and the games of generation {generation} were deleted by retention", path.display())]
    #[diagnostic(help("restore the file from a backup"))]
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
    #[diagnostic(help("the file was replaced; restore the run's own from a backup"))]
    Misplaced {
        /// The file or folder.
        path: PathBuf,
        /// What it says that it is.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// A report is missing that the run went on from.
    #[error("{}: missing file that later phases depend on", path.display())]
    #[diagnostic(help("restore it from a backup, or let `train` recompute it"))]
    MissingReport {
        /// The report.
        path: PathBuf,
    },
    /// A network is missing that the run must have by its phase files.
    #[error("{}: missing {role}", path.display())]
    #[diagnostic(help(
        "restore it from a backup; or start a new run from another network of this one: --run NAME --set init_from=PATH"
    ))]
    MissingNetwork {
        /// Its folder.
        path: PathBuf,
        /// What it is needed for.
        role: NetworkRole,
    },
    /// Another folder stands where that of the run was.
    #[error("{}: the run folder was moved or replaced during training", path.display())]
    #[diagnostic(help("completed phases are in the moved folder"))]
    Moved {
        /// Where it was.
        path: PathBuf,
    },
    /// No trained agent of a game comes with the program.
    #[error("no released agent for {game}; give a folder with `checkpoint=PATH`")]
    NoReleased {
        /// The game's id.
        game: String,
    },
    /// A phase file is damaged.
    #[error("{} is damaged: {source}", path.display())]
    #[diagnostic(help("delete the file to recompute that phase"))]
    DamagedJson {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Those who play its games cannot.
    #[error("self-play of the run stopped: {reason}")]
    #[diagnostic(help("completed work is saved; run the same command to resume"))]
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
