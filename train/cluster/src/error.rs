//! What keeps machines from working together: what, where, and what would be right.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use miette::Diagnostic;
use selfplay_arena::{ArenaError, GamesTextError};
use selfplay_network::NetworkError;
use selfplay_pipeline::{ConfigError, RunError};
use selfplay_registry::UnknownGame;
use selfplay_train::ShardHeader;
use tokio::task::JoinError;

use crate::wire::PROTOCOL;

/// Every way in which working together can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ClusterError {
    /// The server does not let this program in, or is not there.
    #[error("cannot work over the NATS server at {url}: {reason}")]
    #[diagnostic(help("docs/cluster.md explains how to start a server and which users it needs"))]
    Server {
        /// Where it was looked for.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// An address that cannot be one, or says what it must not.
    #[error("--nats {url}: {reason}")]
    Address {
        /// As given, without a password.
        url: String,
        /// What would be right.
        reason: String,
    },
    /// A file of credentials that cannot be used.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("docs/cluster.md, \"Permissions and credentials\", shows such a file"))]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// Another process learns the same run.
    #[error("another learner is training this run: {other}")]
    #[diagnostic(help("stop it, or give this run another name with --run NAME"))]
    OtherLearner {
        /// Who it is.
        other: String,
    },
    /// No run is left that this worker may play for.
    #[error("no run to play for: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    #[diagnostic(help("raise the process limit (ulimit -u), or use fewer --threads"))]
    Threads(#[source] io::Error),
    /// The run's own files.
    #[error("{reason}")]
    Run {
        /// What is wrong.
        reason: String,
    },
}

impl ClusterError {
    /// Turns an operating system error about `path` into this type.
    pub fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> ClusterError + use<> {
        let path = path.to_owned();
        move |source| ClusterError::Io { path, source }
    }
}

/// A request that the server did not carry out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    /// It did not answer in time.
    #[error("the server does not answer")]
    NoAnswer,
    /// It sent nothing, although it announces when there is nothing to send.
    #[error("no message from the server")]
    Silent,
    /// The consumer of results does not exist any more.
    #[error("the consumer was deleted")]
    ConsumerGone,
    /// The client library or the server reports an error.
    #[error("{}", reason(&**.0))]
    Request(Box<dyn Error + Send + Sync>),
}

impl ServerError {
    /// An error of the client library.
    pub fn request(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ServerError::Request(error.into())
    }
}

