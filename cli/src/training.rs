//! What every phase of a training run works with.

use selfplay_kit::{GameRef, Games, UnknownGame};

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
    /// What is played.
    pub game: GameRef,
    /// All games, since a run may start from the weights of another one.
    pub games: Games,
    /// The commit that the program was built from, if it is known.
    pub commit: Option<&'static str>,
}

impl Training {
    /// The run of `config` in its folder.
    ///
    /// # Errors
    /// [`UnknownGame`] if its game is none of `games`.
    pub fn new(
        run: RunFolder,
        config: RunConfig,
        machine: MachineArgs,
        games: &Games,
        commit: Option<&'static str>,
    ) -> Result<Self, UnknownGame> {
        Ok(Training { game: games.find(&config.game)?, games: games.clone(), run, config, machine, commit })
    }
}
