//! What keeps machines from working together: what, where, and what would be right.

use std::path::PathBuf;

use miette::Diagnostic;

/// Every way in which working together can end badly.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ClusterError {
    /// The server does not let this program in, or is not there.
    #[error("cannot work over the NATS server at {url}: {reason}")]
    #[diagnostic(help("docs/cluster.md says how a server is started, and what users it needs"))]
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
    #[diagnostic(help("docs/cluster.md, \"Who may do what\", shows such a file"))]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// Another process learns the same run.
    #[error("another learner is at work on this run: {other}")]
    #[diagnostic(help("end it first; or give this run a name of its own with --run NAME"))]
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
    /// A file refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The run's own files.
    #[error("{reason}")]
    Run {
        /// What is wrong.
        reason: String,
    },
}

impl ClusterError {
    /// Turns an operating system error about `path` into this type.
    pub fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> ClusterError + use<> {
        let path = path.to_owned();
        move |source| ClusterError::Io { path, source }
    }
}

/// An error of the client library, with the errors it stands for, in one line.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
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
