//! Metadata of an exported agent.

use selfplay_players::{EvalError, PlayerKinds, PlayerSpec};
use serde::{Deserialize, Serialize};

/// Stands for the carried network in specifications.
pub const AGENT: &str = "agent";

/// What an agent is, without its body.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentHead {
    /// What it calls itself.
    pub name: String,
    /// Id of its game.
    pub game: String,
    /// What it plays by.
    pub kind: AgentKind,
    /// The file with its game, where that is not one of the program's.
    pub rules: Option<CarriedRules>,
}

/// A file with a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CarriedRules {
    /// What it was called.
    pub name: String,
    /// What it holds.
    pub source: String,
}

/// What an agent plays by.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum AgentKind {
    /// A search with a network; the body is its weights.
    Network {
        /// `manifest.toml` of its checkpoint.
        manifest: Vec<u8>,
        /// Whether alpha-beta may prove results in addition to the search.
        verify: bool,
    },
    /// Perfect play; the body is a table of the game.
    Table,
    /// A player that needs no body.
    Player {
        /// Its specification.
        spec: String,
    },
}

impl AgentKind {
    /// What it is as a player of one of `kinds`; `table` is the name of the kind that plays by the carried table.
    ///
    /// # Errors
    /// If the specification is damaged.
    pub fn spec(&self, table: &str, kinds: &PlayerKinds) -> Result<PlayerSpec, EvalError> {
        match self {
            AgentKind::Network { verify, .. } => {
                let verify = if *verify { "on" } else { "off" };
                kinds.parse(&format!("search:checkpoint={AGENT},verify={verify}"))
            }
            AgentKind::Table => kinds.parse(table),
            AgentKind::Player { spec } => kinds.parse(spec),
        }
    }
}

/// An agent with its body, as one value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WholeAgent {
    /// What it is.
    pub head: AgentHead,
    /// `weights.safetensors` of its network; empty without one.
    pub weights: Vec<u8>,
}
