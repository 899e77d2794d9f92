//! A table against the game's own rules: turn by turn for random positions, and by search to the end where it is near.

use std::collections::HashMap;

use rayon::prelude::*;
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Position, Rules};
use selfplay_tablebase::TurnValue;

use crate::error::EvalError;
use crate::tablebase_lookup::TablebaseLookup;

/// Random numbers in a row without a fitting position, after which there is taken to be none.
const MAX_FRUITLESS: u64 = 1_000_000;
/// Positions that a thread draws and judges at a time.
const AT_ONCE: u64 = 64;

/// A position on which table and rules disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableDisagreement {
    /// Its number.
    pub number: u64,
    /// The position, drawn.
    pub board: String,
    /// What the table says.
    pub table: TurnValue,
    /// What the rules say.
    pub rules: String,
}

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableComparison {
    /// Positions compared.
    pub positions: u64,
    /// Those on which table and rules disagree.
    pub disagreements: Vec<TableDisagreement>,
}

/// A position's number, the position, and its value by the table.
type Drawn = (u64, Box<dyn Position>, TurnValue);

impl TablebaseLookup {
    /// Draws `count` positions and compares the value of each with the best of its moves by the rules.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn compare_turns(
        &self,
        rules: &dyn Rules,
        count: u64,
        seed: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<TableComparison, EvalError> {
        self.compare(rules, count, seed, u8::MAX, progress, |position, value| {
            let actions = self.action_values(position)?;
            let best = actions.into_iter().map(|(_, value)| value).max_by_key(|value| value.rank());
            let best = best.unwrap_or(TurnValue::Loss(0));
            Ok((best != value).then(|| format!("{best:?}")))
        })
    }

    /// Draws `count` positions that are decided within `turns`, and searches each by the rules alone: it must be decided in so
    /// many turns and not in fewer.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn compare_searches(
        &self,
        rules: &dyn Rules,
        count: u64,
        turns: u8,
        seed: u64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<TableComparison, EvalError> {
        self.compare(rules, count, seed, turns, progress, |position, value| {
            let mut search = Search::default();
            let found = match value {
                TurnValue::Win(turns) => {
                    search.wins(position, turns) && (turns == 0 || !search.wins(position, turns - 1))
                }
                TurnValue::Loss(turns) => {
                    search.loses(position, turns) && (turns == 0 || !search.loses(position, turns - 1))
                }
                TurnValue::Draw => unreachable!("draws are not drawn: no search ends them"),
            };
            Ok((!found).then(|| "not decided so, or sooner".to_owned()))
        })
    }

    fn compare(
        &self,
        rules: &dyn Rules,
        count: u64,
        seed: u64,
        turns: u8,
        progress: &(dyn Fn(u64) + Sync),
        judge: impl Fn(&dyn Position, TurnValue) -> Result<Option<String>, EvalError> + Sync,
    ) -> Result<TableComparison, EvalError> {
        let some = |first: u64| {
            let mut rng = rng_for(&[seed, first]);
            let mut comparison = TableComparison::default();
            for _ in first..count.min(first + AT_ONCE) {
                let Some((number, position, value)) = self.draw(rules, turns, &mut rng)? else { break };
                comparison.positions += 1;
                if let Some(rules) = judge(&*position, value)? {
                    let board = position.board();
                    comparison.disagreements.push(TableDisagreement { number, board, table: value, rules });
                }
            }
            progress(comparison.positions);
            Ok(comparison)
        };
        let firsts: Vec<u64> = (0..count).step_by(AT_ONCE as usize).collect();
        firsts.into_par_iter().map(some).try_reduce(TableComparison::default, |mut one, other| {
            one.positions += other.positions;
            one.disagreements.extend(other.disagreements);
            Ok(one)
        })
    }

    /// A random position; with fewer `turns` than there can be, one that is decided within these.
    fn draw(&self, rules: &dyn Rules, turns: u8, rng: &mut GameRng) -> Result<Option<Drawn>, EvalError> {
        for _ in 0..MAX_FRUITLESS {
            let number = rng.random_range(0..self.table().position_index().count());
            let Some(position) = rules.at_number(number) else { continue };
            let value = self.table().value(number)?;
            if turns == u8::MAX || value.turns().is_some_and(|needed| needed <= turns) {
                return Ok(Some((number, position, value)));
            }
        }
        Ok(None)
    }
}

/// A search over whole turns without any knowledge but the rules.
#[derive(Default)]
struct Search {
    /// What was asked and answered: for a turn start's hash and turns, whether its side to move wins.
    known: HashMap<(u64, u8), bool>,
}

impl Search {
    /// Whether the side to move wins within so many turns.
    fn wins(&mut self, position: &dyn Position, turns: u8) -> bool {
        if turns == 0 || position.outcome().is_some() {
            return false;
        }
        let key = (position.position_hash(), turns);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let side = position.side_to_move();
        let wins = self.some_turn(position, &mut |search, reached| match reached.outcome() {
            Some(outcome) => outcome.value_for(side) == 1,
            None => search.loses(reached, turns - 1),
        });
        self.known.insert(key, wins);
        wins
    }

    /// Whether the side to move loses within so many turns, whatever it does.
    fn loses(&mut self, position: &dyn Position, turns: u8) -> bool {
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return outcome.value_for(side) == -1;
        }
        turns > 0
            && !self.some_turn(position, &mut |search, reached| match reached.outcome() {
                Some(outcome) => outcome.value_for(side) != -1,
                None => !search.wins(reached, turns - 1),
            })
    }

    /// Whether `suits` holds of a position that a turn leads to.
    fn some_turn(
        &mut self,
        position: &dyn Position,
        suits: &mut dyn FnMut(&mut Search, &dyn Position) -> bool,
    ) -> bool {
        let side = position.side_to_move();
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        actions.into_iter().any(|action| {
            let mut next = position.boxed();
            next.play(action);
            if next.outcome().is_none() && next.side_to_move() == side {
                self.some_turn(&*next, suits)
            } else {
                suits(self, &*next)
            }
        })
    }
}
