//! Sides and results, typed by viewpoint: [`Outcome`] is absolute, [`Wdl`] belongs to the side to move.

/// One of the two players, by who makes the first action of a game that starts at
/// [`Game::initial`](crate::Game::initial).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The player who moves first (White in Pentago-Swap, Pylos and Pente).
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both sides, first player first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other side.
    #[inline]
    pub const fn opponent(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// Who decides after so many plies, if this side makes the first and the sides alternate.
    #[inline]
    pub const fn after(self, plies: usize) -> Side {
        if plies.is_multiple_of(2) { self } else { self.opponent() }
    }

    /// 0 for the first player, 1 for the second: an index into per-side arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The result of a finished game, independent of the viewer.
///
/// ```
/// use selfplay_env::{Outcome, Side};
///
/// let outcome = Outcome::Win(Side::First);
/// assert_eq!((outcome.value_for(Side::First), outcome.value_for(Side::Second)), (1, -1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This side has won.
    Win(Side),
    /// Neither has won.
    Draw,
}

impl Outcome {
    /// The game's value for `side`: 1 won, 0 drawn, −1 lost.
    #[inline]
    pub fn value_for(self, side: Side) -> i8 {
        match self {
            Outcome::Win(winner) if winner == side => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
        }
    }

    /// `White wins` or `a draw`, in a game whose sides have these names.
    pub fn in_words(self, side_names: [&str; 2]) -> String {
        match self {
            Outcome::Win(side) => format!("{} wins", side_names[side.index()]),
            Outcome::Draw => "a draw".into(),
        }
    }

    /// The same result with the two sides in each other's place.
    #[inline]
    pub const fn exchanged(self) -> Outcome {
        match self {
            Outcome::Win(winner) => Outcome::Win(winner.opponent()),
            Outcome::Draw => Outcome::Draw,
        }
    }
}

/// Probabilities of win, draw and loss for the side to move; non-negative, summing to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wdl {
    /// Probability that the side to move wins.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability that the side to move loses.
    pub loss: f32,
}

impl Wdl {
    /// Knows nothing: a third each.
    pub const UNIFORM: Wdl = Wdl { win: 1.0 / 3.0, draw: 1.0 / 3.0, loss: 1.0 / 3.0 };

    /// The certain result `outcome`, seen from `side`.
    pub fn certain(outcome: Outcome, side: Side) -> Wdl {
        let value = outcome.value_for(side);
        Wdl { win: f32::from(value == 1), draw: f32::from(value == 0), loss: f32::from(value == -1) }
    }

    /// Expected result in −1..=1: win − loss.
    #[inline]
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The same probabilities seen by the other side.
    #[inline]
    pub fn flipped(self) -> Wdl {
        Wdl { win: self.loss, draw: self.draw, loss: self.win }
    }
}
