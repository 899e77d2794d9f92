//! Actors: each plays the games of a range, several at once with one leaf of each in every batch. The order depends on
//! neither threads nor time.

use selfplay_env::rng::derive_seed;
use selfplay_env::{Advice, Symmetric};
use selfplay_mcts::{CacheStats, Evaluator, SymmetryEvaluator, SymmetryUse};

use crate::game_slot::{ActorContext, GameSlot, SlotState};
use crate::leaf_evaluator::LeafEvaluator;
use crate::record::GameRecord;
use crate::selfplay_config::{EvaluationSymmetry, SelfPlayConfig};

/// Keeps the draws of symmetries apart from the run's other random choices.
const SYMMETRY_STREAM: u64 = 0x51AA;

/// Some games of a generation: those that one actor plays together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRange {
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation being played, from 1.
    pub generation: u32,
    /// Number of the range, below [`SelfPlayConfig::lanes`].
    pub index: u32,
}

/// The games of a [`GameRange`].
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedRange {
    /// Their records, ordered by game number.
    pub records: Vec<GameRecord>,
    /// How often the cache knew an evaluation.
    pub cache: CacheStats,
}

/// Plays ranges of games, with an evaluator of its own.
pub trait Actor {
    /// Plays all games of `range`.
    ///
    /// The result is a function of the arguments and of the evaluations: every range has a cache of its own. `earlier` are
    /// the games of the generation before, in a fixed order. `on_game` is called as games finish, with their numbers of
    /// actions.
    fn play(
        &mut self,
        config: &SelfPlayConfig,
        range: GameRange,
        earlier: &[&GameRecord],
        on_game: &(dyn Fn(usize) + Sync),
    ) -> PlayedRange;
}

/// An [`Actor`] for the game `G`.
pub struct GameActor<G, E> {
    evaluator: SymmetryEvaluator<G, E>,
}

impl<G: Advice + Symmetric, E: Evaluator<G>> GameActor<G, E> {
    /// An actor for one generation of a run. It evaluates with `evaluator`, under the symmetries of `config`.
    pub fn new(evaluator: E, config: &SelfPlayConfig, run_seed: u64, generation: u32) -> Self {
        let symmetry_use = match config.evaluation_symmetry {
            EvaluationSymmetry::Identity => SymmetryUse::Identity,
            EvaluationSymmetry::Random => {
                SymmetryUse::Drawn { seed: derive_seed(&[run_seed, SYMMETRY_STREAM, u64::from(generation)]) }
            }
        };
        GameActor { evaluator: SymmetryEvaluator::new(evaluator, symmetry_use) }
    }
}

impl<G: Advice + Symmetric, E: Evaluator<G>> Actor for GameActor<G, E> {
    fn play(
        &mut self,
        config: &SelfPlayConfig,
        range: GameRange,
        earlier: &[&GameRecord],
        on_game: &(dyn Fn(usize) + Sync),
    ) -> PlayedRange {
        let context = ActorContext { config, run_seed: range.run_seed, generation: range.generation, earlier };
        let mut evaluator = LeafEvaluator::new(&mut self.evaluator, config.cache_mib);
        let mut waiting_games = config.games_of_range(range.index);
        let first_games = waiting_games.by_ref().take(config.games_per_lane_in_flight as usize);
        let mut slots: Vec<GameSlot<G>> = first_games.map(|number| GameSlot::new(number, context)).collect();
        let mut records = Vec::new();
        while !slots.is_empty() {
            evaluator.start_batch();
            slots.retain_mut(|slot| {
                while let SlotState::GameOver = slot.advance(context, &mut evaluator) {
                    on_game(slot.actions());
                    records.push(slot.take_record());
                    let Some(next) = waiting_games.next() else { return false };
                    slot.start_game(next, context);
                }
                true
            });
            // Each slot that is left has exactly one leaf in the batch, in the order of the slots.
            for (slot, leaf) in slots.iter_mut().zip(evaluator.evaluate()) {
                slot.search_mut().apply(std::slice::from_ref(leaf));
            }
        }
        records.sort_by_key(|record| record.game_number);
        PlayedRange { records, cache: evaluator.cache_stats() }
    }
}
