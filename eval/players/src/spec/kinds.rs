//! Kinds of players that programs add to those of this crate.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::EvalError;
use crate::playable::Playable;
use crate::player::Player;

/// A kind of player: what its specifications may say, and how they are read.
pub trait PlayerKind: Sync {
    /// What stands before the colon.
    fn name(&self) -> &'static str;

    /// Reads `settings`, what stands behind the colon of the whole specification `spec`.
    ///
    /// # Errors
    /// What is wrong with the text, and what would be right.
    fn read(&self, spec: &str, settings: &str) -> Result<Arc<dyn PlayerRecipe>, EvalError>;
}

/// A player of a [`PlayerKind`], as its specification says.
pub trait PlayerRecipe: fmt::Debug + Send + Sync {
    /// The specification, from which the same recipe can be read.
    fn written(&self) -> String;

    /// Whether what it plays depends on the speed of the machine even in matches without a clock.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// Whether it tells what it thinks of every decision, as analyses need.
    fn analyses(&self) -> bool {
        false
    }

    /// Whether the specification is all that the player is made of: it names no file and no other program.
    fn is_complete(&self) -> bool {
        false
    }

    /// Makes the player, called `name`, of `game`.
    ///
    /// # Errors
    /// [`EvalError::WrongGame`] where the kind does not play it, and whatever making it meets.
    fn build(&self, game: &'static dyn Playable, name: String) -> Result<Box<dyn Player>, EvalError>;
}

/// What programs have added. It is the program's as a whole, because a specification is text that is read wherever it
/// stands: on command lines, in configs, in files of games.
static ADDED: RwLock<Vec<&'static dyn PlayerKind>> = RwLock::new(Vec::new());

/// Adds kinds of players to those that specifications may name; one that is there already is added no more.
pub fn add_player_kinds(kinds: &[&'static dyn PlayerKind]) {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    for &kind in kinds {
        if added.iter().all(|other| other.name() != kind.name()) {
            added.push(kind);
        }
    }
}

/// The added kind called `name`.
pub(super) fn added_kind(name: &str) -> Option<&'static dyn PlayerKind> {
    ADDED.read().unwrap_or_else(PoisonError::into_inner).iter().copied().find(|kind| kind.name() == name)
}

/// Names of all added kinds.
pub(super) fn added_names() -> Vec<&'static str> {
    ADDED.read().unwrap_or_else(PoisonError::into_inner).iter().map(|kind| kind.name()).collect()
}
