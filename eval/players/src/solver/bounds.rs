//! What is proven of a value: an interval of −1 (lost), 0 (drawn), 1 (won).

use serde::{Deserialize, Serialize};

/// Between what a value lies, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// At least this.
    pub lower: i8,
    /// At most this.
    pub upper: i8,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { lower: -1, upper: 1 };

    /// Known to be `value`.
    pub fn exactly(value: i8) -> Self {
        Bounds { lower: value, upper: value }
    }

    /// The value, if it is proven.
    pub fn value(self) -> Option<i8> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Whether the value is at least `goal`, if that is proven.
    pub fn reaches(self, goal: i8) -> Option<bool> {
        match (self.lower >= goal, self.upper < goal) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// With the answer to whether the value is at least `goal`.
    pub fn with(self, goal: i8, reached: bool) -> Bounds {
        match reached {
            true => Bounds { lower: self.lower.max(goal), ..self },
            false => Bounds { upper: self.upper.min(goal - 1), ..self },
        }
    }

    /// What both say.
    pub fn intersection(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// The same value seen by the other side.
    pub fn reversed(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }
}
