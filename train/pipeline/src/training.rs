//! What every phase of a training run works with.

use selfplay_registry::{GameRef, Games, UnknownGame};

use crate::config::RunConfig;
use crate::machine::Machine;
use crate::observer::Observer;
use crate::run_folder::RunFolder;
use crate::workforce::{Local, Workforce};

/// What every phase knows.
pub struct Training<'a> {
    /// Where everything is kept.
    pub run: RunFolder,
    /// What the run is a function of.
    pub config: RunConfig,
    /// What to compute with.
    pub machine: Machine,
    /// What is played.
    pub game: GameRef,
    /// All games, since a run may start from the weights of another one.
    pub games: Games,
    /// The commit that the program was built from, if it is known: its checkpoints tell it.
    pub commit: Option<&'static str>,
    /// Who follows.
    pub observer: &'a dyn Observer,
    /// Who plays.
    pub workforce: &'a dyn Workforce,
}

impl<'a> Training<'a> {
    /// The run of `config` in its folder.
    ///
    /// # Errors
    /// [`UnknownGame`] if its game is none of `games`.
    pub fn new(
        run: RunFolder,
        config: RunConfig,
        machine: Machine,
        games: &Games,
        observer: &'a dyn Observer,
    ) -> Result<Self, UnknownGame> {
        let game = games.find(&config.game)?;
        Ok(Training { run, config, machine, game, games: games.clone(), commit: None, observer, workforce: &Local })
    }

    /// The same of a program that was built from a commit.
    #[must_use]
    pub fn built_from(self, commit: Option<&'static str>) -> Self {
        Training { commit, ..self }
    }

    /// The same with others to play its games.
    #[must_use]
    pub fn played_by(self, workforce: &'a dyn Workforce) -> Self {
        Training { workforce, ..self }
    }
}
