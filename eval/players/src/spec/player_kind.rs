//! Kinds of players: the names before the colon of a specification.

use std::marker::PhantomData;

use super::player_spec::{PlayerBuilder, PlayerSpec};
use crate::error::EvalError;
use crate::settings::{Key, PlayerSettings};

/// A kind of player: what its specifications may hold, and how they are read.
pub trait PlayerKind: Send + Sync {
    /// What stands before the colon.
    fn name(&self) -> &'static str;

    /// Its keys.
    fn keys(&self) -> Vec<Key> {
        Vec::new()
    }

    /// Reads `settings`, what stands behind the colon of the whole specification `spec`.
    ///
    /// # Errors
    /// What is wrong with the text, and what would be right.
    fn read(&self, spec: &str, settings: &str) -> Result<PlayerSpec, EvalError>;
}

/// The kind of players with the settings `S`, which [`player_settings!`](macro@crate::player_settings) declares.
pub struct KindOf<S>(PhantomData<fn() -> S>);

impl<S> KindOf<S> {
    /// The kind.
    pub const NEW: Self = KindOf(PhantomData);
}

impl<S: PlayerSettings + PlayerBuilder> PlayerKind for KindOf<S> {
    fn name(&self) -> &'static str {
        S::KIND
    }

    fn keys(&self) -> Vec<Key> {
        S::keys()
    }

    fn read(&self, spec: &str, settings: &str) -> Result<PlayerSpec, EvalError> {
        S::read(spec, settings).map(PlayerSpec::new)
    }
}
