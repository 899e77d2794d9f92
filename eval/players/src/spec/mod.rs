//! Players as text: `random`, `alphabeta:depth=3`, `search:checkpoint=PATH,simulations=200`, `program:COMMAND`.
//!
//! A specification is a kind, then perhaps a colon and `key=value` pairs with commas between them. It can be written
//! into configs and result tables; reading back what is written gives the same player. `docs/players.md` explains every
//! kind and key.

pub mod pairs;

pub mod kinds;

mod reading;
mod writing;

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use selfplay_config::{ConfigValue, Interval, Shape};
use selfplay_mcts::{Foresight, Limits};
use serde::{Deserialize, Serialize};

use crate::alphabeta::AlphaBetaConfig;
use crate::baselines::UctConfig;
use crate::error::EvalError;
use crate::program::ProgramConfig;
use crate::search_player::{Proofs, SpecSymmetry, Variety};
pub use kinds::{PlayerKind, PlayerRecipe, add_player_kinds};
use pairs::Written;

/// The value of `checkpoint` that stands for [`UniformEvaluator`](selfplay_mcts::UniformEvaluator).
pub const UNIFORM_CHECKPOINT: &str = "uniform";

/// The value of `checkpoint` that stands for the trained agent that comes with the program.
pub const RELEASED_CHECKPOINT: &str = "released";

/// A player, as its specification says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PlayerSpec {
    /// [`RandomPlayer`](crate::RandomPlayer).
    Random,
    /// [`GreedyPlayer`](crate::baselines::GreedyPlayer).
    Greedy,
    /// [`AlphaBetaPlayer`](crate::AlphaBetaPlayer).
    AlphaBeta(AlphaBetaConfig),
    /// [`UctPlayer`](crate::baselines::UctPlayer).
    Uct(UctConfig),
    /// [`TablePlayer`](crate::table_player::TablePlayer), by the table in the file with this path.
    Table(String),
    /// A program outside that speaks GTP.
    Program(ProgramConfig),
    /// A player of a kind that was [added](kinds::add_player_kinds).
    Added(AddedSpec),
    /// [`SearchPlayer`](crate::SearchPlayer).
    Search(SearchSpec),
    /// The evaluator's own policy, without looking ahead.
    Policy {
        /// Where the evaluator comes from.
        checkpoint: String,
        /// What it is computed in; its source knows the names.
        precision: Option<String>,
        /// 0 for the most probable action, 1 for actions as probable as the policy says; in between and beyond as for
        /// searches.
        temperature: f32,
    },
}

/// A player of a kind that was added.
#[derive(Clone, Debug)]
pub struct AddedSpec(pub Arc<dyn PlayerRecipe>);

impl PartialEq for AddedSpec {
    fn eq(&self, other: &Self) -> bool {
        self.0.written() == other.0.written()
    }
}

/// A player that searches with an evaluator.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSpec {
    /// Where the evaluator comes from.
    pub checkpoint: String,
    /// What it is computed in; its source knows the names.
    pub precision: Option<String>,
    /// Under which symmetries of the board positions are evaluated.
    pub symmetry: SpecSymmetry,
    /// What ends the search of each decision, beside the match's clock.
    pub limits: Limits,
    /// Leaves of one game evaluated at once, at least 1; `None` for as many as suit the limits.
    pub leaves: Option<usize>,
    /// How random the choice is; 0 takes the best move.
    pub temperature: f32,
    /// How even the search takes the priors to be; 1 as the evaluator gives them.
    pub policy_temperature: f32,
    /// How much the search explores ([`SearchConfig::c_puct`](selfplay_mcts::SearchConfig)).
    pub c_puct: f32,
    /// Whether results that are certain are carried up the tree ([`SearchConfig::solver`](selfplay_mcts::SearchConfig)).
    pub solver: bool,
    /// How far the rules' advice decides what is won or lost.
    pub foresight: Foresight,
    /// Whether alpha-beta helps with proofs.
    pub proofs: Proofs,
    /// Whether moves that are equal by symmetry are varied.
    pub variety: Variety,
}

