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

/// An index of a game's turn starts (the positions in which a turn begins), and the turns between them.
///
/// A turn is all the actions that one side makes before the other side moves. Positions share a number if the rest of
/// the game is the same up to a symmetry or an exchange of the sides. Not every number needs a position.
///
/// Contract of every position index, which `selfplay check` tests for any game that has one:
/// * The number of a turn start is below [`count`](Self::count) and has a position with the same number.
/// * A turn start and its images under the symmetries have one number.
/// * The turns from a number are those that the rules allow. An index that walks back also finds each of them
///   backwards.
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

    /// Calls `visit` with every turn from a number that has a position, until `visit` breaks. Turns that end the game
    /// come first. A turn may be visited more than once.
    fn successors(&mut self, number: u64, visit: &mut dyn FnMut(Turn) -> ControlFlow<()>);

    /// The number of the same position with the other side to move, where the game can tell.
    fn passed(&mut self, _number: u64) -> Option<u64> {
        None
    }

    /// How many pieces are on the board, where the game can tell.
    fn pieces(&mut self, _number: u64) -> Option<usize> {
        None
    }

    /// Calls `visit` with every number from which a turn leads to `number`. A number may be visited more than once.
    ///
    /// # Panics
    /// If the position index does not [walk back](PositionIndex::walks_back).
    fn predecessors(&mut self, number: u64, visit: &mut dyn FnMut(u64)) {
        let _ = visit;
        panic!("nobody can walk back from {number}");
    }
}
