//! What a turn start is worth.

/// Turns to the end of a game that a table can tell, at most.
pub const MAX_TURNS: u8 = 126;

/// What a turn start is worth to the side to move, if both sides play as well as they can: the winner for the nearest end,
/// the loser for the farthest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnValue {
    /// It wins, and makes the last of so many turns of both sides, or the other side has none left after them.
    Win(u8),
    /// Neither side can force an end in its favour: by a rule the game ends drawn, or neither side lets the other end
    /// it.
    Draw,
    /// The other side wins, and the game ends after so many turns of both sides; none if it cannot make a turn.
    Loss(u8),
}

/// A value in a byte, as it stands in memory while a table is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ValueByte(pub u8);

impl ValueByte {
    /// Not decided, and a draw once all that can be decided is.
    pub const UNDECIDED: ValueByte = ValueByte(0);
    /// Belongs to a number without a position.
    pub const NO_POSITION: ValueByte = ValueByte(u8::MAX);

    pub const fn win(turns: u8) -> Self {
        ValueByte(2 * turns)
    }

    pub const fn loss(turns: u8) -> Self {
        ValueByte(2 * turns + 1)
    }

    /// The byte of a value.
    pub const fn encode(value: TurnValue) -> Self {
        match value {
            TurnValue::Win(turns) => Self::win(turns),
            TurnValue::Draw => Self::UNDECIDED,
            TurnValue::Loss(turns) => Self::loss(turns),
        }
    }

    /// Whether the side to move wins within so many turns.
    #[inline]
    pub const fn is_won_within(self, turns: u8) -> bool {
        // Undecided bytes wrap around to the greatest number.
        self.0 & 1 == 0 && self.0.wrapping_sub(1) < 2 * turns
    }

    /// The value; `None` if there is no position, or no value has this byte.
    pub const fn value(self) -> Option<TurnValue> {
        match self {
            ValueByte(byte) if byte > ValueByte::loss(MAX_TURNS).0 => None,
            ValueByte::UNDECIDED => Some(TurnValue::Draw),
            ValueByte(byte) if byte & 1 == 0 => Some(TurnValue::Win(byte / 2)),
            ValueByte(byte) => Some(TurnValue::Loss(byte / 2)),
        }
    }
}

impl TurnValue {
    /// 1 for a win of the side to move, 0, −1.
    pub const fn sign(self) -> i8 {
        match self {
            TurnValue::Win(_) => 1,
            TurnValue::Draw => 0,
            TurnValue::Loss(_) => -1,
        }
    }

    /// Turns to the end; `None` for a draw.
    pub const fn turns(self) -> Option<u8> {
        match self {
            TurnValue::Win(turns) | TurnValue::Loss(turns) => Some(turns),
            TurnValue::Draw => None,
        }
    }

    /// Greater for what the side to move likes better: near wins before far ones, draws, far losses before near ones.
    pub const fn rank(self) -> i16 {
        match self {
            TurnValue::Win(turns) => 256 - turns as i16,
            TurnValue::Draw => 0,
            TurnValue::Loss(turns) => turns as i16 - 256,
        }
    }

    /// What a turn that leads to this value is worth to the side that makes it.
    pub const fn before(self) -> Self {
        match self {
            TurnValue::Win(turns) => TurnValue::Loss(turns + 1),
            TurnValue::Draw => TurnValue::Draw,
            TurnValue::Loss(turns) => TurnValue::Win(turns + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hold_every_value_and_tell_wins() {
        let mut found = Vec::new();
        for byte in 0..=ValueByte::loss(MAX_TURNS).0 {
            let value = ValueByte(byte).value().unwrap();
            assert_eq!(ValueByte::encode(value), ValueByte(byte));
            for turns in 0..=MAX_TURNS {
                let is_won = matches!(value, TurnValue::Win(needed) if needed <= turns);
                assert_eq!(ValueByte(byte).is_won_within(turns), is_won, "{byte} {turns}");
            }
            assert!(!found.contains(&value));
            found.push(value);
        }
        assert_eq!(ValueByte::NO_POSITION.value(), None);
        assert!(!ValueByte::NO_POSITION.is_won_within(MAX_TURNS));
        assert_eq!(ValueByte::win(MAX_TURNS).value(), Some(TurnValue::Win(MAX_TURNS)));
        assert_eq!(ValueByte::loss(MAX_TURNS).value(), Some(TurnValue::Loss(MAX_TURNS)));
    }

    #[test]
    fn the_side_to_move_likes_near_wins_and_far_losses() {
        let values = [TurnValue::Win(1), TurnValue::Win(3), TurnValue::Draw, TurnValue::Loss(4), TurnValue::Loss(0)];
        assert!(values.is_sorted_by(|better, worse| better.rank() > worse.rank()));
        assert_eq!(values.map(|value| value.sign()), [1, 1, 0, -1, -1]);
        assert_eq!(TurnValue::Loss(0).before(), TurnValue::Win(1));
    }
}
