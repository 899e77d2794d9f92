//! What is sent: tasks, results and what is said about them. Small things are JSON, so that people can read along;
//! results are `postcard`.

use std::fmt;

use selfplay_pipeline::{RunMatch, agent_name};
use serde::{Deserialize, Serialize};

/// Version of everything here: programs of different ones do not work together.
pub const PROTOCOL: u32 = 3;

/// Games of self-play in a task: little is lost with a worker, and a result is small.
pub const GAMES_PER_TASK: u32 = 8;

/// A piece of work, a function of its name, the run's config and its networks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKey {
    /// Some games of self-play, one after the other by their numbers.
    #[serde(rename = "games")]
    GameRange {
        /// The generation.
        generation: u32,
        /// Number of the first game.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Some pairs of a match of the gate.
    Pairs {
        /// The match.
        of: RunMatch,
        /// The first pair.
        first: usize,
        /// How many.
        count: usize,
    },
}

impl TaskKey {
    /// The name in subjects and file names, of letters, digits, `-` and dots.
    pub fn token(&self) -> String {
        match *self {
            TaskKey::GameRange { generation, first, count } => {
                format!("{}.{first}-{count}", TaskKey::games_token(generation))
            }
            TaskKey::Pairs { of, first, count } => format!("{}.{first}-{count}", TaskKey::match_token(of)),
        }
    }

    /// What the tokens of all games of a generation begin with, before a dot.
    pub fn games_token(generation: u32) -> String {
        format!("games.{generation}")
    }

    /// What the tokens of all pairs of a match begin with, before a dot.
    pub fn match_token(of: RunMatch) -> String {
        match of {
            RunMatch::Baselines { a, b } => format!("pairs.baselines.{a}-{b}"),
            RunMatch::Ladder { generation, baseline } => format!("pairs.ladder.{generation}-{baseline}"),
            RunMatch::Champion { generation, champion } => format!("pairs.champion.{generation}-{champion}"),
        }
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TaskKey::GameRange { generation, first, count } => {
                write!(
                    f,
                    "games {first} to {} of generation {generation}",
                    first.saturating_add(count).saturating_sub(1)
                )
            }
            TaskKey::Pairs { of, first, count } => {
                write!(f, "pairs {first} to {} of ", first + count.saturating_sub(1))?;
                match of {
                    RunMatch::Baselines { a, b } => write!(f, "baselines {a} and {b}"),
                    RunMatch::Ladder { generation, baseline } => {
                        write!(f, "{} against baseline {baseline}", agent_name(generation))
                    }
                    RunMatch::Champion { generation, champion } => {
                        write!(f, "{} against {}", agent_name(generation), agent_name(champion))
                    }
                }
            }
        }
    }
}

/// A network in the object store.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct NetworkName {
    /// The generation that learned it.
    pub generation: u32,
    /// `<run>/<generation>-<blake3 of its bytes>`.
    pub object: String,
}

/// A task as it is published.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// What to do.
    pub key: TaskKey,
    /// The networks that it takes.
    pub networks: Vec<NetworkName>,
    /// The games of the generation before, if games restart in them: an object in the store.
    pub earlier: Option<String>,
}

/// The learner's description of its run, sent in reply to queries for the available runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Announcement {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The run's name in subjects.
    pub run: String,
    /// Whose it is: another one for each process that learns it.
    pub owner: String,
    /// Version of the program.
    pub version: String,
    /// The game's id.
    pub game: String,
    /// Version of its encoding.
    pub encoding_version: u32,
    /// Version of self-play.
    pub engine_version: u32,
    /// The run's config.
    pub config: String,
    /// The kind of CPU that learns.
    pub cpu: String,
    /// What a worker plays to show that it computes alike.
    pub probe: Probe,
}

/// A few actions whose games are compared bit for bit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The network to play them with.
    pub network: NetworkName,
    /// Hash of the games.
    pub digest: String,
}

/// A result on its way: a part of it, with all that says what it is a part of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Who plays.
    pub worker: String,
    /// What shows that it computes as the run does.
    pub admission: String,
    /// What was asked.
    pub key: TaskKey,
    /// The objects it was played with.
    pub objects: Vec<String>,
    /// Hash of the whole result before it was compressed.
    pub digest: String,
    /// What it cost.
    pub cost: Cost,
    /// Bytes of the whole, compressed.
    pub length: u32,
    /// Number of this part, from 0.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
    /// The bytes of this part.
    pub bytes: Vec<u8>,
}

#[cfg(test)]
impl Part {
    /// One without bytes, for tests.
    pub fn example() -> Self {
        Part {
            worker: "w".into(),
            admission: "a".into(),
            key: TaskKey::GameRange { generation: 1, first: 8, count: 8 },
            objects: Vec::new(),
            digest: "d".into(),
            cost: Cost::default(),
            length: 0,
            index: 0,
            count: 0,
            bytes: Vec::new(),
        }
    }
}

/// The cost of a task to the worker that did it.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds that passed.
    pub seconds: f64,
    /// CPU seconds.
    pub cpu_seconds: f64,
    /// Look-ups in the cache of evaluations.
    pub lookups: u64,
    /// Those that it answered.
    pub hits: u64,
}

/// What becomes of a result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultStatus {
    /// It is on the disk of the machine that learns, or the same is.
    Stored,
    /// It is not believed.
    Refused {
        /// Why.
        reason: String,
    },
    /// The result is no longer needed.
    Unwanted,
    /// The result has not arrived yet.
    Pending,
}

/// Says, or asks, what becomes of a result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// What was asked.
    pub key: TaskKey,
    /// Hash of the result.
    pub digest: String,
    /// What becomes of it; in a question, what the worker takes it for.
    #[serde(rename = "fate")]
    pub status: ResultStatus,
}

/// What a worker says of itself every few seconds.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct WorkerState {
    /// Its name.
    pub worker: String,
    /// Tasks that it can do at once.
    pub threads: usize,
    /// Its kind of CPU.
    pub cpu: String,
    /// What it is at.
    pub playing: Vec<TaskKey>,
    /// Objects that it could not read.
    #[serde(default)]
    pub unreadable: Vec<String>,
    /// Why it does not play for this run, if so.
    #[serde(default)]
    pub refusal: Option<String>,
    /// Whether it goes now.
    #[serde(default)]
    pub leaves: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_names_of_their_protocol() {
        let key = TaskKey::GameRange { generation: 1, first: 8, count: 8 };
        let receipt = Receipt { key, digest: "d".into(), status: ResultStatus::Stored };
        let text = r#"{"key":{"games":{"generation":1,"first":8,"count":8}},"digest":"d","fate":"stored"}"#;
        assert_eq!(serde_json::to_string(&receipt).unwrap(), text);
        assert_eq!(serde_json::from_str::<Receipt>(text).unwrap(), receipt);
        assert_eq!(key.token(), "games.1.8-8");
    }
}
