//! Players as text: `random`, `alphabeta:depth=3`, `search:checkpoint=PATH,simulations=200`, `policy:checkpoint=PATH`.
//!
//! A specification is a kind, then perhaps a colon and `key=value` pairs with commas between them. It can be written
//! into configs and result tables; reading back what is written gives the same player.
//!
//! | kind | keys |
//! |---|---|
//! | `random` | none |
//! | `alphabeta` | `depth` (decisions; 2 if no limit is given), `nodes`, `time` |
//! | `search` | `checkpoint`, at least one of `simulations`, `time`, `cpu`; `leaves` (8), `temperature` (0), `precision` |
//! | `policy` | `checkpoint`, `temperature` (0), `precision` |
//!
//! Times are `500ms` or `2s`, for each decision. `checkpoint` is a path without commas, or `uniform` for search without
//! knowledge; `precision` is `f32` or `int8`, the faster of the two if it is left out.

use std::fmt;
use std::str::FromStr;

use selfplay_mcts::Limits;
use serde::{Deserialize, Serialize};

mod pairs;

use crate::alphabeta::{AlphaBetaLimits, MAX_DEPTH};
use crate::error::EvalError;

/// The value of `checkpoint` that stands for [`UniformEvaluator`](selfplay_mcts::UniformEvaluator).
pub const UNIFORM_CHECKPOINT: &str = "uniform";

const KINDS: [&str; 4] = ["random", "alphabeta", "search", "policy"];
const DEFAULT_DEPTH: u32 = 2;
const DEFAULT_LEAVES: usize = 8;
/// A tree takes some hundred bytes a simulation; this many still fit in an ordinary machine.
const MOST_SIMULATIONS: u32 = 10_000_000;
const MOST_TIME_MS: u64 = 3_600_000;
const DEPTH: &str = "a whole number of decisions from 1 to 200";
const POSITIVE_INTEGER: &str = "a whole number of at least 1";
const SIMULATIONS: &str = "a whole number from 1 to 10,000,000";
const TEMPERATURE: &str = "a finite number of at least 0";

/// A player, as its specification says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PlayerSpec {
    /// [`RandomPlayer`](crate::RandomPlayer).
    Random,
    /// [`AlphaBetaPlayer`](crate::AlphaBetaPlayer) with at least one limit.
    AlphaBeta(AlphaBetaLimits),
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

impl PlayerSpec {
    /// Whether what it plays depends on the speed of the machine.
    pub fn depends_on_time(&self) -> bool {
        match self {
            PlayerSpec::Random | PlayerSpec::Policy { .. } => false,
            PlayerSpec::AlphaBeta(limits) => limits.time_ms.is_some(),
            PlayerSpec::Search(search) => search.limits.time_ms.is_some() || search.limits.cpu_time_ms.is_some(),
        }
    }
}

/// A player that searches with an evaluator.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchSpec {
    /// Where the evaluator comes from.
    pub checkpoint: String,
    /// What it is computed in; its source knows the names.
    pub precision: Option<String>,
    /// What ends the search of each decision.
    pub limits: Limits,
    /// Leaves evaluated at once when there is a single game; at least 1.
    pub leaves: usize,
    /// How random the choice is; 0 takes the best move.
    pub temperature: f32,
}

impl FromStr for PlayerSpec {
    type Err = EvalError;

    fn from_str(spec: &str) -> Result<Self, EvalError> {
        let (kind, pairs) = spec.split_once(':').unwrap_or((spec, ""));
        match kind {
            "random" => {
                Pairs::read(spec, pairs, &[])?;
                Ok(PlayerSpec::Random)
            }
            "alphabeta" => {
                let pairs = Pairs::read(spec, pairs, &["depth", "nodes", "time"])?;
                let mut limits = AlphaBetaLimits {
                    depth: pairs.number("depth", DEPTH, |depth| (1..=MAX_DEPTH).contains(depth))?,
                    nodes: pairs.number("nodes", POSITIVE_INTEGER, is_positive)?,
                    time_ms: pairs.time_ms("time")?,
                    cpu_time_ms: None,
                };
                if limits == AlphaBetaLimits::default() {
                    limits.depth = Some(DEFAULT_DEPTH);
                }
                Ok(PlayerSpec::AlphaBeta(limits))
            }
            "search" => {
                let keys = ["checkpoint", "simulations", "time", "cpu", "leaves", "temperature", "precision"];
                let pairs = Pairs::read(spec, pairs, &keys)?;
                let limits = Limits {
                    simulations: pairs.number("simulations", SIMULATIONS, |n| (1..=MOST_SIMULATIONS).contains(n))?,
                    time_ms: pairs.time_ms("time")?,
                    cpu_time_ms: pairs.time_ms("cpu")?,
                };
                if limits == Limits::default() {
                    return Err(pairs.missing("a limit, one of `simulations`, `time` and `cpu`,"));
                }
                Ok(PlayerSpec::Search(SearchSpec {
                    checkpoint: pairs.checkpoint()?,
                    precision: pairs.text("precision"),
                    limits,
                    leaves: pairs.number("leaves", POSITIVE_INTEGER, is_positive)?.unwrap_or(DEFAULT_LEAVES),
                    temperature: pairs.temperature()?,
                }))
            }
            "policy" => {
                let pairs = Pairs::read(spec, pairs, &["checkpoint", "temperature", "precision"])?;
                Ok(PlayerSpec::Policy {
                    checkpoint: pairs.checkpoint()?,
                    precision: pairs.text("precision"),
                    temperature: pairs.temperature()?,
                })
            }
            _ => Err(EvalError::UnknownPlayerKind { spec: spec.into(), kind: kind.into(), known: KINDS.join(", ") }),
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs: Vec<String> = Vec::new();
        let mut push = |key: &str, value: Option<String>| pairs.extend(value.map(|value| format!("{key}={value}")));
        let time = |ms: Option<u64>| ms.map(|ms| format!("{ms}ms"));
        let non_zero = |temperature: f32| (temperature != 0.0).then(|| temperature.to_string());
        let kind = match self {
            PlayerSpec::Random => "random",
            PlayerSpec::AlphaBeta(limits) => {
                push("depth", limits.depth.map(|depth| depth.to_string()));
                push("nodes", limits.nodes.map(|nodes| nodes.to_string()));
                push("time", time(limits.time_ms));
                "alphabeta"
            }
            PlayerSpec::Search(search) => {
                push("checkpoint", Some(search.checkpoint.clone()));
                push("simulations", search.limits.simulations.map(|simulations| simulations.to_string()));
                push("time", time(search.limits.time_ms));
                push("cpu", time(search.limits.cpu_time_ms));
                push("leaves", (search.leaves != DEFAULT_LEAVES).then(|| search.leaves.to_string()));
                push("temperature", non_zero(search.temperature));
                push("precision", search.precision.clone());
                "search"
            }
            PlayerSpec::Policy { checkpoint, precision, temperature } => {
                push("checkpoint", Some(checkpoint.clone()));
                push("temperature", non_zero(*temperature));
                push("precision", precision.clone());
                "policy"
            }
        };
        if pairs.is_empty() { f.write_str(kind) } else { write!(f, "{kind}:{}", pairs.join(",")) }
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
