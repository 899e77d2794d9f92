//! What ends an alpha-beta search and how it searches.

use selfplay_config::{InvalidKey, check};
use serde::{Deserialize, Serialize};

/// The deepest search there is, in decisions.
pub const MAX_DEPTH: u32 = 200;
/// The largest transposition table, in MiB.
pub const MAX_MEMORY_MIB: usize = 1 << 20;
/// The most lines of one search.
pub const MAX_LINES: usize = 16;
/// The most threads of one search.
pub const MAX_THREADS: usize = 256;

/// What ends an alpha-beta search; whichever limit is reached first counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AlphaBetaLimits {
    /// Decisions looked ahead, `1..=MAX_DEPTH`.
    pub depth: Option<u32>,
    /// Positions reached, over all depths and threads. Depth 1 is finished all the same.
    pub nodes: Option<u64>,
    /// Wall-clock time in milliseconds. The result then depends on the machine.
    pub time_ms: Option<u64>,
    /// Time that the search's threads compute, in milliseconds, added up over them. The result then depends on the
    /// machine.
    pub cpu_time_ms: Option<u64>,
}

impl AlphaBetaLimits {
    /// Exactly this many decisions ahead.
    pub fn depth(depth: u32) -> Self {
        AlphaBetaLimits { depth: Some(depth), ..Self::default() }
    }

    /// This many positions.
    pub fn nodes(nodes: u64) -> Self {
        AlphaBetaLimits { nodes: Some(nodes), ..Self::default() }
    }

    /// Whether a clock may end the search.
    pub fn has_time(&self) -> bool {
        self.time_ms.is_some() || self.cpu_time_ms.is_some()
    }

    /// Checks that every limit that is set can be kept. Without any the depth is [`MAX_DEPTH`].
    ///
    /// # Errors
    /// [`InvalidKey`] with the limit.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        let depth = self.depth.unwrap_or(1);
        check((1..=MAX_DEPTH).contains(&depth), "depth", f64::from(depth), "1 to 200 decisions")?;
        check(self.nodes != Some(0), "nodes", 0.0, "at least 1")?;
        check(self.time_ms != Some(0), "time_ms", 0.0, "at least 1")?;
        check(self.cpu_time_ms != Some(0), "cpu_time_ms", 0.0, "at least 1")
    }
}

/// What a search may leave out of the tree, or look at beyond its depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selectivity {
    /// Looks deeper where there are threats and less deep at moves that look bad: the strongest.
    Full,
    /// Every move to the same depth: the result is plain minimax at that depth, with all its best actions.
    Exact,
}

/// How an alpha-beta player or search works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlphaBetaConfig {
    /// What ends the search of each decision. A player without any takes the match's clock, or depth 2 if there is none.
    pub limits: AlphaBetaLimits,
    /// Size of the transposition table in MiB, `1..=MAX_MEMORY_MIB`; no more is allocated for it. Default 64.
    pub memory_mib: usize,
    /// Threads that search one position together, `1..=MAX_THREADS`. With more than one the result depends on their
    /// timing. Default 1.
    pub threads: usize,
    /// What the search may leave out. Default [`Selectivity::Full`].
    pub selectivity: Selectivity,
    /// Decisions that are looked at as closely as the best, that one included, `1..=MAX_LINES`: for analyses, each costs
    /// about as much time as the best alone. Default 1.
    pub lines: usize,
}

impl Default for AlphaBetaConfig {
    fn default() -> Self {
        AlphaBetaConfig {
            limits: AlphaBetaLimits::default(),
            memory_mib: 64,
            threads: 1,
            selectivity: Selectivity::Full,
            lines: 1,
        }
    }
}

impl AlphaBetaConfig {
    /// The strongest search within `limits`.
    pub fn full(limits: AlphaBetaLimits) -> Self {
        AlphaBetaConfig { limits, ..Self::default() }
    }

    /// Plain minimax within `limits`.
    pub fn exact(limits: AlphaBetaLimits) -> Self {
        AlphaBetaConfig { limits, selectivity: Selectivity::Exact, ..Self::default() }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        self.limits.validate()?;
        let (mib, threads) = (self.memory_mib, self.threads);
        check((1..=MAX_MEMORY_MIB).contains(&mib), "memory_mib", mib as f64, "1 to 1,048,576 MiB")?;
        check((1..=MAX_LINES).contains(&self.lines), "lines", self.lines as f64, "1 to 16")?;
        check((1..=MAX_THREADS).contains(&threads), "threads", threads as f64, "1 to 256")
    }
}
