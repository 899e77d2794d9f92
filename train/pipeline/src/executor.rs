//! Executors, which play a run's games in this process or on other machines as well. Nothing else of a run depends on
//! the executor, because games are functions of the config, the networks and the game numbers.

use std::fs;
use std::io::ErrorKind;

use selfplay_arena::{MatchReport, MatchSetting, Pacing, StopRule};
use selfplay_mcts::EvaluationCache;
use selfplay_registry::GameRef;
use selfplay_train::{Actors, Batching, GameContext, GameQueue, GameRecord, Played, play_generation};

use crate::config::RunConfig;
use crate::error::RunError;
use crate::generation_player::GenerationPlayer;
use crate::machine::Machine;
use crate::run_folder::RunFolder;
use crate::run_match::{RunMatch, RunPlayers, in_two_parts};

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
    /// Where evaluations are remembered; `None` for a new cache.
    pub cache: Option<&'a EvaluationCache>,
}

/// Plays the games of a run.
pub trait Executor: Sync {
    /// Plays what is missing of a generation's games and stores it in the generation's shard. `on_game` is called for
    /// each game, those found in the shard included, with its number of plies.
    ///
    /// # Errors
    /// If a checkpoint or the shard cannot be read or written, or no worker can play.
    fn play_games(&self, work: SelfPlayWork<'_>, on_game: &(dyn Fn(usize) + Sync)) -> Result<Played, RunError>;

    /// Starts playing the games of a generation in the background until [`play_games`](Self::play_games) asks for them,
    /// if the executor supports that. By default nothing is started.
    ///
    /// # Errors
    /// Those of [`play_games`](Self::play_games).
    fn begin_games(&self, _work: SelfPlayWork<'_>) -> Result<(), RunError> {
        Ok(())
    }

    /// Plays matches between `players`, each until `stop` ends it, and returns their reports in order. Threads go from the end
    /// of one to the next. `on_game` is called for each game.
    ///
    /// # Errors
    /// If a network cannot be opened, a match fails, or no worker can play.
    fn play_matches(
        &self,
        players: &RunPlayers<'_>,
        matches: &[RunMatch],
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<MatchReport>, RunError>;
}

/// The threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Local;

impl Executor for Local {
    fn play_games(&self, work: SelfPlayWork<'_>, on_game: &(dyn Fn(usize) + Sync)) -> Result<Played, RunError> {
        let SelfPlayWork { game, run, config, machine, generation, network, earlier, cache } = work;
        let network = GenerationPlayer::open(game, run, config, machine, network)?;
        let shard = run.shard(generation);
        let batching = if machine.device.is_cpu() { Batching::PerThread } else { Batching::Shared };
        if batching == Batching::Shared {
            // A device may answer otherwise in another company, to the last bit: so all games are played together, or none.
            match fs::remove_file(&shard) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(RunError::Io { path: shard, source: error });
                }
                _ => {}
            }
        }
        let context = GameContext { config: &config.selfplay, run_seed: config.seed, generation, earlier };
        let new = || EvaluationCache::new(config.selfplay.cache_mib);
        let actors = Actors { threads: machine.threads, batching, cache: &cache.cloned().unwrap_or_else(new) };
        let play = |queue: &dyn GameQueue| game.play_games(&*network, context, actors, queue);
        Ok(play_generation(game, &shard, context, play, on_game)?)
    }

    fn play_matches(
        &self,
        players: &RunPlayers<'_>,
        matches: &[RunMatch],
        stop: Option<&StopRule<'_>>,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<MatchReport>, RunError> {
        let play = |matches: &[RunMatch], pacing| {
            players.play(matches, &MatchSetting { pacing, stop, ..MatchSetting::default() }, on_game)
        };
        // Where time counts, nothing else may run.
        in_two_parts(
            matches,
            |which| which.pacing(players.config()) == Pacing::Lockstep,
            |matches| play(matches, Pacing::Lockstep),
            |matches| play(matches, Pacing::OneByOne),
        )
    }
}
