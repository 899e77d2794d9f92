//! How a search player searches and chooses.

use selfplay_config::{InvalidKey, check};
use selfplay_mcts::{Limits, SearchConfig, TacticsDepth};

use crate::settings::domain::Keyword;

/// Leaves evaluated at once under a limit of time, unless something else is asked for, and at most under one of
/// simulations.
const MAX_DEFAULT_LEAVES: u32 = 8;
/// Simulations for each leaf of a batch, at least. Leaves of one batch do not know each other's values, so large batches
/// make small searches weaker at equal simulations (docs/players.md).
const SIMULATIONS_PER_LEAF: u32 = 64;

/// Whether alpha-beta helps a search with proofs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Verification {
    /// The search decides alone.
    #[default]
    Off,
    /// Alpha-beta looks for a forced win before the search, checks the move that the search chooses, and finds the
    /// longest way where all moves lose. It takes a part of the time; under a limit of simulations alone a fixed number of
    /// positions comes on top, so that the choice stays a function of the position. Games are then searched one by one.
    On,
}

impl Keyword for Verification {
    const WORDS: &'static [(&'static str, Self)] = &[("on", Verification::On), ("off", Verification::Off)];
}

/// Whether equal moves are varied.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Variety {
    /// The move that the search chose.
    #[default]
    Off,
    /// In positions that equal themselves under some symmetries of the board, one of the move's images under these, by the
    /// seed of the table. They have the same value, so it costs no strength.
    On,
}

impl Keyword for Variety {
    const WORDS: &'static [(&'static str, Self)] = &[("on", Variety::On), ("off", Variety::Off)];
}

impl Keyword for TacticsDepth {
    const WORDS: &'static [(&'static str, Self)] =
        &[("deep", TacticsDepth::Deep), ("shallow", TacticsDepth::Shallow), ("off", TacticsDepth::Off)];
}

/// How a [`SearchPlayer`](crate::SearchPlayer) searches and chooses.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchPlayerConfig {
    /// Selection and solver. There is no root noise in matches.
    pub search: SearchConfig,
    /// What ends the search of each move, besides the match's clock; without either, 400 simulations. What the tree
    /// inherits from earlier moves does not count.
    pub limits: Limits,
    /// Leaves of one game evaluated at once; at least 1. `None`, the default, follows the limit: 8 under a limit of time, one
    /// for every 64 simulations otherwise, at least 1 and at most 8.
    pub leaves_per_gather: Option<usize>,
    /// How random the choice is: in proportion to visits^(1 / temperature); 0, the default, takes the best move. At least
    /// 0.
    pub temperature: f32,
    /// Whether alpha-beta helps; needs the solver of `search`. Default off.
    pub verify: Verification,
    /// Whether equal moves are varied. Default off.
    pub variety: Variety,
    /// Under which symmetries of the board positions are evaluated.
    pub symmetry: SpecSymmetry,
}

impl Default for SearchPlayerConfig {
    fn default() -> Self {
        SearchPlayerConfig {
            search: SearchConfig::default(),
            limits: Limits::default(),
            leaves_per_gather: None,
            temperature: 0.0,
            verify: Verification::Off,
            variety: Variety::Off,
            symmetry: SpecSymmetry::default(),
        }
    }
}

impl SearchPlayerConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        self.search.validate()?;
        if self.limits.is_bounded() {
            self.limits.validate()?;
        }
        check(self.leaves_per_gather != Some(0), "leaves", 0.0, "at least 1")?;
        let is_temperature = self.temperature.is_finite() && self.temperature >= 0.0;
        check(is_temperature, "temperature", f64::from(self.temperature), "a finite number of at least 0")?;
        let has_solver = self.verify == Verification::Off || self.search.mcts_solver;
        check(has_solver, "mcts_solver", 0.0, "1, that is on, beside `verify`")
    }
}

impl SearchPlayerConfig {
    /// Leaves of one game that are evaluated at once in a search of so many `simulations`; `None` for one that only time
    /// limits.
    pub(super) fn leaves_for(&self, simulations: Option<u32>) -> usize {
        let default = simulations.map_or(MAX_DEFAULT_LEAVES, |most| most / SIMULATIONS_PER_LEAF);
        self.leaves_per_gather.unwrap_or(default.clamp(1, MAX_DEFAULT_LEAVES) as usize)
    }
}

/// Under which symmetries of the board a search evaluates positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SpecSymmetry {
    /// Each under the one that leads to the image that stands for all, so that images get the same evaluation.
    #[default]
    Canonical,
    /// Under all of them, and the mean counts: as many evaluations for each position as the board has symmetries.
    Average,
}

impl Keyword for SpecSymmetry {
    const WORDS: &'static [(&'static str, Self)] =
        &[("canonical", SpecSymmetry::Canonical), ("average", SpecSymmetry::Average)];
}
