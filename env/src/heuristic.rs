//! What a classical player needs beyond the rules: a guess at the value of a running game.
//!
//! It lives beside the rules, not beside alpha-beta, so that adding a game stays one folder and one line.

use crate::{Action, Game, Outcome};

/// Scores at or beyond this are proven results, never guesses; alpha-beta keeps them apart by distance.
pub const HEURISTIC_LIMIT: i32 = 10_000;

/// The [hint](Heuristic::hints) for an action that wins at once.
pub const WINNING_HINT: i32 = 10_000;
/// The [hint](Heuristic::hints) for an action that keeps the other side from winning at once, unless it has two ways.
pub const ANSWERING_HINT: i32 = 5_000;
/// The [hint](Heuristic::hints) for an action after which the other side wins at once.
pub const LOSING_HINT: i32 = -5_000;

/// The [hint](Heuristic::hints) at or below which an action has nothing to do with what is going on, such as a stone far
/// from all others: selective searches leave it out unless everything else loses, and no opening holds it.
pub const REMOTE_HINT: i32 = -1_000;

/// What a game knows about winning with the next decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmediateWin {
    /// This distinct action wins at once.
    By(Action),
    /// No action does.
    None,
    /// The game cannot tell without trying.
    Unknown,
}

/// A static evaluation for classical players, and what a game can tell them cheaply about its moves.
///
/// All methods are asked of running games only. Those with a default may be left out: players then search more.
pub trait Heuristic: Game {
    /// Guess at the value of a running game for the side to move, strictly inside ±[`HEURISTIC_LIMIT`].
    ///
    /// Changes sign with the viewpoint: the same board with the sides exchanged gives the negative. So it knows nothing
    /// of the right to move; that is what [`immediate_win`](Self::immediate_win) and
    /// [`is_threatened`](Self::is_threatened) are for.
    fn heuristic(&self) -> i32;

    /// Whether the side to move can win with its next decision. Exact: [`ImmediateWin::Unknown`] rather than a guess.
    fn immediate_win(&self) -> ImmediateWin {
        ImmediateWin::Unknown
    }

    /// Whether the other side could win at once if it were its turn in this position: the side to move must answer. A
    /// guess for where to look deeper; false where a game cannot tell cheaply.
    fn is_threatened(&self) -> bool {
        false
    }

    /// Replaces the contents of `hints` by one number for each of `actions`, in their order: the greater, the sooner a
    /// search should try it. 0 is a quiet action; what wins, captures, threatens or answers a threat is above 0, what
    /// looks bad below. From [`WINNING_HINT`] on the action wins at once, from [`ANSWERING_HINT`] on it answers a threat
    /// to win at once; [`REMOTE_HINT`] or less is not worth a look, and [`LOSING_HINT`] or less lets the other side win at
    /// once.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        hints.clear();
        hints.resize(actions.len(), 0);
    }

    /// The result, if no decision that is still to come can change it; exact, and `None` rather than a guess.
    fn settled_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }
}

/// [`Game::foreseen_outcome`] as a game's heuristic knows it.
pub fn foreseen_outcome<G: Heuristic>(position: &G) -> Option<Outcome> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome);
    }
    position.settled_outcome().or_else(|| match position.immediate_win() {
        ImmediateWin::By(_) => Some(Outcome::Win(position.side_to_move())),
        ImmediateWin::None | ImmediateWin::Unknown => None,
    })
}