impl PlayerSpec {
    /// The text of a search by the agent in `folder`, as far as that says.
    pub fn of_agent(folder: &Path) -> String {
        Written::new("search").text_pair("checkpoint", &folder.to_string_lossy()).to_string()
    }

    /// Whether the player tells what it thinks of every decision, as analyses need.
    pub fn analyses(&self) -> bool {
        match self {
            PlayerSpec::Search(_)
            | PlayerSpec::Uct(_)
            | PlayerSpec::AlphaBeta(_)
            | PlayerSpec::Policy { .. }
            | PlayerSpec::Table(_) => true,
            PlayerSpec::Added(added) => added.0.analyses(),
            PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::Program(_) => false,
        }
    }

    /// Whether what it plays depends on the speed of the machine even in matches without a clock.
    pub fn depends_on_time(&self) -> bool {
        match self {
            PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::Table(_) | PlayerSpec::Policy { .. } => false,
            PlayerSpec::Added(added) => added.0.depends_on_time(),
            PlayerSpec::AlphaBeta(config) => config.limits.has_time() || config.threads > 1,
            PlayerSpec::Uct(config) => config.time_ms.is_some(),
            PlayerSpec::Search(search) => search.limits.time_ms.is_some() || search.limits.cpu_time_ms.is_some(),
            PlayerSpec::Program(_) => true,
        }
    }

    /// The checkpoint that the player thinks with, as it is written; `None` for those that need none.
    pub fn checkpoint(&self) -> Option<&str> {
        match self {
            PlayerSpec::Search(SearchSpec { checkpoint, .. }) | PlayerSpec::Policy { checkpoint, .. } => {
                Some(checkpoint.as_str()).filter(|checkpoint| *checkpoint != UNIFORM_CHECKPOINT)
            }
            _ => None,
        }
    }

    /// Whether the specification is all that the player is made of: it names no file and no other program.
    pub fn is_complete(&self) -> bool {
        match self {
            PlayerSpec::Random | PlayerSpec::Greedy | PlayerSpec::AlphaBeta(_) | PlayerSpec::Uct(_) => true,
            PlayerSpec::Search(_) | PlayerSpec::Policy { .. } => self.checkpoint().is_none(),
            PlayerSpec::Added(added) => added.0.is_complete(),
            PlayerSpec::Table(_) | PlayerSpec::Program(_) => false,
        }
    }

    /// Whether `text` begins as specifications do, with the name of a kind; it may be a wrong one all the same.
    pub fn is_meant(text: &str) -> bool {
        let kind = text.split_once(':').map_or(text, |(kind, _)| kind);
        reading::KINDS.contains(&kind) || kinds::added_kind(kind).is_some()
    }

    /// What kind of player was probably meant by `text`, which is none, as a question, or nothing.
    pub fn did_you_mean(text: &str) -> String {
        reading::kind_meant(text.split_once(':').map_or(text, |(kind, _)| kind))
    }

    /// The same player, which thinks for at most `time_ms` milliseconds a turn unless it has a limit of time of its own.
    #[must_use]
    pub fn within(mut self, time_ms: u64) -> Self {
        match &mut self {
            PlayerSpec::AlphaBeta(config) => {
                let limits = &mut config.limits;
                limits.time_ms.get_or_insert(time_ms);
            }
            PlayerSpec::Uct(config) => {
                config.time_ms.get_or_insert(time_ms);
            }
            PlayerSpec::Search(search) => {
                search.limits.time_ms.get_or_insert(time_ms);
            }
            PlayerSpec::Program(config) => {
                config.time_ms.get_or_insert(time_ms);
            }
            _ => {}
        }
        self
    }
}

impl FromStr for PlayerSpec {
    type Err = EvalError;

    fn from_str(spec: &str) -> Result<Self, EvalError> {
        reading::read(spec)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Added(added) => f.write_str(&added.0.written()),
            spec => writing::written(spec).fmt(f),
        }
    }
}

impl TryFrom<String> for PlayerSpec {
    type Error = EvalError;

    fn try_from(spec: String) -> Result<Self, EvalError> {
        spec.parse()
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
        self.to_string().written()
    }
}
