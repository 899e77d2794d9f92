//! What ends an alpha-beta search and how it searches.

use serde::{Deserialize, Serialize};

use crate::player_settings;
use crate::settings::domain::{Keyword, Time};

/// The deepest search there is, in plies.
pub const MAX_DEPTH: u32 = 200;
/// The largest transposition table, in MiB.
pub const MAX_MEMORY_MIB: u32 = 1 << 20;
/// The most lines of one search.
pub const MAX_LINES: u32 = 16;
/// The most threads of one search.
pub const MAX_THREADS: u32 = 256;

player_settings! {
    #[derive(Copy, Eq)]
    /// What ends an alpha-beta search; whichever limit is reached first counts. Without any the depth is [`MAX_DEPTH`].
    pub struct AlphaBetaLimits {
        /// Plies looked ahead.
        pub depth("depth"): Option<u32> = None, in 1..=MAX_DEPTH;
        /// Positions reached, over all depths and threads. Depth 1 is finished all the same.
        pub nodes("nodes"): Option<u64> = None, in 1..;
        /// Wall-clock time in milliseconds. The result then depends on the machine.
        pub time_ms("time"): Option<u64> = None, as Time;
        /// Time that the search's threads compute, in milliseconds, added up over them. The result then depends on the
        /// machine.
        pub cpu_time_ms("cpu"): Option<u64> = None, as Time;
    }
}

impl AlphaBetaLimits {
    /// Exactly this many plies ahead.
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

impl Keyword for Selectivity {
    const WORDS: &'static [(&'static str, Self)] = &[("full", Selectivity::Full), ("exact", Selectivity::Exact)];
}

player_settings! {
    #[derive(Copy, Eq)]
    /// How an alpha-beta player or search works.
    pub struct AlphaBetaConfig, kind "alphabeta" {
        /// What ends the search of each move. A player without any takes the match's clock, or depth 2 if there is none.
        pub limits(..): AlphaBetaLimits = AlphaBetaLimits::default();
        /// Size of the transposition table in MiB; no more is allocated for it.
        pub memory_mib("memory"): usize = 64, in 1..=MAX_MEMORY_MIB;
        /// Threads that search one position together. With more than one the result depends on their timing.
        pub threads("threads"): usize = 1, in 1..=MAX_THREADS;
        /// What the search may leave out.
        pub selectivity("search"): Selectivity = Selectivity::Full;
        /// Moves that are looked at as closely as the best, that one included: for analyses, each costs about as much
        /// time as the best alone.
        pub lines("lines"): usize = 1, in 1..=MAX_LINES;
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
}
