//! A player as its specification describes it.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use selfplay_config::{ConfigValue, Interval, Shape};
use serde::{Deserialize, Serialize};

use super::network_source::NetworkSource;
use crate::error::EvalError;
use crate::playable::Playable;
use crate::player::Player;
use crate::settings::domain::{Domain, Text};

/// The settings of a player, from which it is made. [`Display`](fmt::Display) writes its specification, from which the same
/// settings can be read.
pub trait PlayerBuilder: Any + fmt::Debug + fmt::Display + Send + Sync {
    /// Whether what it plays depends on the speed of the machine even in matches without a clock.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// Whether its moves carry an analysis.
    fn analyses(&self) -> bool {
        false
    }

    /// Whether the specification is all that the player is made of: it names no file and no other program.
    fn is_complete(&self) -> bool {
        false
    }

    /// The checkpoint of its network, as it is written; `None` for players without one.
    fn checkpoint(&self) -> Option<&str> {
        None
    }

    /// The same player, which thinks for at most `time_ms` milliseconds a turn unless it has a limit of time of its own;
    /// `None` for kinds without such a limit.
    fn within(&self, _time_ms: u64) -> Option<PlayerSpec> {
        None
    }

    /// Makes the player, called `name`, of `game`, with networks from `source`.
    ///
    /// # Errors
    /// [`EvalError::WrongGame`] where the kind does not play it, and whatever making it meets.
    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError>;
}

/// A player as its specification describes it: settings of any kind. Two are equal if they are written alike.
///
/// [`PlayerKinds::parse`](super::PlayerKinds::parse) reads one. Serde reads the text alone, since it does not know the kinds
/// of the program; [`PlayerKinds::resolve`](super::PlayerKinds::resolve) then gives the text its meaning.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PlayerSpec(Arc<dyn PlayerBuilder>);

impl PlayerSpec {
    /// A player with these settings.
    pub fn new(settings: impl PlayerBuilder) -> Self {
        PlayerSpec(Arc::new(settings))
    }

    /// The text of a search by the agent in `folder`, as far as that says.
    pub fn for_agent(folder: &Path) -> String {
        let checkpoint = Domain::<String>::written(&Text(""), &folder.to_string_lossy().into_owned());
        format!("search:checkpoint={}", checkpoint.unwrap_or_default())
    }

    /// The settings, if they are of the type `S`.
    pub fn settings<S: PlayerBuilder>(&self) -> Option<&S> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// See [`PlayerBuilder::analyses`].
    pub fn analyses(&self) -> bool {
        self.0.analyses()
    }

    /// See [`PlayerBuilder::depends_on_time`].
    pub fn depends_on_time(&self) -> bool {
        self.0.depends_on_time()
    }

    /// See [`PlayerBuilder::checkpoint`].
    pub fn checkpoint(&self) -> Option<&str> {
        self.0.checkpoint()
    }

    /// See [`PlayerBuilder::is_complete`].
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// The same player, which thinks for at most `time_ms` milliseconds a turn unless it has a limit of time of its own.
    #[must_use]
    pub fn within(self, time_ms: u64) -> Self {
        self.0.within(time_ms).unwrap_or(self)
    }
}

impl PartialEq for PlayerSpec {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that has not been resolved.
#[derive(Debug)]
struct Unresolved(String);

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PlayerBuilder for Unresolved {
    /// It may.
    fn depends_on_time(&self) -> bool {
        true
    }

    fn build(
        &self,
        _game: &'static dyn Playable,
        _name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        Err(EvalError::for_spec(&self.0, "it was read without the kinds of players: resolve it with `PlayerKinds`"))
    }
}

impl From<String> for PlayerSpec {
    fn from(text: String) -> Self {
        PlayerSpec::new(Unresolved(text))
    }
}

impl From<PlayerSpec> for String {
    fn from(spec: PlayerSpec) -> String {
        spec.to_string()
    }
}

impl ConfigValue for PlayerSpec {
    fn shape(_: Interval) -> Shape {
        Shape::Text("a player's spec")
    }

    fn written(&self) -> Option<String> {
        ConfigValue::written(&self.to_string())
    }
}

/// Makes the player of `game` that `spec` describes; its name is the specification.
///
/// # Errors
/// What `source` says about the checkpoint, and numbers out of range.
pub fn build_player(
    game: &'static dyn Playable,
    spec: &PlayerSpec,
    source: &dyn NetworkSource,
) -> Result<Box<dyn Player>, EvalError> {
    build_named_player(game, spec.to_string(), spec, source)
}

/// Like [`build_player`], but the player is called `name`; those without settings keep their own names.
///
/// # Errors
/// Those of [`build_player`].
pub fn build_named_player(
    game: &'static dyn Playable,
    name: String,
    spec: &PlayerSpec,
    source: &dyn NetworkSource,
) -> Result<Box<dyn Player>, EvalError> {
    spec.0.build(game, name, source)
}
