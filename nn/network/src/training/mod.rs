//! What a network is trained on and how: batches of targets, the configuration of the learner, the learning-rate schedule.

pub mod batch;

pub mod schedule;

pub mod learner_config;

pub mod learner_error;

pub use batch::{AuxiliaryBatch, BatchError, MOVES_LEFT_UNIT, TrainingBatch};
pub use learner_config::{LearnerConfig, OptimizerKind, Targets};
pub use learner_error::{LearnerError, LossTerm};
pub use schedule::Schedule;
pub use selfplay_metrics::StepReport;
