//! Who plays, and who meets whom.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use selfplay_env::Action;

use super::config::MatchConfig;
use super::game_result::GameResult;
use selfplay_players::playable::Playable;
use selfplay_players::player::Player;

use crate::opening::OpeningSuite;

/// Makes a player as often as one is needed.
type MakePlayer<'a> = dyn Fn() -> Result<Box<dyn Player>, EvalError> + Sync + 'a;

/// Someone who takes part in matches.
pub struct Participant<'a> {
    name: String,
    made_of: Option<String>,
    threads: usize,
    make: Box<MakePlayer<'a>>,
}

impl<'a> Participant<'a> {
    /// The player that `make` makes; it is made once here, to be asked for its name and its threads.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn new(make: impl Fn() -> Result<Box<dyn Player>, EvalError> + Sync + 'a) -> Result<Self, ArenaError> {
        let player = make()?;
        let (name, threads) = (player.name(), player.threads().max(1));
        Ok(Participant { name, made_of: None, threads, make: Box::new(make) })
    }

    /// The same with what its name does not say, such as a hash of the network in the folder that it names: games that were
    /// recorded of another are none of its own.
    #[must_use]
    pub fn made_of(self, made_of: Option<String>) -> Self {
        Participant { made_of, ..self }
    }

    /// The player's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the name does not say of the player, if anything.
    pub fn identity(&self) -> Option<&str> {
        self.made_of.as_deref()
    }

    /// How many threads the player computes with.
    pub fn threads(&self) -> usize {
        self.threads
    }

    pub(super) fn make(&self) -> Result<Box<dyn Player>, EvalError> {
        (self.make)()
    }
}

/// One match among several participants.
pub struct Fixture {
    game: &'static dyn Playable,
    /// Players A and B, as indices into the list of participants.
    pub players: [usize; 2],
    /// Pairs that were played before and need not be played again: the first ones of the match, in order.
    pub played: Vec<GameResult>,
    config: MatchConfig,
    openings: Mutex<OpeningSuite>,
}

impl Fixture {
    /// A match at `game` of which nothing is played.
    ///
    /// # Errors
    /// A wrong `config`; [`ArenaError::NoOpening`].
    pub fn new(game: &'static dyn Playable, players: [usize; 2], config: MatchConfig) -> Result<Self, ArenaError> {
        config.validate()?;
        let mut suite = OpeningSuite::new(game, config.opening_plies, config.suite_seed());
        suite.draw(1)?;
        Ok(Fixture { game, players, played: Vec::new(), config, openings: Mutex::new(suite) })
    }

    /// The game.
    pub fn game(&self) -> &'static dyn Playable {
        self.game
    }

    /// How the match is played.
    pub fn config(&self) -> &MatchConfig {
        &self.config
    }

    /// The openings of some pairs.
    ///
    /// # Errors
    /// [`ArenaError::NoOpening`].
    pub fn openings(&self, pairs: Range<usize>) -> Result<Vec<Vec<Action>>, ArenaError> {
        let mut suite = self.openings.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = suite.draw(pairs.end)?;
        Ok(drawn[pairs].iter().map(|opening| opening.actions.clone()).collect())
    }
}
