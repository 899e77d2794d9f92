//! What it means for a game that its two sides can change places: no rule prefers one of them.

use crate::Game;

/// Whether a game's rules are the same for both sides, apart from who begins. If so, each side's games also teach the
/// other side, and the checks reveal faults that only one side has.
///
/// Contract of games whose sides are alike (checked for any game by [`conformance`](crate::conformance)):
/// * Exchanging twice gives the position back.
/// * `play` commutes with the exchange. The same actions, in the same lists, do the same for the other side, and the
///   outcome is the [exchanged](crate::Outcome::exchanged) one.
/// * The view of the side to move does not change: encoding, heuristic, hints, threats and immediate wins.
pub trait Exchangeable: Game {
    /// Whether they are; [`exchanged`](Self::exchanged) must then be implemented. If they are not (the default), an
    /// input plane shows which side is to move (see [`TensorEncoding`](crate::TensorEncoding)).
    fn sides_are_alike() -> bool {
        false
    }

    /// The same position with all that is the first player's given to the second and the other way round: pieces,
    /// captures, hands, the history of repetitions and the right to move.
    ///
    /// In `initial().exchanged()` the second player makes the first action, under the rules for who begins. Its
    /// hashes are others than those of any position reached from `initial()`, unless the very same position can be
    /// reached there (as in Pylos, where pieces and side to move are all there is).
    ///
    /// # Panics
    /// If the game does not say how; it is asked only of games whose sides are alike.
    fn exchanged(&self) -> Self {
        unimplemented_exchange::<Self>()
    }
}

fn unimplemented_exchange<G: Game>() -> ! {
    panic!("{}: sides_are_alike returns true, so Exchangeable::exchanged must be implemented", G::spec().id)
}
