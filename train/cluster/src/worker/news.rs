//! Events that a worker reports to its caller.

use std::fmt;

use crate::wire::{ResultStatus, TaskKey};

/// Something that people may want to read.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerNews {
    /// It plays for a run.
    Joined {
        /// The run's name in subjects.
        run: String,
        /// Id of its game.
        game: String,
    },
    /// It does not play for a run.
    Refused {
        /// The run's name in subjects.
        run: String,
        /// Why.
        reason: String,
    },
    /// It plays for a run no longer.
    Left {
        /// The run's name in subjects.
        run: String,
        /// Why.
        reason: String,
    },
    /// A result is with the learner.
    Delivered {
        /// The run's name in subjects.
        run: String,
        /// What was asked.
        key: TaskKey,
        /// Seconds that playing took.
        seconds: f64,
        /// What becomes of it.
        status: ResultStatus,
    },
}

impl fmt::Display for WorkerNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerNews::Joined { run, game } => write!(f, "{run}: plays {game}"),
            WorkerNews::Refused { run, reason } => write!(f, "{run}: does not play: {reason}"),
            WorkerNews::Left { run, reason } => write!(f, "{run}: left, {reason}"),
            WorkerNews::Delivered { run, key, seconds, status } => {
                write!(f, "{run}: {key}, {seconds:.1} s")?;
                match status {
                    ResultStatus::Stored => Ok(()),
                    ResultStatus::Refused { reason } => write!(f, ", refused: {reason}"),
                    ResultStatus::Unwanted => write!(f, ", no longer wanted"),
                    ResultStatus::Pending => write!(f, ", on its way"),
                }
            }
        }
    }
}
