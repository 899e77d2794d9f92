//! What a game can provide to a search beyond its rules: heuristic values, tactical outcomes, move ordering.
//!
//! It belongs to the rules, not to the searches, so that everything specific to a game is in one place.

use crate::{Action, Game, Outcome, OwnSolver};

/// Scores at or beyond this are proven results, never guesses; alpha-beta keeps them apart by distance.
pub const HEURISTIC_LIMIT: i32 = 10_000;

/// The [hint](Tactics::hints) for an action that wins at once.
pub const WINNING_HINT: i32 = 10_000;
/// The [hint](Tactics::hints) for an action that keeps the other side from winning at once, unless it has two ways.
pub const ANSWERING_HINT: i32 = 5_000;
/// The [hint](Tactics::hints) for an action after which the other side wins at once.
pub const LOSING_HINT: i32 = -5_000;

/// The [hint](Tactics::hints) at or below which an action has nothing to do with what is going on, such as a stone far
/// from all others: selective searches leave it out unless everything else loses, and no opening holds it.
pub const REMOTE_HINT: i32 = -1_000;

/// What a game knows about winning with the next action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmediateWin {
    /// This distinct action wins at once.
    By(Action),
    /// No action does.
    None,
    /// The game cannot tell without trying.
    Unknown,
}

/// What a game can tell its searches cheaply about positions and moves.
///
/// Every method has a default, with which searches look further for themselves. All but
/// [`settled_outcome`](Self::settled_outcome), [`tactical_outcome`](Self::tactical_outcome) and
/// [`threat_outcome`](Self::threat_outcome) are asked of running games only.
pub trait Tactics: Game {
    /// Guess at the value of a running game for the side to move, strictly inside ±[`HEURISTIC_LIMIT`].
    ///
    /// Changes sign with the viewpoint: the same board with the sides exchanged gives the negative. So it knows nothing
    /// of the right to move; that is what [`immediate_win`](Self::immediate_win) and
    /// [`is_threatened`](Self::is_threatened) are for.
    fn heuristic(&self) -> i32 {
        0
    }

    /// Whether the side to move can win with its next action. Exact: [`ImmediateWin::Unknown`] rather than a guess.
    fn immediate_win(&self) -> ImmediateWin {
        ImmediateWin::Unknown
    }

    /// Whether the other side could win at once if it were its turn in this position: the side to move must answer. A
    /// guess for where to look deeper; false where a game cannot tell cheaply.
    fn is_threatened(&self) -> bool {
        false
    }

    /// Replaces the contents of `hints` by one number for each of `actions`, in their order. A search tries greater ones
    /// first. 0 is a quiet action; what wins, captures, threatens or answers a threat is above 0, what
    /// looks bad below. From [`WINNING_HINT`] on the action wins at once, from [`ANSWERING_HINT`] on it answers a threat
    /// to win at once. [`REMOTE_HINT`] or less is not worth a look, and [`LOSING_HINT`] or less lets the other side win at
    /// once.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        hints.clear();
        hints.resize(actions.len(), 0);
    }

    /// The result, if no action that is still to come can change it; exact, and `None` rather than a guess.
    fn settled_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    /// The result under perfect play, as far as the position tells it cheaply: the game is over or settled, or the next
    /// action decides it, or the next three at most, or a longer chain of forced ones. The result must follow
    /// from the tactical outcomes after the next action. Exact, and `None` rather than a guess.
    ///
    /// Searches call it once for each new position and spare themselves the evaluation where it answers, so it may take
    /// about as long as a network takes for a position.
    fn tactical_outcome(&self) -> Option<Outcome> {
        decided_by_next(self)
    }

    /// [`tactical_outcome`](Self::tactical_outcome) with the effort that players can afford: every tactical outcome is
    /// included, and more may be. A network whose self-play knew as much would not learn it, and would have fewer games to learn from
    /// (measured: docs/research/recipe.md), so self-play does not ask.
    fn threat_outcome(&self) -> Option<Outcome> {
        self.tactical_outcome()
    }

    /// Replaces the contents of `actions` by the distinct actions that a search needs to look at. It leaves out those after which
    /// the opponent wins with its next action, as far as one look at the position tells it cheaply. If all actions lose so,
    /// it keeps all. A subsequence of the distinct actions, and a function of the position.
    fn non_losing_actions(&self, actions: &mut Vec<Action>) {
        self.distinct_actions(actions);
    }

    /// A solver of the game's own with a table of at most `memory_mib` MiB (at least 1), where it has one that solves more
    /// than searches which know no game. `None` as well if the system does not give the memory.
    fn solver(_memory_mib: u32) -> Option<Box<dyn OwnSolver<Self>>> {
        None
    }
}

/// The result of a game that is over or settled, or that the side to move [wins at once](Tactics::immediate_win).
pub fn decided_by_next<G: Tactics>(position: &G) -> Option<Outcome> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome);
    }
    position.settled_outcome().or_else(|| match position.immediate_win() {
        ImmediateWin::By(_) => Some(Outcome::Win(position.side_to_move())),
        ImmediateWin::None | ImmediateWin::Unknown => None,
    })
}

/// Whether the side to move in the running game of `position` wins with its next action: as the game
/// [tells](Tactics::immediate_win), and tried out where it cannot tell.
pub fn wins_at_once<G: Tactics>(position: &G) -> bool {
    match position.immediate_win() {
        ImmediateWin::By(_) => true,
        ImmediateWin::None => false,
        ImmediateWin::Unknown => {
            let mut actions = Vec::new();
            position.distinct_actions(&mut actions);
            actions.into_iter().any(|action| ends_with_win(position, action))
        }
    }
}

/// The first of `actions` that is no oversight: one that wins at once, or else one after which the opponent does not win
/// at once, or else any. `None` if there are no actions.
pub fn without_oversight<G: Tactics>(position: &G, actions: &[Action]) -> Option<Action> {
    let side = position.side_to_move();
    let lets_win = |action: Action| {
        let mut after = position.clone();
        after.play(action);
        after.outcome() == Some(Outcome::Win(side.opponent()))
            || after.outcome().is_none() && after.side_to_move() != side && wins_at_once(&after)
    };
    let winning = actions.iter().find(|&&action| ends_with_win(position, action));
    winning.or_else(|| actions.iter().find(|&&action| !lets_win(action))).or(actions.first()).copied()
}

/// Whether the side to move wins with `action` at once.
fn ends_with_win<G: Tactics>(position: &G, action: Action) -> bool {
    let mut after = position.clone();
    after.play(action);
    after.outcome() == Some(Outcome::Win(position.side_to_move()))
}
