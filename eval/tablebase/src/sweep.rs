//! Retrograde analysis: sweep after sweep over all numbers, each of which finds what is decided in one turn more.
//!
//! The sweep for `t` turns finds the losses in `t`: turn starts that are not decided, and whose turns all lead to wins of the
//! other side within `t − 1`. From where a turn leads to one of these, it is a win in `t + 1`, which is written at once, since no
//! sweep before `t + 2` asks for it. So the values are exact, whatever order threads go in. A sweep that was broken off can
//! restart on what it left: what it wrote is right, and what it had not written from losses it had found is written
//! again. (Thompson 1986, "Retrograde analysis of certain endgames", with the counters of moves replaced by looking again: a
//! look ends at the first turn that does not lose, and most do at once.)

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use selfplay_env::position_index::{PositionIndex, Turn, TurnGenerator};

use crate::inverse::{Inverse, predecessors};
use crate::value::{MAX_TURNS, ValueByte};

/// Numbers that a thread takes at a time.
pub(crate) const SHARD: u64 = 1 << 18;

/// The values of a game while they are found.
pub(crate) struct Values {
    pub bytes: Box<[AtomicU8]>,
    /// How turns are found backwards if the position index does not know.
    pub inverse: Option<Inverse>,
}

/// What a sweep has found so far.
#[derive(Debug, Default)]
pub(crate) struct SweepProgress {
    /// Numbers that were looked at and had not been decided.
    pub judged: AtomicU64,
    /// Those among them that now are.
    pub decided: AtomicU64,
    /// Numbers passed, of all.
    pub passed: AtomicU64,
    /// The side that makes a turn may lose by it at once.
    pub can_end_lost: AtomicBool,
    /// Wins in one turn more than this sweep finds losses in were written, or wins at once.
    pub has_written_wins: AtomicBool,
    /// A win was written that is longer than tables can tell.
    pub is_too_long: AtomicBool,
}

impl Values {
    /// Which numbers of turns there are wins in.
    pub fn win_turns(&self) -> Vec<bool> {
        let mut has_byte = [false; 256];
        self.bytes.iter().for_each(|byte| has_byte[usize::from(byte.load(Relaxed))] = true);
        (0..=MAX_TURNS).map(|turns| turns > 0 && has_byte[usize::from(ValueByte::win(turns).0)]).collect()
    }

    /// Sweeps for losses in `turns` over one shard.
    pub fn sweep(&self, position_index: &dyn PositionIndex, shard: Range<u64>, turns: u8, found: &SweepProgress) {
        let mut walker = position_index.walker();
        let (mut judged, mut decided) = (0, 0);
        for number in shard.clone() {
            let mut byte = self.byte(number);
            if byte == ValueByte::UNDECIDED {
                if turns == 0 && !walker.has_position(number) {
                    self.write(number, ValueByte::NO_POSITION);
                    continue;
                }
                judged += 1;
                let Some(value) = self.judge(&mut *walker, number, turns, found) else { continue };
                decided += 1;
                self.write(number, value);
                if value == ValueByte::win(1) {
                    found.has_written_wins.store(true, Relaxed);
                }
                byte = value;
            }
            if byte == ValueByte::loss(turns) {
                self.write_wins(&mut *walker, number, turns, found);
            }
        }
        found.judged.fetch_add(judged, Relaxed);
        found.decided.fetch_add(decided, Relaxed);
        found.passed.fetch_add(shard.end - shard.start, Relaxed);
    }

    fn write(&self, number: u64, value: ValueByte) {
        self.bytes[number as usize].store(value.0, Relaxed);
    }

    /// A win by ending the game at once, in the first sweep, or a loss in `turns`; `None` if the number is neither.
    #[inline]
    fn judge(
        &self,
        walker: &mut dyn TurnGenerator,
        number: u64,
        turns: u8,
        found: &SweepProgress,
    ) -> Option<ValueByte> {
        let mut judged = Some(ValueByte::loss(turns));
        walker.successors(number, &mut |turn| {
            let is_lost = match turn {
                Turn::To(next) => turns > 0 && self.byte(next).is_won_within(turns - 1),
                Turn::Ends(value) => {
                    found.can_end_lost.fetch_or(value < 0, Relaxed);
                    turns > 0 && value < 0
                }
            };
            if is_lost {
                return ControlFlow::Continue(());
            }
            judged = (turn == Turn::Ends(1)).then_some(ValueByte::win(1));
            // Turns that end the game come first, so a win at once is not overlooked.
            match turn {
                Turn::Ends(value) if value < 1 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        judged
    }

    #[inline]
    fn byte(&self, number: u64) -> ValueByte {
        ValueByte(self.bytes[number as usize].load(Relaxed))
    }

    /// A side that can bring the other to `number`, lost in `turns`, wins.
    fn write_wins(&self, walker: &mut dyn TurnGenerator, number: u64, turns: u8, found: &SweepProgress) {
        if turns == MAX_TURNS {
            found.is_too_long.store(true, Relaxed);
            return;
        }
        let mut has_written = false;
        predecessors(walker, self.inverse.as_ref(), number, &mut |before| {
            if self.byte(before) == ValueByte::UNDECIDED {
                self.write(before, ValueByte::win(turns + 1));
                has_written = true;
            }
        });
        if has_written {
            found.has_written_wins.store(true, Relaxed);
        }
    }
}
