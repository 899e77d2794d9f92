//! What subjects, streams and objects are called.

use selfplay_pipeline::{RetentionConfig, RunConfig};

use crate::wire::TaskKey;

/// Bucket of the networks of all runs.
pub const NETWORKS: &str = "selfplay-networks";
/// Where workers ask which runs there are.
pub const RUNS: &str = "selfplay.runs";
/// Where all are notified which run is over, or its learner gone.
pub const ENDS: &str = "selfplay.ends";
/// The consumer of a run's tasks, which all its workers share.
pub const WORKERS: &str = "workers";
/// The consumer of a run's results.
pub const LEARNER: &str = "learner";

/// The names of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    /// The run.
    pub run: String,
}

impl Names {
    /// Of the run in the folder called `name`: no other run has the same, not even one of the same name with another config.
    pub fn new(name: &str, config: &RunConfig) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        // Its length, and what it keeps, are what may change in a run.
        let config = RunConfig { generations: 1, retention: RetentionConfig::default(), ..config.clone() };
        let hash = blake3::hash(config.to_toml().as_bytes()).to_hex();
        Names { run: format!("{}-{}", name.chars().map(plain).collect::<String>(), &hash[..8]) }
    }

    /// Of a run that somebody announced; `None` unless its name is plain, so that it cannot be a name of something else.
    pub fn announced(run: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_name = !run.is_empty() && run.len() <= 200 && run.chars().all(is_plain);
        is_name.then(|| Names { run: run.to_owned() })
    }

    pub fn tasks_stream(&self) -> String {
        format!("selfplay-{}-tasks", self.run)
    }

    pub fn results_stream(&self) -> String {
        format!("selfplay-{}-results", self.run)
    }

    /// The subject of a task, or of all that begin with a token, if that ends with `.>`.
    pub fn task(&self, token: &str) -> String {
        format!("selfplay.{}.task.{token}", self.run)
    }

    pub fn result(&self, key: &TaskKey) -> String {
        format!("selfplay.{}.result.{}", self.run, key.token())
    }

    pub fn results(&self) -> String {
        format!("selfplay.{}.result.>", self.run)
    }

    /// Where a worker is notified what becomes of its results.
    pub fn receipt(&self, worker: &str) -> String {
        format!("selfplay.{}.receipt.{worker}", self.run)
    }

    /// Where workers ask what became of a result.
    pub fn question(&self) -> String {
        format!("selfplay.{}.question", self.run)
    }

    /// Where workers say what they do.
    pub fn state(&self) -> String {
        format!("selfplay.{}.state", self.run)
    }

    /// Subject on which the learner of the run answers.
    pub fn learner(&self) -> String {
        format!("selfplay.{}.learner", self.run)
    }

    /// The object of a network, or of games, with these bytes.
    pub fn object(&self, kind: &str, generation: u32, bytes: &[u8]) -> String {
        format!("{}/{kind}-{generation}-{}", self.run, blake3::hash(bytes).to_hex())
    }
}

/// A worker's name as subjects and files may have it.
pub fn plain_worker(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    name.chars().take(60).map(plain).collect()
}
