//! Games with so few positions that each has a number: a table can then hold what every one of them is worth.

use std::ops::ControlFlow;

/// What a turn leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The turn start with this number, where the other side is to move.
    To(u64),
    /// The end of the game, worth this much to the side that made the turn: 1, 0 or −1.
    Ends(i8),
}

/// The turn starts of a game by numbers, and the turns between them.
///
/// A turn is all that a side decides before the other side does. Positions have the same number where the rest of the game
/// is the same but for a symmetry, or for what the sides are called. Not every number needs a position.
///
/// Laws of every numbering, which `selfplay check` tests for any game that has one:
/// - a turn start's number is below [`count`](Self::count), has a position, and that position has the same number;
/// - a turn start and its images under the symmetries have one number;
/// - the turns from a number are those that the rules allow, and each is found backwards as well.
pub trait PositionIndex: Send + Sync {
    /// What these rules are called among the game's [`variants`](Self::variants).
    fn name(&self) -> &'static str;

    /// Numbers are below this.
    fn count(&self) -> u64;

    /// The number of the game's initial position.
    fn initial(&self) -> u64;

    /// Who goes from number to number; one for each thread.
    fn walker(&self) -> Box<dyn TurnGenerator + '_>;

    /// Whether walkers can go back.
    fn walks_back(&self) -> bool {
        false
    }

    /// Other rules or smaller boards of the same kind for which a tablebase can be built, though they cannot be played.
    fn variants(&self) -> Vec<&'static dyn PositionIndex> {
        Vec::new()
    }
}

/// Goes from number to number. Fast where numbers are asked in ascending order.
pub trait TurnGenerator {
    /// Whether the number has a position.
    fn has_position(&mut self, number: u64) -> bool;

    /// Tells `visit` every turn from a number that has a position, those that end the game first, until it breaks off; a turn
    /// may be told more than once.
    fn successors(&mut self, number: u64, visit: &mut dyn FnMut(Turn) -> ControlFlow<()>);

    /// The number of the same position with the other side to move, where the game can tell.
    fn passed(&mut self, _number: u64) -> Option<u64> {
        None
    }

    /// How many pieces are on the board, where the game can tell.
    fn pieces(&mut self, _number: u64) -> Option<usize> {
        None
    }

    /// Tells `visit` every number from which a turn leads to `number`; one may be told more than once.
    ///
    /// # Panics
    /// If the numbering does not [walk back](PositionIndex::walks_back).
    fn predecessors(&mut self, number: u64, visit: &mut dyn FnMut(u64)) {
        let _ = visit;
        panic!("nobody can walk back from {number}");
    }
}
