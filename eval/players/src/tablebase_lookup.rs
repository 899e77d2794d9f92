//! What positions and moves are worth by a table of their game, also in the middle of turns.

use std::path::Path;

use selfplay_env::{Action, Position, Rules};
use selfplay_tablebase::{Tablebase, TurnValue};

use crate::error::{EvalError, FileError};

/// A table of a game's own rules that tells the turns to the end.
pub struct TablebaseLookup {
    table: Tablebase,
}

impl TablebaseLookup {
    /// Opens the table at `path` of the game of `rules`.
    ///
    /// # Errors
    /// [`EvalError::Table`] as [`Tablebase::open`] has it; [`EvalError::File`] for a table of other rules, or of outcomes alone.
    pub fn open(path: &Path, rules: &dyn Rules) -> Result<Self, EvalError> {
        Self::new(Tablebase::open(path, rules)?, path, rules)
    }

    /// Judges by a table that was opened from `path`.
    ///
    /// # Errors
    /// [`EvalError::File`] for a table of other rules, or of outcomes alone.
    pub fn new(table: Tablebase, path: &Path, rules: &dyn Rules) -> Result<Self, EvalError> {
        if !table.is_of_played_rules(rules) {
            let name = table.position_index().name();
            let reason =
                format!("it is of {} with the rules `{name}`, which are not those that are played", rules.id());
            return Err(FileError::new(path, reason).into());
        }
        if !table.has_turns() {
            return Err(
                FileError::new(path, "it tells outcomes only: expected a table with the turns to the end").into()
            );
        }
        Ok(TablebaseLookup { table })
    }

    /// The table.
    pub fn table(&self) -> &Tablebase {
        &self.table
    }

    /// What `position` is worth to its side to move. Turns are counted from here on, a turn that has begun as one.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn value(&self, position: &dyn Position) -> Result<TurnValue, EvalError> {
        if let Some(outcome) = position.outcome() {
            return Ok(ended(outcome.value_for(position.side_to_move())));
        }
        if position.starts_turn() {
            let number = position.number().expect("a game with a table numbers its turn starts");
            return Ok(self.table.value(number)?);
        }
        let best = self.action_values(position)?.into_iter().map(|(_, value)| value).max_by_key(|value| value.rank());
        Ok(best.expect("a running game has a move"))
    }

    /// Each distinct move in `position` with what it is worth to the side that makes it: none if the game is over.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn action_values(&self, position: &dyn Position) -> Result<Vec<(Action, TurnValue)>, EvalError> {
        let side = position.side_to_move();
        let mut actions = Vec::new();
        position.distinct_actions(&mut actions);
        let worth = |action: Action| {
            let mut next = position.boxed();
            next.play(action);
            let value = match next.outcome() {
                // By the turn that this move ends.
                Some(outcome) => ended(-outcome.value_for(side)).before(),
                None if next.side_to_move() == side => self.value(&*next)?,
                None => self.value(&*next)?.before(),
            };
            Ok((action, value))
        };
        actions.into_iter().map(worth).collect()
    }

    /// The moves of a game from `position` between two perfect players, to its end; no move if it is drawn by endless
    /// play.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn line(&self, position: &dyn Position) -> Result<Vec<Action>, EvalError> {
        let (mut position, mut line) = (position.boxed(), Vec::new());
        while position.outcome().is_none() && self.value(&*position)? != TurnValue::Draw {
            let actions = self.action_values(&*position)?;
            let (action, _) = actions.into_iter().max_by_key(|(_, value)| value.rank()).expect("the game is not over");
            position.play(action);
            line.push(action);
        }
        Ok(line)
    }

    /// Whether `action`, a legal one, leads to a position that is worth as much to its side as `position` is.
    ///
    /// # Errors
    /// [`EvalError::Table`] if the table is damaged.
    pub fn keeps_value(&self, position: &dyn Position, action: Action) -> Result<bool, EvalError> {
        let mut next = position.boxed();
        next.play(action);
        let after = self.value(&*next)?.sign();
        let after = if next.side_to_move() == position.side_to_move() { after } else { -after };
        Ok(after == self.value(position)?.sign())
    }
}

/// The value of an ended game that is worth `value` to the side to move.
fn ended(value: i8) -> TurnValue {
    match value {
        1 => TurnValue::Win(0),
        0 => TurnValue::Draw,
        _ => TurnValue::Loss(0),
    }
}
