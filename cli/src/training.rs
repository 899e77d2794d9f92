//! What every phase of a training run works with.

use crate::args::MachineArgs;
use crate::config::RunConfig;
use crate::run_folder::RunFolder;

/// What every phase knows.
pub struct Training {
    /// Where everything is kept.
    pub run: RunFolder,
    /// What the run is a function of.
    pub config: RunConfig,
    /// What to compute with.
    pub machine: MachineArgs,
}
