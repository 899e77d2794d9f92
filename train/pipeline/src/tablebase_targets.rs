//! Targets from a tablebase instead of from searches and results: what self-play is compared with.

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use selfplay_env::Action;
use selfplay_network::training::Targets;
use selfplay_players::{EvalError, TablebaseLookup};
use selfplay_registry::GameRef;
use selfplay_tablebase::TurnValue;
use selfplay_train::SHARE_SCALE;
use selfplay_train::{GameRecord, SearchTarget};

use crate::error::RunError;
use crate::training::Training;

/// Knows what every position is worth.
pub struct TablebaseTargets {
    game: GameRef,
    tablebase: TablebaseLookup,
}

impl TablebaseTargets {
    /// The one that the run's config asks for; `None` if what games teach is learned.
    ///
    /// # Errors
    /// If the table cannot be read, is damaged, or is none of the game's own rules with turns.
    pub fn for_training(training: &Training<'_>) -> Result<Option<Self>, RunError> {
        match &training.config.learner.targets {
            Targets::Games => Ok(None),
            Targets::Tablebase(file) => Ok(Some(TablebaseTargets {
                game: training.game,
                tablebase: TablebaseLookup::open(file, training.game)?,
            })),
        }
    }

    /// Puts what the table says in the place of every target of `games`; the actions stay as they were played.
    ///
    /// # Errors
    /// If the table is damaged.
    pub fn teach(&self, games: &mut [GameRecord]) -> Result<(), RunError> {
        Ok(games.par_iter_mut().try_for_each(|game| self.teach_game(game))?)
    }

    fn teach_game(&self, game: &mut GameRecord) -> Result<(), EvalError> {
        let mut position = self.game.initial();
        for ply in &mut game.plies {
            if let Some(target) = &mut ply.target {
                let values = self.tablebase.action_values(&*position)?;
                let best = values.iter().map(|(_, value)| *value).max_by_key(|value| value.rank());
                let best = best.expect("a move was made here");
                let keeping = values.iter().filter(|(_, value)| value.sign() == best.sign());
                let weighed = |(action, value): &(Action, TurnValue)| (action.0, weight(*value, best));
                let weights: Vec<(u16, f32)> = keeping.map(weighed).collect();
                let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
                let share = |weight: f32| ((weight / sum * SHARE_SCALE) as u16).max(1);
                *target = SearchTarget {
                    policy: weights.into_iter().map(|(action, weight)| (action, share(weight))).collect(),
                    win: f32::from(best.sign() == 1),
                    loss: f32::from(best.sign() == -1),
                    proven: Some(best.sign()),
                    surprise: target.surprise,
                };
            }
            position.play(Action(ply.action));
        }
        Ok(())
    }
}

/// Policy weight of an action of this `value`, relative to the `best` one, which has the same result (won, drawn or
/// lost). Each turn by which the action wins later or loses sooner halves the weight.
fn weight(value: TurnValue, best: TurnValue) -> f32 {
    let turns = |value| match value {
        TurnValue::Win(turns) | TurnValue::Loss(turns) => i32::from(turns),
        TurnValue::Draw => 0,
    };
    0.5_f32.powi(i32::abs(turns(value) - turns(best)))
}
