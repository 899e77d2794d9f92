//! The settings of players, each key declared once.
//!
//! [`player_settings!`](macro@crate::player_settings) declares a struct of settings. For each key of a player specification
//! it gives the name, the type, the range, the help line, and how it is read and written.

pub mod domain;
pub mod pairs;

mod declare;

use domain::Domain;
use pairs::{Pairs, Tail, Written};
pub use selfplay_config::{InvalidKey, interval};

use crate::error::EvalError;

/// A key of a player specification.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// What it may hold.
    pub expected: String,
    /// What it holds if it is left out; `None` if that is nothing, or if it must not be left out.
    pub default: Option<String>,
}

impl Key {
    /// The key `name` that may hold what is in `domain`.
    pub fn new<T>(name: &'static str, help: &'static str, domain: &impl Domain<T>, default: &T) -> Self {
        let written = domain.contains(default).then(|| domain.written(default));
        Key { name, help: help.trim(), expected: domain.expected(), default: written.flatten() }
    }
}

/// Settings whose keys may stand in player specifications. [`player_settings!`](macro@crate::player_settings) implements it.
pub trait Settings: Clone + Default + PartialEq {
    /// Whether a text follows the pairs.
    const TAIL: Tail;

    /// All keys, in the order in which they are written.
    fn keys() -> Vec<Key>;

    /// Reads the keys that `pairs` has.
    ///
    /// # Errors
    /// [`EvalError::Spec`] with the first key that is wrong or missing.
    fn take(&mut self, pairs: &Pairs<'_>) -> Result<(), EvalError>;

    /// Writes the keys that differ from their defaults.
    fn write(&self, written: &mut Written);

    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first field that is wrong.
    fn check(&self) -> Result<(), InvalidKey>;
}

/// Settings that are a whole player specification, which [`Display`](std::fmt::Display) writes.
pub trait PlayerSettings: Settings + std::fmt::Display {
    /// The kind of player, which stands before the colon.
    const KIND: &'static str;

    /// Reads `text`, the part of `spec` behind the colon.
    ///
    /// # Errors
    /// [`EvalError::Spec`] with what is wrong, and what would be right.
    fn read(spec: &str, text: &str) -> Result<Self, EvalError> {
        let mut settings = Self::default();
        settings.take(&Pairs::read(spec, text, &Self::keys(), Self::TAIL)?)?;
        settings.check().map_err(|invalid| EvalError::for_spec(spec, invalid))?;
        Ok(settings)
    }
}

/// Checks the value of `field`.
///
/// # Errors
/// [`InvalidKey`] unless `domain` has it.
pub fn check_field<T>(field: &str, domain: &impl Domain<T>, value: &T) -> Result<(), InvalidKey> {
    let shown = domain.written(value).unwrap_or_default();
    selfplay_config::check(domain.contains(value), field, shown, &domain.expected())
}
