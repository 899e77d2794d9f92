//! Who plays a run's games: this process, or others as well. Nothing else of a run depends on it: the games are functions of
//! the config, the networks and their numbers.

use std::fs;
use std::io::ErrorKind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use selfplay_arena::{MatchReport, MatchSetting, StopRule, play_match};
use selfplay_registry::GameRef;
use selfplay_train::{GameRecord, Generation, Played, play_generation};

use crate::config::RunConfig;
use crate::contestant::Contestant;
use crate::error::RunError;
use crate::gathered::gathered;
use crate::machine::Machine;
use crate::run_folder::RunFolder;
use crate::run_match::{RunMatch, RunPlayers};

/// Actors whose leaves a device gets in one batch, each on a thread of its own.
const MAX_ACTORS: usize = 256;

/// The self-play of a generation.
#[derive(Clone, Copy)]
pub struct SelfPlayWork<'a> {
    /// What is played.
    pub game: GameRef,
    /// The run.
    pub run: &'a RunFolder,
    /// Its config.
    pub config: &'a RunConfig,
    /// What this process computes with.
    pub machine: Machine,
    /// The generation, from 1.
    pub generation: u32,
    /// The generation whose network plays.
    pub network: u32,
    /// The games of the generation before, in a fixed order: where games may restart.
    pub earlier: &'a [&'a GameRecord],
}

/// Whoever plays the games of a run.
pub trait Workforce: Sync {
    /// Plays what is missing of a generation's games and stores it in the generation's shard. `on_game` is called for each
    /// game, those found in the shard included, with its number of decisions.
    ///
    /// # Errors
    /// If a checkpoint or the shard cannot be read or written, or nobody can play.
    fn play_games(&self, work: SelfPlayWork<'_>, on_game: &(dyn Fn(usize) + Sync)) -> Result<Played, RunError>;

    /// Begins to play the games of a generation, if that can go on beside what this process does until
    /// [`play_games`](Self::play_games) asks for them; by default nothing begins.
    ///
    /// # Errors
    /// Those of [`play_games`](Self::play_games).
    fn begin_games(&self, _work: SelfPlayWork<'_>) -> Result<(), RunError> {
        Ok(())
    }

    /// Plays a match between `players`, until `stop` ends it. `on_game` is called for each game.
    ///
    /// # Errors
    /// If a network cannot be opened, a match fails, or nobody can play.
    fn play_match(
        &self,
        players: &RunPlayers<'_>,
        which: RunMatch,
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<MatchReport, RunError>;
}

/// The threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Local;

impl Workforce for Local {
    fn play_games(&self, work: SelfPlayWork<'_>, on_game: &(dyn Fn(usize) + Sync)) -> Result<Played, RunError> {
        let SelfPlayWork { game, run, config, machine, generation, network, earlier } = work;
        let network = Contestant::open(game, run, config, machine, network)?;
        let shard = run.shard(generation);
        let (run_seed, threads) = (config.seed, machine.threads);
        if machine.device.is_cpu() {
            let which = Generation { shard: &shard, run_seed, generation, earlier, threads };
            let actor = |_| game.actor(network.another(), &config.selfplay, run_seed, generation);
            return Ok(play_generation(game, which, &config.selfplay, &actor, on_game)?);
        }
        // A device may answer otherwise in another company, to the last bit: so all games are played together, or none.
        match fs::remove_file(&shard) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(RunError::Io { path: shard, source: error });
            }
            _ => {}
        }
        let actors = threads_to_be_had((config.selfplay.lanes as usize).min(MAX_ACTORS));
        // Each actor its own, whichever thread is first: their order is that of a batch.
        let networks = gathered(network.another(), &game.shape(), actors).into_iter().map(Some).collect::<Vec<_>>();
        let networks = Mutex::new(networks);
        let actor = |number: usize| {
            let network = networks.lock().unwrap_or_else(PoisonError::into_inner)[number].take();
            let network = network.expect("a thread for each actor");
            game.actor(Box::new(network), &config.selfplay, run_seed, generation)
        };
        let which = Generation { shard: &shard, run_seed, generation, earlier, threads: actors };
        Ok(play_generation(game, which, &config.selfplay, &actor, on_game)?)
    }

    fn play_match(
        &self,
        players: &RunPlayers<'_>,
        which: RunMatch,
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<MatchReport, RunError> {
        let config = players.config();
        let setting = MatchSetting { pacing: which.pacing(config), stop, ..MatchSetting::default() };
        let [a, b] = players.of_match(which)?;
        Ok(play_match(players.game(), a, b, &which.config(config), &setting, |_| on_game())?)
    }
}

/// How many threads at once the system gives, `most` at most and one at least: an actor without a thread would be waited for.
fn threads_to_be_had(most: usize) -> usize {
    let gate = Mutex::new(());
    let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let wait = || drop(gate.lock());
        let started = (0..most).map_while(|_| thread::Builder::new().spawn_scoped(scope, wait).ok()).count();
        drop(closed);
        started.max(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted() {
        assert_eq!([1, 2, 9].map(threads_to_be_had), [1, 2, 9]);
        assert_eq!(threads_to_be_had(0), 1);
    }
}