/// An object of the object store that cannot be put or used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectError {
    /// The server did not do it.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The transfer took too long.
    #[error("timeout after {} s", .0.as_secs())]
    Late(Duration),
    /// It is longer than any object may be.
    #[error("it says that it has {0} bytes")]
    TooLong(usize),
    /// The transfer broke off.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// Its bytes do not have the hash in its name.
    #[error("checksum mismatch")]
    WrongHash,
    /// It holds no network.
    #[error(transparent)]
    Format(#[from] postcard::Error),
    /// Its network, or the checkpoint that it is made of, is damaged or of another game.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// It holds no games.
    #[error("not a games file")]
    NotGames,
    /// The thread that opened it panicked.
    #[error(transparent)]
    Panicked(#[from] JoinError),
}

/// An object that a worker cannot use.
#[derive(Debug, thiserror::Error)]
#[error("{object}: {source}")]
pub(crate) struct UnreadableObject {
    /// Its name.
    pub object: String,
    /// Why.
    pub source: ObjectError,
}

/// Why a result, or a part of one, is not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidResult {
    #[error("not a part of a result")]
    NotAPart,
    #[error("announced size of {length} bytes exceeds the limit of {most}")]
    TooManyBytes { length: usize, most: usize },
    #[error("part {index} of {count} with {bytes} bytes is none of a result of {length} bytes")]
    NoSuchPart { index: u32, count: u32, bytes: usize, length: usize },
    #[error("contradicts another part of the same result")]
    Contradiction,
    #[error("the sender has not passed the arithmetic probe of this run")]
    NotAdmitted,
    #[error("differs from the stored result of {worker}; one of the two machines computes wrongly")]
    Differs { worker: String },
    #[error("played with another network")]
    OtherNetwork,
    #[error("invalid compression: {0}")]
    NotCompressed(#[source] io::Error),
    #[error("longer than {0} bytes")]
    TooLong(usize),
    #[error("checksum mismatch with the message's hash")]
    WrongHash,
    #[error("invalid cost: not a time, or more cache hits than look-ups")]
    ImpossibleCost,
    #[error("game {0} has more simulations than its searches can make")]
    ImpossibleCount(u32),
    #[error("checksum mismatch, or not a games file")]
    NotAShard,
    #[error("games of {found}, expected {expected}")]
    OtherGames { found: Box<ShardHeader>, expected: Box<ShardHeader> },
    #[error("the games are not those of the task")]
    NotTheRange,
    #[error("game {0} is longer than selfplay.max_plies")]
    TooManyActions(u32),
    #[error("game {0} does not agree with the rules")]
    AgainstTheRules(u32),
    #[error("not text")]
    NotText,
    #[error(transparent)]
    UnreadableGames(#[from] GamesTextError),
    #[error("the games are not those of the pairs")]
    NotThePairs,
    #[error(transparent)]
    Match(#[from] ArenaError),
    #[error("game {0} begins with another opening")]
    OtherOpening(usize),
    #[error("game {0} was played under other rules of the match")]
    OtherMatch(usize),
}

/// Why a worker cannot do a task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    #[error("the run has no such games in generation {generation}")]
    NoSuchGames { generation: u32 },
    #[error("the run has no such pairs, or they are not distributed")]
    NoSuchPairs,
    #[error("the task lacks the network of generation {0}")]
    NoNetwork(u32),
    #[error(transparent)]
    Unreadable(#[from] UnreadableObject),
    #[error(transparent)]
    Match(#[from] ArenaError),
    #[error(transparent)]
    Players(#[from] RunError),
    #[error(
        "its games take {found_mib} MiB, and {most_mib} are the most: a lower selfplay.max_plies makes them smaller"
    )]
    TooLarge { found_mib: usize, most_mib: usize },
    #[error(transparent)]
    Outbox(#[from] ClusterError),
    #[error("the playing thread failed")]
    Failed,
    #[error(transparent)]
    Panicked(#[from] JoinError),
}

/// Why this program must not play for a run. Worker and learner both print it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Incompatible {
    #[error(
        "the learner is selfplay {version} (protocol {protocol}), this worker selfplay {} (protocol {PROTOCOL}); \
         give both the same program",
        env!("CARGO_PKG_VERSION")
    )]
    Program { version: String, protocol: u32 },
    #[error("this program lacks the run's game: {0}")]
    Game(#[from] UnknownGame),
    #[error(
        "the learner's {game} has encoding {} and self-play {}, this worker's {} and {}; give both the same program",
        learner.encoding, learner.engine, worker.encoding, worker.engine
    )]
    Versions { game: String, learner: GameVersions, worker: GameVersions },
    #[error("cannot read the run's config: {0}")]
    Config(#[from] ConfigError),
    #[error("invalid name")]
    Name,
    #[error(
        "it computes otherwise: the learner has {learner}, this machine {worker}; selfplay.mixed_machines = true in the \
         run's config allows that, and gives up that the run is the same bit for bit"
    )]
    Numerics { learner: String, worker: String },
}

/// The versions on which the games of a run depend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameVersions {
    /// Of the game's encoding.
    pub encoding: u32,
    /// Of self-play.
    pub engine: u32,
}

/// Why a run is not joined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RejectReason {
    /// It never will be.
    #[error(transparent)]
    Incompatible(#[from] Incompatible),
    /// The network of the probe cannot be read; it may come.
    #[error(transparent)]
    Unreadable(#[from] UnreadableObject),
    /// Something is missing on the server that may come.
    #[error(transparent)]
    Server(#[from] ObjectError),
}

/// An error of the client library, with the errors it stands for, in one line.
pub(crate) fn reason(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}
