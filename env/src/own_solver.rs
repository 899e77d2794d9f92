//! A solver that a game brings along, because it knows the game.

use crate::Outcome;

/// How a running game ends under perfect play: the winner ends it as soon as possible, the loser as late as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who wins.
    pub outcome: Outcome,
    /// Turns of both sides until then, at least 1; to a draw, those of any line that keeps it.
    pub turns: u32,
}

/// Told how many positions were looked at since it was last told, about a thousand; `false` ends the solver.
pub type MayGoOn<'a> = dyn FnMut(u64) -> bool + 'a;

/// Solves positions of one game, in which a turn is one decision. What it has proven it may remember for the next question.
pub trait OwnSolver<G>: Send {
    /// The result of `position`, a running game, under perfect play; `None` if it was ended before.
    fn outcome(&mut self, position: &G, may_go_on: &mut MayGoOn<'_>) -> Option<Outcome>;

    /// The result, and when it comes about, which takes longer; `None` if it was ended before.
    fn ending(&mut self, position: &G, may_go_on: &mut MayGoOn<'_>) -> Option<Ending>;
}
