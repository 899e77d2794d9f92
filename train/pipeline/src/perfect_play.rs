//! How far the networks and games of a run are from perfect play, by a tablebase. Nothing is learned from it.

use std::path::Path;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use selfplay_arena::{
    AccuracyReport, ArenaError, PositionQuota, SolvedPosition, SolvedPositions, SolvedPositionsConfig, Stage,
};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Rules};
use selfplay_mcts::Limits;
use selfplay_notebooks_export::MistakeRow;
use selfplay_players::{EvalError, Player, TablebaseLookup};
use selfplay_ratings::Proportion;
use selfplay_registry::GameRef;
use selfplay_train::GameRecord;

use crate::agents::POSITIONS_AT_ONCE;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::generation_player::GenerationPlayer;
use crate::machine::Machine;
use crate::run_folder::RunFolder;

/// The same positions for every run of a game.
const SEED: u64 = 1;
/// The longest of so many random games bounds how many random actions lead to a position.
const RANDOM_GAMES: u64 = 64;
/// Simulations for each action where the gate's are limited by time.
const SIMULATIONS: u32 = 100;

/// Random positions of a game, anywhere between the first action and the last, with their values by a table.
pub struct TablebaseEvaluation {
    game: GameRef,
    positions: Vec<SolvedPosition>,
}

impl TablebaseEvaluation {
    /// Draws at most `count` positions, fewer where the game has no more, with the values of the table at `path`.
    ///
    /// # Errors
    /// If the table cannot be read, is damaged, or is none of the game's own rules with turns.
    pub fn by_table(game: GameRef, path: &Path, count: usize) -> Result<Self, RunError> {
        let random_game =
            |number| game.initial().play_random(usize::from(u16::MAX), &mut rng_for(&[SEED, number])).len();
        let longest = (0..RANDOM_GAMES).map(random_game).max().unwrap_or(0);
        let config = SolvedPositionsConfig { stage: Stage::After(0..=longest), seed: SEED, nodes: 1, memory_mib: 1 };
        let mut source = SolvedPositions::new(game, config)?.by_table(TablebaseLookup::open(path, game)?);
        let positions = source.first(PositionQuota::any(count))?.any;
        Ok(TablebaseEvaluation { game, positions })
    }

    /// What a generation of a run makes of the positions: its network alone, and as the gate lets it search. Training up
    /// to it took so many CPU hours, if that is known.
    ///
    /// # Errors
    /// If the network cannot be read or a search fails.
    pub fn for_generation(
        &self,
        run: &RunFolder,
        config: &RunConfig,
        generation: u32,
        cpu_hours: Option<f64>,
    ) -> Result<[MistakeRow; 2], RunError> {
        let player = GenerationPlayer::load(self.game, run, config, Machine::default(), generation)?;
        let searched = config.gate.num_simulations.unwrap_or(SIMULATIONS);
        let row = |simulations, [kept, critical]: [Proportion; 2]| {
            let [low, high] = kept.interval();
            MistakeRow {
                generation,
                simulations,
                positions: kept.trials.into(),
                critical: critical.trials.into(),
                mistakes: (kept.trials - kept.successes).into(),
                share: 1.0 - kept.share(),
                share_low: 1.0 - high,
                share_high: 1.0 - low,
                cumulative_cpu_hours: cpu_hours,
            }
        };
        let alone = self.kept_by(&|| player.policy_player())?;
        let searching = self.kept_by(&|| player.player(Limits::simulations(searched)))?;
        Ok([row(0, alone), row(searched, searching)])
    }

    /// Of all positions and of the critical ones, those whose value the player keeps, with a player for each part that a
    /// thread takes.
    fn kept_by(
        &self,
        make: &(dyn Fn() -> Result<Box<dyn Player>, EvalError> + Sync),
    ) -> Result<[Proportion; 2], RunError> {
        let parts = self.positions.par_chunks(POSITIONS_AT_ONCE).map(|part| {
            let report = AccuracyReport::measure(self.game, make()?.as_mut(), part, part.len(), SEED, |_| ())?;
            Ok([report.preserved, report.preserved_critical])
        });
        let parts: Vec<[Proportion; 2]> = parts.collect::<Result<_, ArenaError>>()?;
        let sum = |of: usize| parts.iter().map(|part| part[of]).sum();
        Ok([sum(0), sum(1)])
    }
}

/// What a table says of stored games.
#[derive(Clone, Copy, Default, Debug)]
pub struct GamesByTable {
    /// Of the actions that were searched in full, those that keep the value of their position.
    pub kept: Proportion,
    /// Of the positions that a search proved to be won or lost, those that are.
    pub proven: Proportion,
}

impl GamesByTable {
    /// Counts a game of `rules` that replays.
    ///
    /// # Errors
    /// If the table is damaged.
    pub fn count(
        &mut self,
        tablebase: &TablebaseLookup,
        rules: &dyn Rules,
        game: &GameRecord,
    ) -> Result<(), EvalError> {
        let mut position = rules.initial();
        for ply in &game.plies {
            let action = Action(ply.action);
            if let Some(target) = &ply.target {
                self.kept.count(tablebase.keeps_value(&*position, action)?);
                if let Some(proven @ (1 | -1)) = target.proven {
                    self.proven.count(tablebase.value(&*position)?.sign() == proven);
                }
            }
            position.play(action);
        }
        Ok(())
    }
}
