//! Exact solvers that are specific to one game.

use crate::Outcome;

/// How a running game ends under perfect play: the winner ends it as soon as possible, the loser as late as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who wins.
    pub outcome: Outcome,
    /// Turns of both sides until then, at least 1; to a draw, those of any line that keeps it.
    pub turns: u32,
}

/// Progress callback of a solver. It receives the number of positions searched since its last call, about a thousand.
/// If it returns `false`, the solver stops.
pub type MayGoOn<'a> = dyn FnMut(u64) -> bool + 'a;

/// Solves positions of one game, in which a turn is one action. It may keep proven results for later calls.
pub trait OwnSolver<G>: Send {
    /// The result of `position`, a running game, under perfect play; `None` if the callback stopped the solver.
    fn outcome(&mut self, position: &G, may_go_on: &mut MayGoOn<'_>) -> Option<Outcome>;

    /// The result and its distance, which takes longer to find; `None` if the callback stopped the solver.
    fn ending(&mut self, position: &G, may_go_on: &mut MayGoOn<'_>) -> Option<Ending>;
}
