//! The kinds of players that a program knows.

use std::fmt;
use std::path::Path;

use selfplay_config::suggestion::did_you_mean;

use super::built_in::BUILT_IN;
use super::player_kind::PlayerKind;
use super::player_spec::PlayerSpec;
use crate::error::EvalError;

/// The kinds of players that a program knows. Needed to parse specs.
///
/// ```
/// use selfplay_players::PlayerKinds;
///
/// let kinds = PlayerKinds::built_in();
/// let spec = kinds.parse("alphabeta:time=2s,depth=3")?;
/// assert_eq!(spec.to_string(), "alphabeta:depth=3,time=2000ms");
/// assert!(kinds.parse("alphabet").unwrap_err().to_string().contains("did you mean `alphabeta`?"));
/// # Ok::<(), selfplay_players::EvalError>(())
/// ```
#[derive(Clone)]
pub struct PlayerKinds(Vec<&'static dyn PlayerKind>);

impl PlayerKinds {
    /// The kinds of this crate.
    pub fn built_in() -> Self {
        PlayerKinds(BUILT_IN.to_vec())
    }

    /// The same with those of `kinds` whose names are not taken.
    #[must_use]
    pub fn with(mut self, kinds: &[&'static dyn PlayerKind]) -> Self {
        for &kind in kinds {
            if self.find(kind.name()).is_none() {
                self.0.push(kind);
            }
        }
        self
    }

    /// All kinds.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn PlayerKind> {
        self.0.iter().copied()
    }

    /// The player that `spec` describes.
    ///
    /// # Errors
    /// What is wrong with the text, and what would be right.
    pub fn parse(&self, spec: &str) -> Result<PlayerSpec, EvalError> {
        let (name, settings) = spec.split_once(':').unwrap_or((spec, ""));
        if let Some(kind) = self.find(name) {
            return kind.read(spec, settings);
        }
        if Path::new(spec).exists() {
            let agent = PlayerSpec::for_agent(Path::new(spec));
            return Err(EvalError::for_spec(spec, format!("this is a file or folder; the agent in it is `{agent}`")));
        }
        let (meant, known) = (self.did_you_mean(spec), self.names().collect::<Vec<_>>().join(", "));
        Err(EvalError::for_spec(spec, format!("there is no kind `{name}`{meant}; the kinds are {known}")))
    }

    /// The player that `spec` describes, which serde may have read.
    ///
    /// # Errors
    /// Those of [`parse`](Self::parse).
    pub fn resolve(&self, spec: &PlayerSpec) -> Result<PlayerSpec, EvalError> {
        self.parse(&spec.to_string())
    }

    /// Whether `text` begins as specifications do, with the name of a kind; it may be a wrong one all the same.
    pub fn is_meant(&self, text: &str) -> bool {
        self.find(kind_of(text)).is_some()
    }

    /// What kind of player was probably meant by `text`, which is none, as a question, or nothing.
    pub fn did_you_mean(&self, text: &str) -> String {
        did_you_mean(kind_of(text), self.names())
    }

    fn find(&self, name: &str) -> Option<&'static dyn PlayerKind> {
        self.iter().find(|kind| kind.name() == name)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.iter().map(PlayerKind::name)
    }
}

/// What stands before the colon.
fn kind_of(text: &str) -> &str {
    text.split_once(':').map_or(text, |(kind, _)| kind)
}

impl fmt::Debug for PlayerKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
